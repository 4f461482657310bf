// Builds what runs the real clients into build/agents/agents.js: two levels below the root, like the files of test/ it is made of,
// for they find the program from where they lie. It is not the program, so nothing of what `bundle` fills in is in it.
import path from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/bundle.mjs";

await build({
  absWorkingDir: root,
  entryPoints: { agents: "test/agents/run.ts" },
  outdir: path.join(root, "build/agents"),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  logLevel: "warning",
});
