import { describe, expect, test } from "vitest";
import {
  judgeRelease,
  readEntries,
  readVersion,
  type ProjectFacts,
  type ReleasedFile,
  compareVersions,
  raiseVersion,
} from "./judge-release.js";

const KNOWN: ProjectFacts = {
  ...{ from: "1.2.0", tagged: "1.2.0", prefix: "v", versionFile: "package.json", changelog: "CHANGELOG.md" },
  tags: new Set(["v1.2.0", "v1.9.0"]),
};
const OLD = "# Changes\n\n## Unreleased\n\n- soon\n\n## [1.2.0] - 2026-01-01\n\n- The first flag.\n";
const entry = (version: string) =>
  OLD.replace("## [1.2.0]", `## ${version}\n\n### Added\n\n- A second flag.\n\n## [1.2.0]`);
const manifest = (version: string) => `{\n  "version": "${version}",\n  "name": "p"\n}\n`;
const changed = (path: string, before: string, after: string): ReleasedFile => ({
  path,
  before,
  after,
  plain: true,
});

function judge(version: string, more: readonly ReleasedFile[] = [], known: Partial<ProjectFacts> = {}) {
  const log = entry(version);
  const changes = [
    changed("package.json", manifest("1.2.0"), manifest(version)),
    changed("CHANGELOG.md", OLD, log),
    ...more,
  ];
  return judgeRelease({ ...KNOWN, ...known }, changes, log);
}

test("a raised version with an entry is a release", () => {
  expect(judge("1.3.0")).toEqual({ version: "1.3.0", notes: "### Added\n\n- A second flag.", problems: [] });
});

test("other files may change where they name the version, and its date", () => {
  const lock = changed("a.lock", 'x = "1.1.0"\ny\n', 'x = "1.3.0"\ny\n');
  const about = changed("about.py", "v = 1.2.0 # 2026-01-01", "v = 1.3.0 # 2026-02-01");
  expect(judge("1.3.0", [lock, about]).problems).toEqual([]);
});

describe("reasons against a release", () => {
  test.each<[string, ReleasedFile[], Partial<ProjectFacts>, RegExp]>([
    ["1.2.0", [], {}, /no version was raised: it is still 1\.2\.0 in package\.json/],
    ["1.1.9", [], {}, /1\.1\.9 is not greater than the current version 1\.2\.0/],
    ["1.9.0", [], {}, /tag v1\.9\.0 exists already/],
    ["1.3.0", [], { wanted: "major" }, /2\.0\.0 was asked for, not 1\.3\.0/],
    ["1.3.0", [changed("main.js", "a\n", "b\n")], {}, /not part of a release: main\.js/],
    ["1.3.0", [changed("main.js", "a 1.2.0\n", "b 1.3.0\n")], {}, /not part of a release: main\.js/],
    ["1.3.0", [{ path: "evil.sh", after: "1.3.0", plain: true }], {}, /not part of a release: evil\.sh/],
    ["1.3.0", [{ ...changed("x", "1.2.0", "1.3.0"), plain: false }], {}, /not part of a release: x/],
  ])("%s", (version, more, known, words) => {
    expect(judge(version, more, known).problems.join("\n")).toMatch(words);
  });

  test("a missing entry, and a changed earlier one", () => {
    const change = changed("package.json", manifest("1.2.0"), manifest("1.3.0"));
    expect(judgeRelease(KNOWN, [change], OLD).problems).toEqual(["CHANGELOG.md has no entry for 1.3.0"]);
    const forged = entry("1.3.0").replace("The first flag", "Nothing");
    const log = changed("CHANGELOG.md", OLD, forged);
    expect(judgeRelease(KNOWN, [change, log], forged).problems).toEqual([
      "CHANGELOG.md changed an earlier entry: 1.2.0",
    ]);
  });
});

test("without a version file the new entry says the version", () => {
  const { versionFile: _none, ...known } = KNOWN;
  const log = changed("CHANGELOG.md", OLD, entry("1.3.0"));
  expect(judgeRelease(known, [log], entry("1.3.0"))).toMatchObject({ version: "1.3.0", problems: [] });
});

test("the version of a version file is its first one", () => {
  expect(readVersion("a/package.json", manifest("1.2.0"))).toBe("1.2.0");
  expect(readVersion("Cargo.toml", '[package]\nname = "p"\nversion = "0.1.0"\n')).toBe("0.1.0");
  expect(readVersion("VERSION", "1.2\n")).toBe("1.2");
  expect(readVersion("package.json", '{"name": "p"}')).toBeUndefined();
});

test("entries end at the next heading of their level", () => {
  expect([...readEntries(OLD)]).toEqual([["1.2.0", "- The first flag."]]);
});

test("versions are compared by number, a pre-release before its release", () => {
  const sorted = ["1.2.0-rc.2", "1.2.0-rc.10", "1.2.0", "1.10.0"];
  expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
});

test("a part is raised, and a pre-release becomes its release", () => {
  expect([raiseVersion("1.2.3", "patch"), raiseVersion("1.2.3", "minor")]).toEqual(["1.2.4", "1.3.0"]);
  expect([raiseVersion("1.2.3", "major"), raiseVersion("1.3.0-rc.1", "minor")]).toEqual(["2.0.0", "1.3.0"]);
});
