// Builds the test program, which is never shipped, into build/torture/ or the named folder: looper itself, with
// src/system/processes/node-ports.ts replaced by faulty-node.ts, and beside it the files that the torture starts.
import { copyFile, cp, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { bundle, root } from "../../scripts/bundle.mjs";

const out = path.resolve(process.argv[2] ?? path.join(root, "build", "torture"));

/** @type {import("esbuild").Plugin} */
const faultyPorts = {
  name: "faulty-ports",
  setup: (build) => {
    build.onResolve({ filter: /\/processes\/node-ports\.js$/ }, () => ({
      path: path.join(root, "test/torture/faulty-node.ts"),
    }));
  },
};

// Looper is bundled alone and minified, as it is shipped: modules that several entries share go into one large file, which
// every start would read.
const files = await bundle({
  entryPoints: { looper: "cmd/looper.ts" },
  outdir: out,
  minify: true,
  plugins: [faultyPorts],
  everyday: ["test/torture/faulty-node"],
});
await rm(out, { recursive: true, force: true });
await mkdir(path.join(out, "chunks"), { recursive: true });
await copyFile(path.join(root, "test", "torture", "agent.sh"), path.join(out, "agent.sh"));
await copyFile(path.join(root, "test", "torture", "workflows", "stages.sh"), path.join(out, "stages.sh"));
await cp(path.join(root, "prompts"), path.join(out, "prompts"), { recursive: true });
await cp(path.join(root, "workflows"), path.join(out, "workflows"), { recursive: true });
for (const file of files) await writeFile(file.path, file.text);

await build({
  absWorkingDir: root,
  entryPoints: { torture: "test/torture/torture.ts", editor: "test/torture/editor.ts" },
  outdir: out,
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  define: { "import.meta.url": "fileUrl" },
  banner: { js: 'const fileUrl = require("node:url").pathToFileURL(__filename).href;' },
  logLevel: "warning",
});
