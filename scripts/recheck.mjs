// Checks that the program's regular expressions take time linear in the text, with recheck. Those that are not must be named
// in patterns/bounded.txt, below the sentence that says why their text is short or our own. Prints each other one with the
// text that attacks it. --listed: only says which ones are in neither list, in seconds. --write: checks those and writes
// those that are linear into patterns/linear.txt, without the ones that are gone. Other arguments: only files below those.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { check } from "recheck";
import { findPatterns } from "./patterns/find.mjs";

const linearFile = fileURLToPath(new URL("patterns/linear.txt", import.meta.url));
const boundedFile = fileURLToPath(new URL("patterns/bounded.txt", import.meta.url));
/** How many checks run at a time. */
const WORKERS = 2;

const linear = new Set(linesOf(linearFile));
const bounded = new Set(linesOf(boundedFile).filter((line) => !line.startsWith("# ")));
const flags = new Set(process.argv.slice(2).filter((word) => word.startsWith("--")));
const folders = process.argv.slice(2).filter((word) => !word.startsWith("--"));

/** @type {Map<string, string[]>} */
const places = new Map();
for (const { place, pattern } of await findPatterns())
  places.set(pattern, [...(places.get(pattern) ?? []), place]);

const unlisted = [...places.keys()].filter((pattern) => !linear.has(pattern) && !bounded.has(pattern));
if (flags.has("--listed")) report(unlisted.map((pattern) => ({ pattern, problem: "is in no list" })));
else {
  const due = flags.has("--write") ? unlisted : [...places.keys()].filter((pattern) => !bounded.has(pattern));
  const asked = due.filter((pattern) => folders.length === 0 || places.get(pattern)?.some(isAsked));
  const problems = await problemsOf(asked);
  report(problems);
  const bad = new Set(problems.map(({ pattern }) => pattern));
  const good = asked.filter((pattern) => !bad.has(pattern));
  const kept = [...linear].filter((pattern) => places.has(pattern) && !bad.has(pattern));
  if (flags.has("--write"))
    writeFileSync(
      linearFile,
      [...new Set([...kept, ...good])]
        .toSorted()
        .map((line) => `${line}\n`)
        .join(""),
    );
}

/** @param {string} place */
function isAsked(place) {
  return folders.some((folder) => place.startsWith(folder));
}

/** @param {string} file */
function linesOf(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** @param {readonly { pattern: string, problem: string }[]} problems */
function report(problems) {
  for (const { pattern, problem } of problems)
    console.log(`${places.get(pattern)?.join(" ")}: ${pattern}\n    ${problem}`);
  if (problems.length === 0) return;
  console.log(
    "Run `npm run recheck -- --write`; mend those that are not linear, or explain them in scripts/patterns/bounded.txt.",
  );
  process.exitCode = 1;
}

/** @param {readonly string[]} patterns */
async function problemsOf(patterns) {
  /** @type {{ pattern: string, problem: string }[]} */
  const problems = [];
  const rest = [...patterns];
  const worker = async () => {
    for (let pattern = rest.shift(); pattern !== undefined; pattern = rest.shift()) {
      const problem = await problemOf(pattern);
      if (problem !== undefined) problems.push({ pattern, problem });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return problems;
}

/**
 * Why a pattern may not count as linear; `undefined` where it is.
 * @param {string} pattern
 */
async function problemOf(pattern) {
  if (!pattern.startsWith("/")) return "is made while the program runs";
  const end = pattern.lastIndexOf("/");
  const words = /** @type {const} */ ([pattern.slice(1, end), pattern.slice(end + 1)]);
  let found = await check(...words, { timeout: 20_000 });
  // Long counted repetitions make automata that are too large.
  if (found.status === "unknown") found = await check(...words, { timeout: 60_000, checker: "fuzz" });
  if (found.status === "safe") return undefined;
  if (found.status === "unknown") return `unknown: ${found.error.kind}`;
  return `${found.complexity.summary}: ${found.attack.pattern}`;
}
