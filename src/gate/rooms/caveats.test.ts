// Caveats of a verdict, from studies made by hand.
import { expect, test } from "vitest";
import { toBytes } from "../../git/base/bytes.js";
import { NOTHING, type DiffEntry, type Version } from "../../git/base/diff.js";
import { changedChecks, changedJudges, listDoubts, addDoubts } from "./caveats.js";
import type { Study } from "./cold-study.js";
import { protect } from "../influence/protected.js";
import { findNamedFiles } from "../influence/protected-commands.js";
import type { GateReport } from "../verdict.js";

/** By path: the text before and now; `null` if the file does not exist. */
type Changes = Record<string, readonly [before: string | null, now: string | null]>;

function studyOf(changes: Changes, { own = [], modes = {} }: { own?: string[]; modes?: object } = {}): Study {
  const blobs = new Map<string, string>();
  const version = (text: string | null, path: string): Version => {
    if (text === null) return NOTHING;
    blobs.set(`oid of ${text}`, toBytes(text));
    const mode = Object.entries(modes).find(([name]) => name === path)?.[1] as string | undefined;
    return { mode: mode ?? "100644", oid: `oid of ${text}` };
  };
  const entries = Object.entries(changes).map(([path, [before, now]]): DiffEntry => ({
    path: toBytes(path),
    from: before === null ? NOTHING : { ...version(before, path), mode: "100644" },
    to: version(now, path),
  }));
  const base = {
    has: (path: string) => typeof changes[path]?.[0] === "string",
    text: (path: string) => changes[path]?.[0] ?? undefined,
  };
  const named = findNamedFiles({ project: [], own }, "", base);
  return {
    base: "base",
    persons: [],
    baseFiles: new Map(),
    changes: entries,
    protection: protect({ patterns: [], project: "", work: "", named }),
    named,
    tampered: [],
    blobs,
  };
}

const NONE = studyOf({});
const passed: GateReport = { verdict: "passed", cold: true, commands: [], tampered: [], evidence: "" };

const manifest = (scripts: object, more: object = {}): string =>
  JSON.stringify({ name: "it", scripts, ...more });

test.each<[string, Changes, string[]]>([
  [
    "the work and its tests",
    { "src/a.js": ["a", "b"], "test/a.test.js": ["a", "b"], "test/b.js": [null, "b"] },
    [],
  ],
  ["settings changed", { "jest.config.js": ["a", "b"] }, ["jest.config.js"]],
  [
    "settings added",
    { ".npmrc": [null, "b"], "vitest.config.ts": [null, "b"] },
    [".npmrc", "vitest.config.ts"],
  ],
  ["settings removed", { ".github/workflows/ci.yml": ["a", null] }, [".github/workflows/ci.yml"]],
  ["a file that hides a real one", { "unittest.py": [null, "b"] }, ["unittest.py"]],
  [
    "a package.json of the work",
    { "package.json": [manifest({ test: "x" }), manifest({ test: "x", go: "y" })] },
    [],
  ],
  [
    "a check in package.json",
    { "package.json": [manifest({ test: "x" }), manifest({ test: "y" })] },
    ["package.json"],
  ],
  [
    "new settings in package.json",
    { "a/package.json": [manifest({}), manifest({}, { jest: { bail: true } })] },
    ["a/package.json"],
  ],
  ["a new package.json", { "b/package.json": [null, manifest({ test: "y" }, { jest: {} })] }, []],
  ["a removed package.json", { "package.json": [manifest({}), null] }, ["package.json"]],
])("a changed file that checks the work is found: %s", (_what, changes, paths) => {
  expect(changedChecks(studyOf(changes))).toEqual(paths);
});

test("a manifest that became a link, or is too big, counts as changed", () => {
  const changes: Changes = { "package.json": [manifest({}), manifest({ go: "x" })] };
  expect(changedChecks(studyOf(changes))).toEqual([]);
  expect(changedChecks(studyOf(changes, { modes: { "package.json": "120000" } }))).toEqual(["package.json"]);
  expect(changedChecks({ ...studyOf(changes), blobs: new Map() })).toEqual(["package.json"]);
});

