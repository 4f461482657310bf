import { expect, test } from "vitest";
import { homeMade, referenceOf } from "../testing/sorted.js";
import { listHomeMade } from "./home-made.js";

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

/** As if one check command ran one script. */
const loadedOnly = (script: string): Map<string, { by: "command"; who: string }> =>
  new Map([[script, { by: "command", who: "a check command" }]]);

test.each([
  ["readdir", "tools/run.mjs", "await readdir('../src/probes')"],
  ["readdirSync, from the top", "tools/run.mjs", "readdirSync('src/probes')"],
  ["opendir", "tools/run.mjs", "await opendir('../src/probes')"],
  ["opendirSync", "tools/run.mjs", "opendirSync('../src/probes')"],
  ["glob", "tools/run.py", "glob('src/probes')"],
  ["globSync", "tools/run.mjs", "globSync('*.js', { cwd: 'src/probes' })"],
  ["rglob", "tools/run.py", "Path('src/probes').rglob('*.js')"],
  ["scandir", "tools/run.py", "os.scandir('src/probes')"],
  ["iterdir", "tools/run.py", "Path('src/probes').iterdir()"],
  ["os.walk", "tools/run.py", "os.walk('src/probes')"],
  ["Dir.children", "tools/run.rb", "Dir.children('src/probes')"],
  ["require of a name", "tools/run.cjs", 'require(name) // "../src/probes"'],
  ["import_module", "tools/run.py", "import_module(name, 'src/probes')"],
  ["a file as well", "tools/run.mjs", "readdirSync('src/probes'); log('src/probes/add.js')"],
])("a check script that looks into a folder is named: %s", (_, script, text) => {
  const project = referenceOf({ ...SRC, [script]: text });
  expect(listHomeMade({ files: loadedOnly(script) }, project, () => true)).toEqual([
    { script, folders: ["src/probes"] },
  ]);
});

test.each([
  ["it loads one file by its name", "run.mjs", `import("./src/probes/add.js"); log('src/probes')`],
  ["it loads one file after a space", "run.mjs", `import( "./src/probes/add.js"); log('src/probes')`],
  ["it only names a folder", "run.mjs", "build('src/probes')"],
  ["it lists the top", "run.mjs", "readdirSync('.')"],
  ["it lists a folder of data", "run.mjs", "readdirSync('data')"],
  ["it lists a folder of no other file of code", "run/all.mjs", "readdirSync('run')"],
  ["it lists a folder that is not there", "run.mjs", "readdirSync('probes')"],
  ["it is a text", "run.txt", "readdirSync('src/probes')"],
])("a check script is not named: %s", (_, script, text) => {
  const project = referenceOf({ ...SRC, "data/a.json": "", [script]: text });
  expect(listHomeMade({ files: loadedOnly(script) }, project, () => true)).toEqual([]);
});

test("a check script that is not there is not named", () => {
  expect(listHomeMade({ files: loadedOnly("run.mjs") }, referenceOf(SRC), () => true)).toEqual([]);
});
