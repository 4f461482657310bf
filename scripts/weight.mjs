// Counts the production code by floor: lines and files of cmd, page, src and api, without tests and what only they need. A line
// counts once for each 110 characters. With --write the figures become the budget, docs/weight-budget.json.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const WIDTH = 110;

/** @typedef {{ lines: number, files: number }} Weight */

/** Whether the file is counted: code that ships. @param {string} file */
export function isCounted(file) {
  return (
    /^(?:api|cmd|page|src)\/.*\.(?:tsx?|css|js|mjs|cjs)$/.test(file) &&
    !/\.test\.[a-z]+$/.test(file) &&
    !/\/(?:testing|testdata)\//.test(file)
  );
}

/** The files of the repository that git knows or would take. */
export function listFiles() {
  const flags = [
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
    "--deduplicate",
    "api",
    "cmd",
    "page",
    "src",
  ];
  const listed = execFileSync("git", ["ls-files", ...flags], { cwd: root, encoding: "utf8" });
  return listed.split("\0").filter((file) => isCounted(file) && existsSync(path.join(root, file)));
}

/** @param {string} text */
export function countLines(text) {
  const lines = text.split("\n").slice(0, -1);
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / WIDTH)), 0);
}

/** The weight of each floor; the server is one of its own. */
export function weigh() {
  /** @type {Record<string, Weight>} */
  const floors = {};
  for (const file of listFiles()) {
    const [top = "", below = ""] = file.split("/");
    const isFloor = top === "src" || file.startsWith("cmd/serve/");
    const floor = (floors[isFloor ? `${top}/${below}` : top] ??= { lines: 0, files: 0 });
    floor.lines += countLines(readFileSync(path.join(root, file), "utf8"));
    floor.files += 1;
  }
  return floors;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const floors = Object.entries(weigh()).sort(([, a], [, b]) => b.lines - a.lines);
  const lines = floors.reduce((sum, [, floor]) => sum + floor.lines, 0);
  const files = floors.reduce((sum, [, floor]) => sum + floor.files, 0);
  for (const [name, floor] of [...floors, /** @type {const} */ (["all", { lines, files }])])
    console.log(`${String(floor.lines).padStart(7)} lines ${String(floor.files).padStart(5)} files  ${name}`);
  if (process.argv.includes("--write"))
    writeFileSync(
      path.join(root, "docs", "weight-budget.json"),
      `${JSON.stringify(Object.fromEntries(floors), undefined, 2)}\n`,
    );
}
