// Bundles the program into dist/: one entry, chunks that are read only when a command needs them, the prompts beside them.
// With --if-older it does nothing while dist/ is newer than everything it is made from.
import { chmod, cp, mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = path.join(root, "dist");
const bin = path.join(dist, "looper.js");
const sources = ["cmd", "src", "prompts", "scripts/build.mjs", "package.json", "package-lock.json"];

/**
 * When the newest file at or under a path was written; 0 when there is none.
 * @param {string} place
 * @returns {Promise<number>}
 */
async function newest(place) {
  const found = await stat(place).catch(() => undefined);
  if (!found?.isDirectory()) return found?.mtimeMs ?? 0;
  // The folder's own time counts too: it tells of a file that was removed.
  const inside = await Promise.all((await readdir(place)).map((name) => newest(path.join(place, name))));
  return Math.max(found.mtimeMs, ...inside);
}

async function isCurrent() {
  const made = await Promise.all(sources.map((source) => newest(path.join(root, source))));
  return (await newest(bin)) > Math.max(...made);
}

async function bundle() {
  /** @type {unknown} */
  const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const { version } = /** @type {{ version: string }} */ (manifest);
  const result = await build({
    absWorkingDir: root,
    entryPoints: { looper: "cmd/looper.ts" },
    outdir: dist,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // jsonc-parser's "main" is UMD, which cannot be bundled.
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "warning",
    define: { LOOPER_VERSION: JSON.stringify(version) },
    // cosmiconfig would load it for settings written in TypeScript, which are not read here.
    external: ["typescript"],
    // Some dependencies are CommonJS and call require for Node's own modules.
    banner: {
      js: 'import{createRequire as looperRequire}from"node:module";const require=looperRequire(import.meta.url);',
    },
    write: false,
  });
  return result.outputFiles;
}

async function main() {
  if (process.argv.includes("--if-older") && (await isCurrent())) return;
  // esbuild has said already what is wrong, and where.
  const files = await bundle().catch(() => undefined);
  if (files === undefined) return process.exit(1);
  await rm(dist, { recursive: true, force: true });
  await mkdir(path.join(dist, "chunks"), { recursive: true });
  await cp(path.join(root, "prompts"), path.join(dist, "prompts"), { recursive: true });
  // The entry comes last: it is what tells that the rest is there.
  for (const file of files.toSorted((a) => (a.path === bin ? 1 : -1))) {
    const shebang = file.path === bin && !file.text.startsWith("#!") ? "#!/usr/bin/env node\n" : "";
    await writeFile(file.path, shebang + file.text);
  }
  await chmod(bin, 0o755);
}

await main();
