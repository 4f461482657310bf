// Bundles a program with esbuild. Leaves the other files of the package to build.mjs, and those of the torture to
// test/torture/build.mjs.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** The entries of the package, by their name in dist/. */
export const ENTRIES = {
  looper: "cmd/start.ts",
  "api/looper": "api/looper.ts",
  "api/chapo": "api/chapo.ts",
};

/** CommonJS packages `require` Node's modules, which is not there in an ES module. */
export const REQUIRE = `import { createRequire as makeRequire } from "node:module";
const require = makeRequire(import.meta.url);`;

/**
 * The files, not written yet, and what they are made of. Rejects when something is wrong.
 * @param {{ entryPoints: Record<string, string>, outdir: string, plugins?: import("esbuild").Plugin[] }} order
 */
export async function bundle({ entryPoints, outdir, plugins = [] }) {
  /** @type {unknown} */
  const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const { version } = /** @type {{ version: string }} */ (manifest);
  return build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    plugins: [...plugins, englishOnly()],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    chunkNames: "chunks/[name]-[hash]",
    // jsonc-parser's "main" is UMD, which cannot be bundled.
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "warning",
    banner: { js: REQUIRE },
    define: { LOOPER_VERSION: JSON.stringify(version) },
    // cosmiconfig would load it for settings written in TypeScript, which are not read here.
    external: ["typescript"],
    metafile: true,
    write: false,
  });
}

/**
 * Leaves out zod's messages in other languages: half of its code, which every start that uses zod would read.
 * @returns {import("esbuild").Plugin}
 */
function englishOnly() {
  return {
    name: "english-only",
    setup(build) {
      build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: 'export { default as en } from "./en.js";',
      }));
    },
  };
}

/** The page of `looper serve`, for the browser: its files, not written yet. @param {string} outdir */
export async function bundlePage(outdir) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { main: "page/main.tsx", page: "page/page.css" },
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: ["chrome123", "firefox121", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    chunkNames: "[name]-[hash]",
    legalComments: "none",
    logLevel: "warning",
    write: false,
  });
  return outputFiles;
}
