// Where the checks run under `verify.cold`: in rooms if they can, otherwise in the project, and the run says which.
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

const ADD = "export const add = (a, b) => a + b;\n";
const TEST = `import { test } from "node:test";
import { equal } from "left-pad-of-ours";
import { add } from "../src/add.mjs";
test("adds", () => equal(add(1, 2), 3));
`;
const EQUAL = `export function equal(a, b) {
  if (a !== b) throw new Error("not equal");
}
`;

/** A project whose test needs a dependency that git ignores; `setup`: what installs it. */
async function project(rig: Rig, verify: object): Promise<(...files: Record<string, string>[]) => void> {
  const puppet = await rig.agent(
    {},
    { verify: { commands: ["node --test"], ...verify }, loop: { max_attempts: 1 } },
  );
  rig.write("package.json", '{ "type": "module", "dependencies": { "left-pad-of-ours": "1.0.0" } }\n');
  rig.write("package-lock.json", '{ "lockfileVersion": 3, "packages": {} }\n');
  rig.write("src/add.mjs", ADD);
  rig.write("test/add.test.mjs", TEST);
  rig.write(".gitignore", "node_modules\nlooper-logs\n");
  rig.write("node_modules/left-pad-of-ours/package.json", '{ "main": "index.mjs" }\n');
  rig.write("node_modules/left-pad-of-ours/index.mjs", EQUAL);
  rig.writeBacklog([{ id: "T1" }]);
  rig.gitInit();
  return (...files) => {
    puppet.play(async (turn) => {
      for (const [name, text] of Object.entries(files.shift() ?? {}))
        await turn.write(`${turn.hello.cwd}/${name}`, text);
      await turn.report();
    });
  };
}

const gates = (rig: Rig) => rig.events().filter(({ type }) => type === "gate_finished");
const run = (rig: Rig) => rig.run(["run", "--no-review", "--trust"]);
const MORE = { "src/add.mjs": `${ADD}export const sub = (a, b) => a - b;\n` };

test(
  "checks that need what a room lacks run in the project, and the run says so with the line that mends it; there a changed check is unverified, and what git ignores verifies nothing",
  story(async (rig) => {
    const play = await project(rig, {});
    rig.write(".gitignore", "node_modules\nlooper-logs\nout\n");
    play(MORE, { "test/add.test.mjs": `${TEST}// more\n` }, { "out/done": "" });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3", verify: ["test -f out/done"] }]);
    const { code, stderr } = await run(rig);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('"node --test" does not run in a cold room');
    expect(stderr).toContain('looper config set verify.setup "npm ci"');
    const types = rig.events().map(({ type }) => type);
    expect(types.indexOf("warning")).toBeLessThan(types.indexOf("agent_started"));
    expect(gates(rig)).toMatchObject([
      { verdict: "unbroken", cold: false },
      { verdict: "unverified", cold: false, because: "influence", needs: [{ path: "test/add.test.mjs" }] },
      { verdict: "unbroken", cold: false, because: "nothing-changed", proof: { fail_to_pass: [] } },
    ]);
    expect((await rig.run(["ls"])).stdout).toContain("test/add.test.mjs");
  }),
);

exhaustively(
  "with a setup that installs it the checks run in rooms, and work with a changed test is verified",
  story(async (rig) => {
    const folder = `${rig.project}/node_modules`;
    const play = await project(rig, { setup: [`cp -r ${folder} node_modules`] });
    const both = TEST.replace("{ add }", "{ add, sub }");
    play({ ...MORE, "test/add.test.mjs": `${both}test("subs", () => equal(sub(3, 1), 2));\n` });
    expect((await run(rig)).code).toBe(0);
    expect(gates(rig)).toMatchObject([
      { verdict: "passed", cold: true, rooms: 3, changed_checks: ["test/add.test.mjs"] },
    ]);
    expect(gates(rig)[0]).toMatchObject({
      proof: { fail_to_pass: [], new_tests: [{ name: "test/add.test.mjs > subs" }] },
    });
  }),
);

test(
  "verify.cold true refuses a run whose checks do not run in a room, and nothing is claimed",
  story(async (rig) => {
    const play = await project(rig, { cold: true });
    play(MORE);
    const { code, stderr } = await run(rig);
    expect(code).toBe(3);
    expect(stderr).toContain("does not run in a cold room");
    expect(rig.events().some(({ type }) => type === "agent_started")).toBe(false);
    expect(rig.statuses()).toEqual({ T1: "todo" });
  }),
);

exhaustively(
  "verify.cold false runs the checks in the project",
  story(async (rig) => {
    const play = await project(rig, { cold: false });
    play(MORE);
    const { code, stderr } = await run(rig);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain("cold room");
    expect(gates(rig)).toMatchObject([{ verdict: "unbroken", cold: false }]);
  }),
);

/** A manifest, with what stays between its parts. */
const manifest = (names: readonly string[], script: string): string =>
  `${JSON.stringify(
    {
      type: "module",
      dependencies: Object.fromEntries(names.map((name) => [`${name}-of-ours`, "1.0.0"])),
      license: "MIT",
      author: "Ada",
      scripts: { start: "node src/add.mjs", lint: "true", test: script },
    },
    undefined,
    2,
  )}\n`;

/** Makes each dependency of the manifest. */
const INSTALL = `import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
for (const name of Object.keys(JSON.parse(readFileSync("package.json", "utf8")).dependencies)) {
  mkdirSync("node_modules/" + name, { recursive: true });
  writeFileSync("node_modules/" + name + "/package.json", JSON.stringify({ main: "index.mjs" }));
  writeFileSync("node_modules/" + name + "/index.mjs", ${JSON.stringify(EQUAL)});
}
`;
const BENT = "export const add = (a, b) => a - b;\n";
const USING = 'import { equal } from "one-of-ours";\nexport const one = () => equal(1, 1);\n';
const USED = `import { test } from "node:test";
import { one } from "../src/one.mjs";
test("uses one", one);
`;

test(
  "a task that needs its new dependency is not accused of what an earlier one changed in the manifest, and pays nothing with it",
  story(async (rig) => {
    const play = await project(rig, { commands: ["npm test -s"], setup: ["node install.mjs"] });
    const script = "node --test test/";
    rig.write("package.json", manifest(["left-pad"], script));
    rig.write("install.mjs", INSTALL);
    rig.gitInit();
    play(
      { "package.json": manifest(["left-pad"], `${script} || true`) },
      {
        "package.json": manifest(["left-pad", "one"], `${script} || true`),
        "src/one.mjs": USING,
        "test/one.test.mjs": USED,
      },
      {
        "package.json": manifest(["left-pad", "one", "two"], `${script} || true`),
        "src/add.mjs": BENT,
      },
    );
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }]);
    const { code, stderr } = await run(rig);
    expect(code, stderr).toBe(0);
    expect(gates(rig)).toMatchObject([
      { verdict: "unbroken", changed_checks: ["package.json"] },
      { verdict: "passed", cold: true, proof: { new_tests: [{ name: "test/one.test.mjs > uses one" }] } },
      { verdict: "unverified", because: "influence", on: ["T1", "T2"] },
    ]);
  }),
);
