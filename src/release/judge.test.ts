import { expect, test } from "vitest";
import { given } from "../system/given.js";
import { judgeRelease, resolveWantedVersion, type ReleasedFile, type ProjectFacts } from "./judge.js";
import { findVersions } from "./places.js";

const MANIFEST = '{\n  "version": "1.2.0",\n  "dependencies": { "q": "1.2.0" }\n}\n';
const LOCK = '{\n  "version": "1.2.0",\n  "packages": { "": { "version": "1.2.0" } }\n}\n';
const LOG = "# Changes\n\n## 1.2.0\n\n- The first.\n";
const raised = (text: string, to = "1.3.0") => text.replaceAll('"version": "1.2.0"', `"version": "${to}"`);
const logged = (version = "1.3.0", text = "- The second.") =>
  LOG.replace("## 1.2.0", `## ${version}\n\n${text}\n\n## 1.2.0`);

const known = (more: Partial<ProjectFacts> = {}): ProjectFacts => ({
  from: "1.2.0",
  tagged: "1.2.0",
  prefix: "v",
  tags: new Set(["v1.2.0"]),
  places: [...findVersions("package.json", MANIFEST), ...findVersions("package-lock.json", LOCK)],
  changelog: "CHANGELOG.md",
  changelogText: LOG,
  folder: "",
  ...more,
});
const change = (
  path: string,
  before: string | undefined,
  after: string | undefined,
  plain = true,
): ReleasedFile => ({
  path,
  ...given({ before, after }),
  plain,
});

const HONEST = {
  manifest: change("package.json", MANIFEST, raised(MANIFEST)),
  lock: change("package-lock.json", LOCK, raised(LOCK)),
  log: change("CHANGELOG.md", LOG, logged()),
};
const honest = (instead: Partial<Record<keyof typeof HONEST, ReleasedFile>> = {}) => {
  const files: (ReleasedFile | undefined)[] = Object.values({ ...HONEST, ...instead });
  return files.filter((one) => one !== undefined);
};
const judge = (changes: readonly ReleasedFile[], more?: Partial<ProjectFacts>) =>
  judgeRelease(known(more), changes);
const messages = (changes: readonly ReleasedFile[], more?: Partial<ProjectFacts>) =>
  judge(changes, more).problems.map(({ message }) => message);

test("a complete release has no problems", () => {
  expect(judge(honest())).toEqual({ version: "1.3.0", problems: [], strange: [], notes: "- The second." });
});

test.each<[string, ReleasedFile[], Partial<ProjectFacts>, string[]]>([
  [
    "nothing changed",
    [],
    {},
    [
      'no version was raised: it is still 1.2.0 in package.json (version), package-lock.json (version), package-lock.json (packages[""].version)',
    ],
  ],
  [
    "a file forgotten",
    honest({ lock: undefined }),
    {},
    ['still 1.2.0: package-lock.json (version), package-lock.json (packages[""].version)'],
  ],
  [
    "half a file forgotten",
    honest({
      lock: change("package-lock.json", LOCK, LOCK.replace('"version": "1.2.0"', '"version": "1.3.0"')),
    }),
    {},
    ['still 1.2.0: package-lock.json (packages[""].version)'],
  ],
  [
    "two new versions",
    honest({ lock: change("package-lock.json", LOCK, raised(LOCK, "1.4.0")) }),
    {},
    ["more than one new version: 1.3.0 in package.json, 1.4.0 in package-lock.json"],
  ],
  [
    "a manifest that is gone",
    honest({ lock: change("package-lock.json", LOCK, undefined, false) }),
    {},
    ['the version is missing: package-lock.json (version), package-lock.json (packages[""].version)'],
  ],
  [
    "a manifest that is broken",
    honest({ manifest: change("package.json", MANIFEST, "{") }),
    {},
    ["the version is missing: package.json (version)"],
  ],
  ["no entry", honest({ log: undefined }), {}, ["CHANGELOG.md has no new entry for 1.3.0"]],
  [
    "an empty entry",
    honest({ log: change("CHANGELOG.md", LOG, logged("1.3.0", "")) }),
    {},
    ["the entry for 1.3.0 in CHANGELOG.md is empty"],
  ],
  [
    "an entry of another version",
    honest({ log: change("CHANGELOG.md", LOG, logged("1.4.0")) }),
    {},
    ["CHANGELOG.md has no new entry for 1.3.0"],
  ],
  [
    "an old entry rewritten",
    honest({ log: change("CHANGELOG.md", LOG, logged().replace("The first", "Nothing")) }),
    {},
    ["CHANGELOG.md changed the entry of an earlier version: 1.2.0"],
  ],
  [
    "an old entry gone",
    honest({ log: change("CHANGELOG.md", LOG, "## 1.3.0\n- x\n") }),
    {},
    ["CHANGELOG.md changed the entry of an earlier version: 1.2.0"],
  ],
  [
    "no changelog at all",
    honest({ log: undefined }),
    { changelog: undefined, changelogText: undefined },
    ["the changelog is missing: write an entry for 1.3.0 in CHANGELOG.md"],
  ],
  ["another version than was asked for", honest(), { wanted: "patch" }, ["1.2.1 was asked for, not 1.3.0"]],
  ["less than the last tag", honest(), { tagged: "1.5.0" }, ["1.3.0 is not greater than 1.5.0"]],
  ["a tag that is there", honest(), { tags: new Set(["v1.3.0"]) }, ["tag v1.3.0 exists already"]],
])("%s", (_, changes, more, expected) => {
  expect(messages(changes, more)).toEqual(expected);
});

