// The missing parts of checks that doctor finds. No check is started: each would leave a file behind.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DoctorAnswer } from "../../../src/ui/shapes/project.js";
import { contextIn, typeLine } from "../../testing/testing.js";

let root = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "verify-"));
  for (const name of ["bin", "home", "project/.looper", "project/sub", "project/node_modules/.bin"])
    mkdirSync(path.join(root, name), { recursive: true });
  for (const name of ["npm", "pnpm", "yarn", "bun", "make", "node", "npx", "python3"])
    program(`bin/${name}`, `touch ${root}/started`);
  program("bin/codex", "");
  program("project/check.sh", `touch ${root}/started`);
  program("project/node_modules/.bin/jest", "");
  const scripts = { test: "jest", lint: "nolinter .", "a:b": "npm test" };
  write("project/package.json", JSON.stringify({ scripts }));
  write("project/sub/package.json", JSON.stringify({ scripts: { build: "true" } }));
  write("project/Makefile", "test: check\n\tnpm test\ncheck:\n\ttrue\n");
  write("project/run.mjs", "");
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(name: string, content: string): void {
  writeFileSync(path.join(root, name), content);
}

function program(name: string, text: string): void {
  write(name, `#!/bin/sh\n${text}\n`);
  chmodSync(path.join(root, name), 0o755);
}

async function diagnose(commands: string[], { own = [] as string[], verify = {} } = {}) {
  write(
    "project/.looper/config.json",
    JSON.stringify({ schedule: { agent: "codex" }, verify: { commands, ...verify } }),
  );
  const task = { id: "T1", title: "do it", priority: 1, status: "todo", verify: own };
  write("project/to-do.json", JSON.stringify({ schema_version: 1, source_files: [], tasks: [task] }));
  const started = contextIn(root, { PATH: `${root}/bin:/usr/bin:/bin` });
  const end = await typeLine(started.context, "doctor", "--json");
  const { checks } = DoctorAnswer.parse(JSON.parse(started.out()));
  return { end, checks: checks.filter(({ name }) => name === "check") };
}

test.each([
  ["a program", "nosuchprogram --all", "nosuchprogram is not on PATH"],
  ["a program behind another", "true && nosuchprogram", "nosuchprogram is not on PATH"],
  ["a program in a pipe", "nosuchprogram | tee log", "nosuchprogram is not on PATH"],
  ["a program in a shell's code", "sh -c 'nosuchprogram'", "nosuchprogram is not on PATH"],
  ["a program behind a wrapper", "CI=1 env A=b timeout 9 nosuchprogram", "nosuchprogram is not on PATH"],
  ["a wrapper", "unbuffer node run.mjs", "unbuffer is not on PATH"],
  ["a program before exit", "nosuchprogram || exit 1", "nosuchprogram is not on PATH"],
  ["a program of the project", "./nosuch.sh", "there is no program at ./nosuch.sh"],
  ["a script of npm", "npm run nosuch", 'package.json has no script "nosuch"'],
  ["a command of npm", "npm tset", 'npm has no command "tset"'],
  ["a script of npm in a folder", "npm --prefix sub test", 'package.json has no script "test"'],
  ["a script of npm after cd", "cd sub && npm test -- --all", 'package.json has no script "test"'],
  ["a script of pnpm", "pnpm nosuch", 'package.json has no script "nosuch"'],
  ["a script of yarn", "yarn run nosuch", 'package.json has no script "nosuch"'],
  ["a script of bun", "bun run nosuch", 'package.json has no script "nosuch"'],
  ["a program of a script", "npm run -s lint", 'script "lint" of package.json: nolinter is not on PATH'],
  ["a package", "npx vitest run", "vitest is not installed in node_modules: npx would download it"],
  ["a target", "make -s nosuch", 'Makefile has no target "nosuch"'],
  ["a Makefile", "make -C sub test", "there is no Makefile"],
  ["a file for a shell", "sh nosuch.sh", "there is no file nosuch.sh"],
  ["a file for Node.js", "node nosuch.mjs --x", "there is no file nosuch.mjs"],
  ["a file for Python", "python3 nosuch.py", "there is no file nosuch.py"],
  ["a folder", "cd nosuch && npm test", "there is no folder nosuch"],
])("a check that cannot run is named with what is missing and a remedy: %s", async (_, command, missing) => {
  const { checks } = await diagnose([command]);
  expect(checks).toMatchObject([
    {
      message: `cannot run "${command}" (verify.commands): ${missing}`,
      remedy: expect.stringMatching(/, or correct verify\.commands$/) as string,
    },
  ]);
  expect(existsSync(path.join(root, "started"))).toBe(false);
});

test.each([
  ...[
    "npm test",
    "npm t",
    "npm tes",
    "npm run a:b",
    "pnpm test",
    "yarn jest --all",
    "npx jest",
    "npx -y jest@29",
    "bun test",
  ],
  ...[
    "make",
    "make test -j 4",
    "./check.sh",
    "sh check.sh",
    "node run",
    "node run.mjs",
    "node --test",
    "npm ci",
  ],
  ...[
    "npm run nosuch --if-present",
    "npm test -w sub",
    "which nosuch && nosuch",
    "nosuch || true",
    "f() { true; }; f",
  ],
  ...[
    "if [ -x nosuch ]; then nosuch; fi",
    "npm ci && ./made/by/it",
    "make test && node dist/x.js",
    "test ! -e x",
  ],
  ...[
    "$TOOL --all",
    "cd $DIR && npm run nosuch",
    "PATH=$PWD/tools:$PATH nosuch",
    ". ./env.sh",
    "python3 -m pytest",
  ],
])("a check that can run, or of which a run alone can tell, is not complained about: %s", async (command) => {
  write("project/env.sh", "");
  const { checks, end } = await diagnose([command]);
  expect(checks.map(({ status, message }) => `${status} ${message}`)).toEqual([
    "ok 1 check: the programs and scripts they name are there",
  ]);
  expect(end).toBe("ok");
  expect(existsSync(path.join(root, "started"))).toBe(false);
});

test("a file that a task may create is a warning, a missing program an error; in strict mode both are errors", async () => {
  const statuses = async (...args: Parameters<typeof diagnose>) => {
    const { end, checks } = await diagnose(...args);
    return [end, ...checks.map(({ status, message }) => `${status} ${message.replace(/^.*\(|\).*$/g, "")}`)];
  };
  expect(await statuses(["nosuch"])).toEqual(["no", "error verify.commands"]);
  expect(await statuses(["npm run nosuch"])).toEqual(["ok", "warning verify.commands"]);
  expect(await statuses(["npm run nosuch"], { verify: { strict: true } })).toEqual([
    "no",
    "error verify.commands",
  ]);
  expect(await statuses(["npm test"], { own: ["nosuch", "npm test"] })).toEqual([
    "ok",
    "warning verify of T1",
  ]);
  expect(await statuses([])).toEqual(["ok"]);
});
