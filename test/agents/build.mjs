// Builds what runs the real clients into build/agents.js: one level below the root, like the files of test/ it is made of, for
// they find the program from where they lie.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { bundle, root } from "../../scripts/bundle.mjs";

/** @type {import("esbuild").Plugin} */
const tools = {
  name: "tools-stay-outside",
  setup: (build) => {
    build.onResolve({ filter: /^(vitest|prettier)$/ }, ({ path }) => ({ path, external: true }));
  },
};

const outdir = path.join(root, "build");
const entryPoints = { agents: "test/agents/run.ts" };
const files = await bundle({ entryPoints, outdir, minify: false, plugins: [tools] });
await mkdir(path.join(outdir, "chunks"), { recursive: true });
for (const file of files) await writeFile(file.path, file.text);
