// How the program is bundled: one entry, chunks that are read only when a command needs them. Leaves where it lies, and what
// lies beside it, to build.mjs and to test/torture/build.mjs.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * The files, not written yet. Rejects when something is wrong; esbuild has said what, and where, by then.
 * @param {{ entryPoints: Record<string, string>, outdir: string, minify: boolean, plugins?: import("esbuild").Plugin[] }} order
 */
export async function bundle({ entryPoints, outdir, minify, plugins = [] }) {
  /** @type {unknown} */
  const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const { version } = /** @type {{ version: string }} */ (manifest);
  const result = await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    plugins,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    minify,
    format: "esm",
    platform: "node",
    target: "node20",
    // jsonc-parser's "main" is UMD, which cannot be bundled.
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "warning",
    define: { LOOPER_VERSION: JSON.stringify(version) },
    // cosmiconfig would load it for settings written in TypeScript, which are not read here.
    // @vscode/ripgrep finds the binary beside its own files.
    external: ["typescript", "@vscode/ripgrep"],
    // Some dependencies are CommonJS and call require for Node's own modules.
    banner: {
      js: 'import{createRequire as looperRequire}from"node:module";const require=looperRequire(import.meta.url);',
    },
    write: false,
  });
  return result.outputFiles;
}
