// Runs TypeScript of the project in a script: bundled first, beside the packages it needs.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

/** The project's root. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * The exports of a TypeScript file; `entry` is relative to the root.
 * @param {string} entry
 * @param {import("esbuild").Plugin[]} [plugins]
 * @returns {Promise<unknown>}
 */
export async function loadCode(entry, plugins = []) {
  // Inside node_modules, so that the packages left out of the bundle are found.
  const folder = await mkdtemp(path.join(root, "node_modules", ".code-"));
  const outfile = path.join(folder, "code.mjs");
  try {
    await build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile,
      bundle: true,
      packages: "external",
      format: "esm",
      platform: "node",
      logLevel: "warning",
      plugins,
    });
    /** @type {unknown} */
    const loaded = await import(pathToFileURL(outfile).href);
    return loaded;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes each file that is not as it should be. With --check it only looks: exit 1 when one differs.
 * @param {readonly { path: string, text: (old: string) => string }[]} files
 * @param {string} command what writes them
 */
export async function writeOrCheck(files, command) {
  const check = process.argv.includes("--check");
  /** @type {string[]} */
  const differing = [];
  for (const { path: name, text } of files) {
    const file = path.join(root, name);
    const old = await readFile(file, "utf8").catch(() => "");
    const wanted = text(old);
    if (wanted === old) continue;
    differing.push(name);
    if (check) continue;
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, wanted);
  }
  if (!check || differing.length === 0) return;
  console.error(`out of step with the code: ${differing.join(", ")}\nrun: ${command}`);
  process.exitCode = 1;
}
