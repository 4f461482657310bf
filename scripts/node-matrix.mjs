// Runs the stories on each Node of tools/node-matrix; prints how many passed on each. Arguments: only those, e.g. node24; flags
// go to vitest, e.g. test/stories/git.story.test.ts
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tools = path.join(root, "tools", "node-matrix");

/** @returns {string[]} */
function names() {
  /** @type {unknown} */
  const manifest = JSON.parse(readFileSync(path.join(tools, "package.json"), "utf8"));
  return Object.keys(/** @type {{ optionalDependencies: object }} */ (manifest).optionalDependencies);
}

/**
 * @param {string} node its absolute path
 * @param {string} report
 * @param {string[]} flags
 */
function runStories(node, report, flags) {
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
  const args = [vitest, "run", "--project", "stories", ...reporters, ...flags];
  // The code that build/compiled keeps is of another Node.
  const env = { ...process.env, STORIES_START: "dist" };
  const { status } = spawnSync(node, args, { cwd: root, env, stdio: ["ignore", 2, 2] });
  const count = [path.join(root, "scripts", "count-tests.mjs"), report, String(status ?? 1)];
  return spawnSync(process.execPath, count, { encoding: "utf8" });
}

const given = process.argv.slice(2);
const chosen = names().filter((name) => given.includes(name));
const flags = given.filter((one) => !chosen.includes(one));
const folder = mkdtempSync(path.join(tmpdir(), "looper-nodes-"));
for (const name of chosen.length === 0 ? names() : chosen) {
  const node = path.join(tools, "node_modules", name, "bin", "node");
  if (!existsSync(node)) {
    const isMissing = process.platform === "linux" && process.arch === "x64";
    console.log(
      `${name}: not tried, ${isMissing ? "its package is missing" : "there is no binary for this machine"}`,
    );
    if (isMissing) process.exitCode = 1;
    continue;
  }
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  const { status, stdout, stderr } = runStories(node, path.join(folder, `${name}.json`), flags);
  console.log(`stories on Node ${version}: ${stdout.trim()}${stderr}`);
  if (status !== 0) process.exitCode = 1;
}
rmSync(folder, { recursive: true, force: true });
