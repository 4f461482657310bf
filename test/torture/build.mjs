// Builds the test bin, which is never shipped, into build/torture/ or the folder that is named: the program itself, with
// src/system/processes/node-ports.ts replaced by faulty-node.ts, and beside it all that is started by file.
import { copyFile, cp, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
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

const entryPoints = {
  looper: "cmd/looper.ts",
  torture: "test/torture/torture.ts",
  editor: "test/torture/editor.ts",
};
const files = await bundle({ entryPoints, outdir: out, minify: false, plugins: [faultyPorts] });
await rm(out, { recursive: true, force: true });
await mkdir(path.join(out, "chunks"), { recursive: true });
await copyFile(path.join(root, "test", "torture", "agent.sh"), path.join(out, "agent.sh"));
await cp(path.join(root, "prompts"), path.join(out, "prompts"), { recursive: true });
for (const file of files) await writeFile(file.path, file.text);
