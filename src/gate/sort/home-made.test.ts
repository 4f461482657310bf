import { expect, test } from "vitest";
import { homeMade } from "../testing/sorted.js";

const SRC = { "src/add.js": "export const add = 1;", "src/probes/add.js": "export default 1;" };

test.each([
  ["lists a folder", "run.mjs", "for (const one of readdirSync('src/probes')) await import(one);"],
  ["loads by a name made at run time", "run.mjs", 'const at = "./src/probes/"; await import(at + "add.js");'],
  ["is of another language", "run.py", 'import os\nfor one in os.listdir("src/probes"): pass'],
])("a check script that %s is named with the folder whose files count as source", (_what, script, text) => {
  const program = script.endsWith(".py") ? "python" : "node";
  expect(homeMade({ commands: [`${program} ${script}`] }, { ...SRC, [script]: text })).toEqual([
    { script, folders: ["src/probes"] },
  ]);
});

test("a script that names its files, whose tests are checks anyway, or that no check runs is not named", () => {
  const named = { ...SRC, "run.mjs": 'await import("./src/probes/add.js");' };
  expect(homeMade({ commands: ["node run.mjs"] }, named)).toEqual([]);
  const listing = 'readdirSync("test").forEach((one) => import(one));';
  const inTests = { "src/add.js": "", "test/add.js": "", "run.mjs": listing };
  expect(homeMade({ commands: ["node run.mjs"] }, inTests)).toEqual([]);
  expect(homeMade({ commands: ["node --test"] }, { ...SRC, "run.mjs": 'readdirSync("src/probes")' })).toEqual(
    [],
  );
  const covered = { ...SRC, "run.mjs": 'readdirSync("src/probes")' };
  expect(homeMade({ commands: ["node run.mjs"], patterns: ["src/probes/**"] }, covered)).toEqual([]);
});
