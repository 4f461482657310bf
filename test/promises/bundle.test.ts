// By esbuild's metafile: the program is made of files that are counted, and of packages; a start reads few of them.
import { execFileSync } from "node:child_process";
import type { Metafile } from "esbuild";
import { expect, test } from "vitest";
import { listFiles } from "../../scripts/weight.mjs";
import { ROOT } from "../rig/documents.js";

// In a process of its own: other tests of this one end its children, and esbuild's service is one.
const BUNDLE = `import { bundle, ENTRIES } from "./scripts/bundle.mjs";
const { metafile } = await bundle({ entryPoints: ENTRIES, outdir: "dist" });
console.log(JSON.stringify(metafile));`;
const told = execFileSync(process.execPath, ["--input-type=module", "--eval", BUNDLE], {
  cwd: ROOT,
  encoding: "utf8",
  maxBuffer: 2 ** 28,
});
const metafile = JSON.parse(told) as Metafile;
const inputs = new Map(Object.entries(metafile.inputs));

test("every bundled file is one of the repository that is counted, or of a package", () => {
  const counted = new Set(listFiles());
  const strange = [...inputs.keys()].filter(
    (name) => !counted.has(name) && !/(?:^|:)node_modules\//.test(name),
  );
  expect(strange).toEqual([]);
  expect([...inputs.keys()].filter((name) => name.startsWith("src/")).length).toBeGreaterThan(100);
});

test("TypeScript is not in the program", () => {
  expect([...inputs.keys()].filter((name) => name.startsWith("node_modules/typescript/"))).toEqual([]);
});

/** The files that a file imports without an `import()`, itself included. */
function readAtOnce(...entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set(entries);
  for (const file of reached)
    for (const { path, kind } of inputs.get(file)?.imports ?? [])
      if (kind === "import-statement" || kind === "require-call") reached.add(path);
  return reached;
}

/** Packages for few: the protocols of providers, editors and tools, web pages, the screen of a conversation, foreign schemas. */
const HEAVY =
  /^node_modules\/(?:@ai-sdk|ai|@modelcontextprotocol|@agentclientprotocol|turndown|@mozilla|linkedom|@mariozechner|@clack|pino|chokidar|ajv-formats|ws)\//;

test.each([
  [],
  ["cmd/commands/ls.ts"],
  ["cmd/commands/validate.ts"],
  ["cmd/commands/status.ts"],
  ["cmd/commands/config.ts"],
])("large packages for few are not read at the start of %s", (...command) => {
  const missing = command.filter((file) => !inputs.has(file));
  expect(missing).toEqual([]);
  const read = readAtOnce("cmd/looper.ts", "src/system/processes/node-ports.ts", ...command);
  expect(read.size).toBeGreaterThan(10);
  expect([...read].filter((file) => HEAVY.test(file))).toEqual([]);
});

test("--version and the help read no settings, schemas or task files", () => {
  const read = [...readAtOnce("cmd/looper.ts")];
  expect(read.filter((file) => /^node_modules\/(?:zod|yaml|cosmiconfig|ajv)\//.test(file))).toEqual([]);
});
