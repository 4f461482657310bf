// Writes the program into dist/, the prompts beside it. Leaves how it is bundled to bundle.mjs.
// With --if-older it does nothing while dist/ is newer than everything it is made from.
import { chmod, cp, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { bundle, root } from "./bundle.mjs";

const dist = path.join(root, "dist");
const bin = path.join(dist, "looper.js");
const sources = [
  "cmd",
  "src",
  "prompts",
  "scripts/build.mjs",
  "scripts/bundle.mjs",
  "scripts/help-texts.mjs",
  "scripts/pack.mjs",
  "scripts/unset-settings.mjs",
  "scripts/validator.mjs",
  "run.schema.json",
  "package.json",
  "package-lock.json",
];

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

async function main() {
  if (process.argv.includes("--if-older") && (await isCurrent())) return;
  const files = await bundle({ entryPoints: { looper: "cmd/looper.ts" }, outdir: dist, minify: true });
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