test("a lower version is a problem, even the candidate of the current release", () => {
  for (const to of ["1.1.9", "1.2.0-rc.1"]) {
    const changes = honest({
      manifest: change("package.json", MANIFEST, raised(MANIFEST, to)),
      lock: change("package-lock.json", LOCK, raised(LOCK, to)),
      log: change("CHANGELOG.md", LOG, logged(to)),
    });
    expect(messages(changes)).toEqual([`${to} is not greater than 1.2.0`]);
  }
});

test("a first changelog and an entry that a person wrote before are accepted", () => {
  const first = honest({ log: change("CHANGELOG.md", undefined, "## 1.3.0\n\n- All of it.\n") });
  expect(judge(first, { changelog: undefined, changelogText: undefined })).toMatchObject({
    problems: [],
    strange: [],
    notes: "- All of it.",
  });
  expect(judge(honest({ log: undefined }), { changelogText: logged() })).toMatchObject({
    problems: [],
    notes: "- The second.",
  });
});

test("without a version in files, the changelog's new entry or the request gives it", () => {
  const bare = { places: [], from: "1.2.0" };
  expect(judge([HONEST.log], bare)).toMatchObject({ version: "1.3.0", problems: [] });
  expect(judge([HONEST.log], { ...bare, wanted: "minor" })).toMatchObject({ version: "1.3.0", problems: [] });
  expect(messages([HONEST.log], { ...bare, wanted: "2.0.0" })).toEqual([
    "CHANGELOG.md has no new entry for 2.0.0",
  ]);
  expect(messages([], bare)).toEqual(["no new entry in the changelog says which version it is"]);
});

test.each<[string, ReleasedFile]>([
  ["code", change("main.js", "a\n", "b\n")],
  ["a new file", change("new.txt", undefined, "x\n")],
  ["a file that is gone", change("main.js", "a\n", undefined, false)],
  ["a manifest made a program", change("package.json", MANIFEST, raised(MANIFEST), false)],
  [
    "a dependency raised with it",
    change("package.json", MANIFEST, raised(MANIFEST).replace('"q": "1.2.0"', '"q": "6.6.6"')),
  ],
  [
    "a script beside it",
    change(
      "package.json",
      MANIFEST,
      raised(MANIFEST).replace("{\n", '{\n  "scripts": { "postinstall": "steal" },\n'),
    ),
  ],
  ["a date in code", change("main.js", 'const a = "2024-01-01";\n', 'const a = "2025-01-01";\n')],
  ["a longer version that begins alike", change("doc.md", "q 1.2.0.1\n", "q 1.3.0.1\n")],
])("%s is not part of a release", (_, strange) => {
  const rest = honest().filter(({ path }) => path !== strange.path);
  expect(judge([...rest, strange]).strange).toEqual([strange.path]);
});

test.each<[string, ReleasedFile]>([
  ["a mention in a document", change("README.md", "npm i p@1.2.0 # v1.2.0\n", "npm i p@1.3.0 # v1.3.0\n")],
  [
    "its date",
    change(
      "CITATION.cff",
      "version: 1.2.0\ndate-released: 2024-01-01\n",
      "version: 1.3.0\ndate-released: 2025-01-01\n",
    ),
  ],
  [
    "a lock file that was behind",
    change("sub/package-lock.json", '{ "version": "1.1.0" }\n', '{ "version": "1.3.0" }\n'),
  ],
])("%s is part of a release", (_, expected) => {
  expect(judge([...honest(), expected]).strange).toEqual([]);
});

test.each([
  ["minor", "1.2.3", "1.3.0"],
  ["v2.0.0", "1.2.3", "2.0.0"],
  ["minor", undefined, undefined],
  [undefined, "1.2.3", undefined],
])("%s of %s is %s", (wanted, from, expected) => {
  expect(resolveWantedVersion(wanted, from)).toBe(expected);
});
