// Builds the test program, which is never shipped: looper itself, with src/system/processes/node-ports.ts replaced by faulty-node.ts,
// and the files it needs. Into the named folder; without a name into build/torture/, and `make torture` beside it.
import { copyFile, cp, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { bundle, REQUIRE, root } from "../../scripts/bundle.mjs";

const [named] = process.argv.slice(2);
const out = path.resolve(named ?? path.join(root, "build", "torture"));

/** @type {import("esbuild").Plugin} */
const faultyPorts = {
  name: "faulty-ports",
  setup: (build) => {
    build.onResolve({ filter: /\/processes\/node-ports\.js$/ }, () => ({
      path: path.join(root, "test/torture/faulty-node.ts"),
    }));
  },
};

const { outputFiles } = await bundle({
  entryPoints: { looper: "cmd/start.ts" },
  outdir: out,
  plugins: [faultyPorts],
});
await rm(out, { recursive: true, force: true });
await mkdir(path.join(out, "chunks"), { recursive: true });
await copyFile(path.join(root, "test", "torture", "agent.sh"), path.join(out, "agent.sh"));
await copyFile(path.join(root, "test", "torture", "workflows", "stages.sh"), path.join(out, "stages.sh"));
await cp(path.join(root, "prompts"), path.join(out, "prompts"), { recursive: true });
await cp(path.join(root, "workflows"), path.join(out, "workflows"), { recursive: true });
for (const file of outputFiles) await writeFile(file.path, file.text);
await writeFile(path.join(out, "package.json"), '{"type":"module"}\n');

if (named === undefined)
  await build({
    absWorkingDir: root,
    entryPoints: { torture: "test/torture/torture.ts", editor: "test/torture/editor.ts" },
    outdir: out,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    banner: { js: REQUIRE },
    logLevel: "warning",
  });
