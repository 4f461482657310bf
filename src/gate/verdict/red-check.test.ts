// Outputs of real programs whose script or target does not exist, and of checks that ran and failed.
import { expect, test } from "vitest";
import { describeRedCheck } from "./red-check.js";
import type { CommandEnd, Ran } from "../verdict.js";

const red = (code: number, tail: string, more: Partial<Ran> = {}): ReturnType<typeof describeRedCheck> => {
  const end: CommandEnd = { how: "exited", code };
  return describeRedCheck({ command: "check", own: false, end, duration_ms: 1, tail, ...more });
};

const NPM = `npm error Missing script: "tset"
npm error
npm error Did you mean this?
npm error   npm run test # run the "test" package script
npm error
npm error To see a list of scripts, run:
npm error   npm run
npm error A complete log of this run can be found in: /root/.npm/_logs/2026-01-01T00_00_00_000Z-debug-0.log
`;
const NODE = `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '/project/missing.mjs'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at node:internal/main/run_main_module:36:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v22.11.0
`;

test.each([
  ["a shell", 127, "sh: 1: nosuch: not found\n", "sh: 1: nosuch: not found"],
  ["a file without permission", 126, "sh: 1: ./a: Permission denied\n", "sh: 1: ./a: Permission denied"],
  ["a shell without output", 127, "", ""],
  ["npm run", 1, NPM, 'npm error Missing script: "tset"'],
  ["npm 8", 1, 'npm ERR! Missing script: "x"\nnpm ERR! \n', 'npm ERR! Missing script: "x"'],
  [
    "npm, with a word that is not a command",
    1,
    'Unknown command: "tset"\n\nTo see a list of supported npm commands, run:\n  npm help\n',
    'Unknown command: "tset"',
  ],
  [
    "npm in a folder without a manifest",
    254,
    "npm error code ENOENT\nnpm error enoent Could not read package.json: Error: ENOENT\nnpm error enoent\n",
    "npm error enoent Could not read package.json: Error: ENOENT",
  ],
  [
    "yarn 1",
    1,
    'yarn run v1.22.22\nerror Command "tset" not found.\ninfo Visit https://yarnpkg.com/ for documentation about this command.\n',
    'error Command "tset" not found.',
  ],
  [
    "yarn 4",
    1,
    'Usage Error: Couldn\'t find a script named "tset".\n\n$ yarn run ...\n',
    'Usage Error: Couldn\'t find a script named "tset".',
  ],
  ["pnpm", 1, " ERR_PNPM_NO_SCRIPT  Missing script: tset\n", "ERR_PNPM_NO_SCRIPT  Missing script: tset"],
  ["bun", 1, 'error: Script not found "tset"\n', 'error: Script not found "tset"'],
  ["node", 1, NODE, "Error: Cannot find module '/project/missing.mjs'"],
  [
    "python",
    2,
    "python3: can't open file '/project/missing.py': [Errno 2] No such file or directory\n",
    "python3: can't open file '/project/missing.py': [Errno 2] No such file or directory",
  ],
  [
    "a module of python",
    1,
    "/usr/bin/python3: No module named pytest\n",
    "/usr/bin/python3: No module named pytest",
  ],
  ["dash", 2, "sh: 0: cannot open missing.sh: No such file\n", "sh: 0: cannot open missing.sh: No such file"],
  [
    "make",
    2,
    "make: *** No rule to make target 'x'.  Stop.\n",
    "make: *** No rule to make target 'x'.  Stop.",
  ],
  [
    "make without a Makefile",
    2,
    "make: *** No targets specified and no makefile found.  Stop.\n",
    "make: *** No targets specified and no makefile found.  Stop.",
  ],
  [
    "what a rule of make runs",
    2,
    "make: nosuch: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n",
    "make: *** [Makefile:2: test] Error 127",
  ],
  [
    "cargo",
    101,
    "error: no such command: `tset`\n\nhelp: a command with a similar name exists: `test`\n",
    "error: no such command: `tset`",
  ],
  [
    "go",
    1,
    "go: go.mod file not found in current directory or any parent directory; see 'go help modules'\n",
    "go: go.mod file not found in current directory or any parent directory; see 'go help modules'",
  ],
  [
    "a shell whose line has another command",
    1,
    "/bin/sh: 1: nosuch: not found\n",
    "/bin/sh: 1: nosuch: not found",
  ],
  [
    "bash whose line has another command",
    1,
    "bash: line 1: nosuch: command not found\n",
    "bash: line 1: nosuch: command not found",
  ],
  ["dash in a missing folder", 2, "/bin/sh: 1: cd: can't cd to web\n", "/bin/sh: 1: cd: can't cd to web"],
  [
    "bash in a missing folder",
    1,
    "sh: line 1: cd: web: No such file or directory\n",
    "sh: line 1: cd: web: No such file or directory",
  ],
  [
    "dash, of a line that is not whole",
    2,
    "/bin/sh: 1: Syntax error: end of file unexpected\n",
    "/bin/sh: 1: Syntax error: end of file unexpected",
  ],
  [
    "bash, of a line that is not whole",
    2,
    "bash: -c: line 1: unexpected EOF while looking for matching `\"'\n",
    "bash: -c: line 1: unexpected EOF while looking for matching `\"'",
  ],
  [
    "dash, of an option of bash",
    2,
    "/bin/sh: 1: set: Illegal option -o pipefail\n",
    "/bin/sh: 1: set: Illegal option -o pipefail",
  ],
  [
    "dash, of a sourced file",
    2,
    "/bin/sh: 1: .: cannot open ./env: No such file\n",
    "/bin/sh: 1: .: cannot open ./env: No such file",
  ],
  [
    "make in a missing folder",
    2,
    "make: *** web: No such file or directory.  Stop.\n",
    "make: *** web: No such file or directory.  Stop.",
  ],
  [
    "pytest",
    4,
    "\nERROR: file or directory not found: test_x.py\n\n",
    "ERROR: file or directory not found: test_x.py",
  ],
])("a check that cannot run is recognised by the output of %s", (_, code, tail, line) => {
  expect(red(code, tail)).toEqual({ how: `exit code ${String(code)}`, line, cannot_run: true });
});

