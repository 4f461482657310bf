// How many broken lines the tests of a floor see: each line is broken in every way Stryker knows, one at a time, and the floor's
// own tests are run. Prints a line for each floor, and exits 1 where one is below the least. Floors as arguments: only those.
// Breaks that no test saw are listed in .mutants/<floor>.txt. Code that did not change since the last time is not tried again.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";

/** @typedef {Awaited<ReturnType<Stryker["runMutationTest"]>>[number]} Mutant */

/**
 * The files broken in each floor, without those that touch the world: the loop's is tested by the stories, which run the program in a
 * process of its own, where no mutant is switched on; the gate's by commands and rooms, which take seconds for each mutant.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const FLOORS = {
  todo: ["src/todo/**/*.ts"],
  loop: [
    "src/loop/step/**/*.ts",
    "src/loop/runs/*.ts",
    "src/loop/release/{judge-release,version}.ts",
    "!src/loop/runs/{locks,recover}.ts",
  ],
  gate: [
    "src/gate/{report,verdict,influence,sort}/*.ts",
    "src/gate/rooms/room-fitness.ts",
    "!src/gate/{report/report-files,verdict/runs,influence/reference}.ts",
  ],
};
/** Percent. */
const LEAST = 85;

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * @param {string} floor
 * @returns {Promise<Mutant[]>}
 */
function tryMutants(floor) {
  const stryker = new Stryker({
    configFile: "test/mutants/stryker.config.mjs",
    mutate: [...(FLOORS[floor] ?? []), `!src/${floor}/**/*.test.ts`, `!src/${floor}/testing{.ts,/**}`],
    vitest: { configFile: "test/mutants/vitest.config.ts", dir: `src/${floor}`, related: false },
    incrementalFile: `.mutants/${floor}.json`,
    reporters: process.stderr.isTTY ? ["progress"] : [],
  });
  return stryker.runMutationTest();
}

/**
 * A mutant in a line: its place and its text.
 * @param {Mutant} mutant
 */
function describe({ fileName, location, mutatorName, replacement, status }) {
  const place = `${path.relative(root, fileName)}:${location.start.line}:${location.start.column}`;
  return `${place} ${status} ${mutatorName}: ${replacement.replaceAll(/\s+/g, " ")}`;
}

/**
 * Prints the floor's score; returns whether it is high enough.
 * @param {string} floor
 */
async function judge(floor) {
  const mutants = await tryMutants(floor);
  const seen = mutants.filter(({ status }) => status === "Killed" || status === "Timeout");
  const missed = mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  writeFileSync(
    path.join(root, ".mutants", `${floor}.txt`),
    missed.map((one) => `${describe(one)}\n`).join(""),
  );
  const all = seen.length + missed.length;
  const score = (100 * seen.length) / all;
  console.log(`${floor} ${score.toFixed(1)} % (${seen.length} killed of ${all})`);
  return score >= LEAST;
}

process.chdir(root);
mkdirSync(".mutants", { recursive: true });
const known = Object.keys(FLOORS);
const wanted = process.argv.length > 2 ? process.argv.slice(2) : known;
const unknown = wanted.filter((floor) => !known.includes(floor));
if (unknown.length > 0) throw new Error(`not among ${known.join(", ")}: ${unknown.join(", ")}`);
for (const floor of wanted) if (!(await judge(floor))) process.exitCode = 1;
