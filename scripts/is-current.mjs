// Whether the built program is newer than everything it is made from. Needs no packages.
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = path.join(root, "dist", "looper.js");
const sources = [
  "api",
  "cmd",
  "page",
  "src",
  "assets",
  "prompts",
  "workflows",
  "scripts/api-types.mjs",
  "scripts/build.mjs",
  "scripts/bundle.mjs",
  "scripts/schema-list.ts",
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

export async function isCurrent() {
  const made = await Promise.all(sources.map((source) => newest(path.join(root, source))));
  return (await newest(bin)) > Math.max(...made);
}