test("rules of make may be added but not changed", () => {
  const rules = (now: string): Study =>
    studyOf({ Makefile: ["check:\n\ttrue\n", now] }, { own: ["make check"] });
  expect(changedChecks(rules("check:\n\ttrue\n\ngo:\n\techo\n"))).toEqual([]);
  expect(changedChecks(rules("check:\n\techo\n"))).toEqual(["Makefile"]);
});

test("changed files of the work that a task's own command runs are found", () => {
  const changes: Changes = {
    "src/main.mjs": ["a", "b"],
    "src/new.mjs": [null, "b"],
    "check.mjs": ["a", "b"],
    "src/other.mjs": ["a", "b"],
  };
  const own = ["node src/main.mjs --version", "node src/new.mjs", "node check.mjs"];
  expect(changedJudges(studyOf(changes, { own }))).toEqual(["src/main.mjs"]);
});

test("doubts are missing tests and files changed by the checks, five of them by name", () => {
  expect(listDoubts(false, [])).toEqual([]);
  expect(listDoubts(true, [])).toEqual([expect.stringMatching(/^it fails with the old tests alone/)]);
  expect(listDoubts(false, ["a", "b"])).toEqual([
    "the checked files differ from the commit: a, b changed while the checks ran",
  ]);
  expect(listDoubts(true, ["1", "2", "3", "4", "5"])[1]).toMatch(/: 1, 2, 3, 4, 5 changed/);
  expect(listDoubts(true, ["1", "2", "3", "4", "5", "6", "7"])[1]).toMatch(
    /: 1, 2, 3, 4, 5 and 2 more changed/,
  );
});

const SETTINGS = studyOf({ ".npmrc": ["a", "b"] });
const JUDGE = studyOf({ "src/main.mjs": ["a", "b"] }, { own: ["node src/main.mjs"] });

test("a pass without doubts keeps its report", () => {
  expect(addDoubts(passed, { study: NONE, attempt: NONE, doubts: [] })).toEqual({
    report: passed,
    warnings: [],
  });
});

test("a pass that changes files which check it has a warning", () => {
  const { report, warnings } = addDoubts(passed, { study: SETTINGS, attempt: SETTINGS, doubts: [] });
  expect(report).toBe(passed);
  expect(warnings).toEqual([
    "it changes files that decide its checks: .npmrc; this run's checks use the old version, and the next run's the new one: review it first",
  ]);
});

test("a pass with a doubt, or by a file that it changed itself, is unverified", () => {
  const doubtful = addDoubts(passed, { study: NONE, attempt: NONE, doubts: ["it is odd"] });
  expect(doubtful).toEqual({
    report: { ...passed, verdict: "unverified" },
    warnings: ["not verified, since it is odd"],
  });
  const own = addDoubts(passed, { study: JUDGE, attempt: JUDGE, doubts: [] });
  expect(own.report.verdict).toBe("unverified");
  expect(own.warnings).toEqual([
    "not verified, since it changes files that one of the task's own commands runs and trusts: src/main.mjs; add them to verify.protected",
  ]);
  const unverified: GateReport = { ...passed, verdict: "unverified" };
  expect(addDoubts(unverified, { study: NONE, attempt: JUDGE, doubts: [] }).warnings).toHaveLength(1);
});

test("a failure names the files held since the run began, without further warnings", () => {
  const failed: GateReport = { ...passed, verdict: "failed", evidence: "The gate: failed.\n\nDetails." };
  const { report, warnings } = addDoubts(failed, { study: SETTINGS, attempt: SETTINGS, doubts: ["odd"] });
  expect(warnings).toEqual([]);
  expect(report).toEqual({
    ...failed,
    evidence:
      "The gate: failed.\n\nKept as before the run, because they decide its checks (exclude others with verify.protected): .npmrc\n\nDetails.",
  });
  expect(addDoubts(failed, { study: NONE, attempt: SETTINGS, doubts: ["odd"] })).toEqual({
    report: failed,
    warnings: [],
  });
  const tampered: GateReport = { ...failed, verdict: "tampered" };
  expect(addDoubts(tampered, { study: SETTINGS, attempt: SETTINGS, doubts: [] })).toEqual({
    report: tampered,
    warnings: [],
  });
});
