import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { test, type ProjectTree, type Verify } from "../../testing/cold-scratch.js";

// Each run of the setup adds a line outside the room.
const SETUP =
  'echo ran >>"$HOME/ran"; mkdir -p node_modules/.bin && cp package-lock.json node_modules/made && ln -s ../made node_modules/.bin/link && chmod +x node_modules/made';
const PROJECT: ProjectTree = {
  ".gitignore": "node_modules/\n",
  "package-lock.json": "1\n",
  "a.txt": "one\n",
  "check.sh":
    "grep -q two a.txt && cmp node_modules/.bin/link package-lock.json && test -x node_modules/made\nstatus=$?\necho poison >node_modules/made\nexit $status\n",
};
const VERIFY: Verify = {
  commands: ["sh check.sh"],
  strict: true,
  setup: [SETUP],
  measured: true,
  protected: ["!a.txt"],
};

const timesRun = (home: string): number => readFileSync(join(home, "ran"), "utf8").split("\n").length - 1;
const keptIn = (home: string): string[] => {
  const cold = join(home, ".cache", "looper", "cold");
  return existsSync(cold) ? readdirSync(cold).flatMap((project) => readdirSync(join(cold, project))) : [];
};

test("the output of a setup is cached by its lock files, and a room cannot change the next one's copy", async ({
  cold,
}) => {
  const home = dirname(cold.scratch.top);
  expect((await cold.judge(PROJECT, { "a.txt": "two\n" }, VERIFY)).report).toMatchObject({
    verdict: "passed",
    evidence: "",
  });
  expect(timesRun(home)).toBe(1);
  expect(keptIn(home)).toHaveLength(1);
  expect((await cold.judge({ "a.txt": "one\n" }, { "a.txt": "two!\n" }, VERIFY)).report.verdict).toBe(
    "passed",
  );
  expect(timesRun(home)).toBe(1);
});

test("an attempt with other lock files has its own setup, which is cached only for a base", async ({
  cold,
}) => {
  const home = dirname(cold.scratch.top);
  const attempt = { "a.txt": "two\n", "package-lock.json": "2\n" };
  expect((await cold.judge(PROJECT, attempt, VERIFY)).report.verdict).toBe("passed");
  expect(timesRun(home)).toBe(2);
  expect(keptIn(home)).toHaveLength(1);
  await cold.judge(attempt, { "a.txt": "two!\n" }, VERIFY);
  expect(timesRun(home)).toBe(3);
  // One setup is cached: that of the last base.
  expect(keptIn(home)).toHaveLength(1);
});

test("a setup is cached by manifests alone, and one that builds from source is not", async ({ cold }) => {
  const home = dirname(cold.scratch.top);
  const project = {
    ".gitignore": "node_modules/\ndist/\npackage-lock.json\n",
    "package.json": "{}\n",
    "a.txt": "one\n",
    "check.sh": "grep -q two dist/a.txt || { test ! -d dist && grep -q two a.txt; }\n",
  };
  const packages =
    'echo ran >>"$HOME/ran"; mkdir node_modules; echo 1 >node_modules/a; echo {} >package-lock.json';
  const verify = { ...VERIFY, setup: [packages] };
  expect((await cold.judge(project, { "a.txt": "two\n" }, verify)).report.verdict).toBe("passed");
  expect(timesRun(home)).toBe(1);
  expect(keptIn(home)).toHaveLength(1);
  const building = { ...verify, newRun: true, setup: [packages, "mkdir dist; cp a.txt dist/"] };
  expect((await cold.judge(project, { "a.txt": "two\n" }, building)).report.verdict).toBe("passed");
  expect(timesRun(home)).toBe(3);
});

test("a setup without lock files is not cached", async ({ cold }) => {
  const home = dirname(cold.scratch.top);
  const project = { "a.txt": "one\n", "check.sh": "grep -q two a.txt\n" };
  const verify = { ...VERIFY, setup: ['echo ran >>"$HOME/ran"; mkdir made'] };
  expect((await cold.judge(project, { "a.txt": "two\n" }, verify)).report.verdict).toBe("passed");
  expect(timesRun(home)).toBe(2);
  expect(keptIn(home)).toEqual([]);
});

test("a failing setup fails the attempt with its output", async ({ cold }) => {
  const verify = { ...VERIFY, setup: ["test -f broken && echo oh no && exit 7; true", "echo second"] };
  const { report } = await cold.judge(PROJECT, { broken: "" }, verify);
  expect(report).toMatchObject({
    verdict: "failed",
    cold: true,
    commands: [{ end: "exited", exit_code: 7 }],
  });
  expect(report.evidence).toMatch(
    /^the setup of the cold room failed: test -f broken[^]*exited with 7\n\noh no\n$/,
  );
});

test("a setup that was changed, or cached by another run, runs again", async ({ cold }) => {
  const home = dirname(cold.scratch.top);
  await cold.judge(PROJECT, { "a.txt": "two\n" }, VERIFY);
  const [key = ""] = keptIn(home);
  const [project = ""] = readdirSync(join(home, ".cache", "looper", "cold"));
  const made = join(home, ".cache", "looper", "cold", project, key, "node_modules", "made");
  const { mtime } = statSync(made);
  writeFileSync(made, "2\n");
  utimesSync(made, mtime, mtime);
  expect((await cold.judge({ "a.txt": "one\n" }, { "a.txt": "two!\n" }, VERIFY)).report.verdict).toBe(
    "passed",
  );
  expect(timesRun(home)).toBe(2);
  await cold.judge({ "a.txt": "one\n" }, { "a.txt": "two?\n" }, VERIFY);
  expect(timesRun(home)).toBe(2);
  await cold.judge({ "a.txt": "one\n" }, { "a.txt": "two.\n" }, { ...VERIFY, newRun: true });
  expect(timesRun(home)).toBe(3);
});