test.each([
  ["a test fails", 1, "not ok 1 - adds\n1 failed\n", "1 failed"],
  ["nothing is printed", 1, "", ""],
  [
    "a test prints the words",
    1,
    "  says: npm error Missing script: x\nexpected 1, got 2\n",
    "expected 1, got 2",
  ],
  [
    "a test needs a module that is yet to be written",
    1,
    NODE.replace("[]", "[ '/project/a.test.js' ]"),
    "Node.js v22.11.0",
  ],
  [
    "another command follows the shell's message",
    1,
    "/bin/sh: 1: eslint: not found\n/bin/sh: 1: cd: can't cd to web\n2 problems\n",
    "2 problems",
  ],
  [
    "a script of the project misses a program",
    1,
    "check.sh: 3: nosuch: not found\n",
    "check.sh: 3: nosuch: not found",
  ],
  [
    "only npm's last words follow",
    1,
    "2 failed\nnpm error A complete log of this run can be found in: x\n",
    "2 failed",
  ],
])("a failing check could run: %s", (_, code, tail, line) => {
  expect(red(code, tail)).toEqual({ how: `exit code ${String(code)}`, line, cannot_run: false });
});

test("a check that reports tests could run, even if its output looks otherwise", () => {
  expect(red(1, NPM, { tests: { adds: "failed" } })?.cannot_run).toBe(false);
});

test("a failing check may be killed, time out, or not start at all", () => {
  const ends = (end: CommandEnd) => red(1, "at work\n", { end });
  expect(ends({ how: "killed", signal: "SIGSEGV" })).toEqual({
    how: "ended by SIGSEGV",
    line: "at work",
    cannot_run: false,
  });
  expect(ends({ how: "timed-out" })).toEqual({ how: "timed out", line: "at work", cannot_run: false });
  expect(ends({ how: "not-found", message: "no such folder" })).toMatchObject({
    line: "no such folder",
    cannot_run: true,
  });
});

test("a check with failing tests has failed even if it exits with 0", () => {
  expect(red(0, NPM)).toBeUndefined();
  expect(red(0, "", { tests: { adds: "passed" } })).toBeUndefined();
  const tests = { adds: "failed", divides: "passed", a: "failed", b: "failed", c: "failed" } as const;
  expect(red(0, "1 failed\n", { tests: { adds: "failed" } })).toMatchObject({
    how: "exit code 0",
    line: "1 test fails: adds",
  });
  expect(red(1, "", { tests })?.line).toBe("4 tests fail: adds, a, b and 1 more");
});
