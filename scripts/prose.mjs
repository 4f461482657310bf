// Prints each place where a text breaks a rule of plain English: file, line, rule, and the line itself; then how many there
// are. Arguments: only files below those paths. --lower: writes the counts into docs/prose-budget.json where they are smaller.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { areaOf, isRead, slipsIn } from "./prose-rules.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const budgetFile = path.join(root, "docs", "prose-budget.json");

/** Every slip in the texts that git knows or would take. */
export function allSlips() {
  const flags = ["-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const listed = execFileSync("git", ["ls-files", ...flags], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const files = listed.split("\0").filter((file) => isRead(file) && existsSync(path.join(root, file)));
  return files.toSorted().flatMap((file) => {
    const slips = slipsIn(file, readFileSync(path.join(root, file), "utf8"));
    return slips.map((slip) => ({ ...slip, file, area: areaOf(file) }));
  });
}

/**
 * How many slips each area has.
 * @param {{ area: string }[]} slips
 * @returns {Record<string, number>}
 */
export function countByArea(slips) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { area } of slips) counts[area] = (counts[area] ?? 0) + 1;
  return counts;
}

/** @returns {Record<string, number>} */
export function readBudget() {
  /** @type {unknown} */
  const parsed = JSON.parse(readFileSync(budgetFile, "utf8"));
  return /** @type {Record<string, number>} */ (parsed);
}

/**
 * The budget that counts allow: never more than before, and nothing for an area without slips.
 * @param {Record<string, number>} budget
 * @param {Record<string, number>} counts
 */
export function lower(budget, counts) {
  const lowered = Object.entries(budget).map(
    ([area, limit]) => /** @type {const} */ ([area, Math.min(limit, counts[area] ?? 0)]),
  );
  return Object.fromEntries(lowered.filter(([, limit]) => limit > 0));
}

/** @param {string[]} args */
function main(args) {
  const slips = allSlips();
  if (args.includes("--lower")) {
    const lowered = lower(readBudget(), countByArea(slips));
    writeFileSync(budgetFile, `${JSON.stringify(lowered, undefined, 2)}\n`);
    return;
  }
  const shown = slips.filter(
    ({ file }) => args.length === 0 || args.some((place) => `${file}/`.startsWith(place)),
  );
  for (const { file, line, rule, text } of shown) console.log(`${file}:${line}: ${rule}\n    ${text}`);
  console.log(`${shown.length} slips`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
