// `make torture`: kills the real program, and harms it in every other way, at each of its calls and at random ones; starts it again;
// prints how many it survived, and how to reproduce each it did not. Leaves the points to parts.ts.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Place, type Bins } from "./place.js";
import { editMeanwhile } from "./edits.js";
import { PARTS } from "./parts.js";
import { playIn, type Ground, type Point, type Sample, type Tried } from "./points.js";
import { ALL_STAGES } from "./scenario.js";
import { survive } from "./survive.js";

interface Failure {
  again: string;
  tried: Tried;
}

interface Tally {
  part: string;
  points: number;
  failures: Failure[];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Tries all points, so many at a time. */
async function tryAll(part: string, points: readonly Point[], workers: number): Promise<Tally> {
  const tally: Tally = { part, points: points.length, failures: [] };
  const began = performance.now();
  const queue = [...points.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, point] = next;
      const { again } = point;
      const tried = await point.run();
      if (tried.problems.length > 0) {
        tally.failures.push({ again, tried });
        printFailure({ again, tried });
      }
      if ((index + 1) % 25 === 0) print(`${part}: ${index + 1} of ${points.length} …`);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  const seconds = (performance.now() - began) / 1000;
  const each = points.length === 0 ? 0 : seconds / points.length;
  print(
    `${part}: ${survived(tally)} of ${points.length} (${seconds.toFixed(0)} s, ${each.toFixed(2)} s each)`,
  );
  return tally;
}

function survived({ points, failures }: Tally): number {
  return points - failures.length;
}

function printFailure({ again, tried }: Failure): void {
  print(`✗ make torture TORTURE='${again}'   in ${tried.folder}`);
  if (tried.last.length > 0) print(`    struck at: ${tried.last.join("; ")}`);
  for (const problem of tried.problems) print(`    ${problem.replaceAll("\n", "\n    ")}`);
}

async function prepare(bins: Bins): Promise<Ground> {
  const template = await Place.make(ALL_STAGES, bins);
  const place = template.copy();
  const { calls } = await place.start(["run", "--quiet"], [{ at: 1_000_000, when: "before", deed: "kill" }]);
  place.dispose();
  return { bins, template, calls };
}

/** Without any harm: what fails here is no matter of crashes. */
async function unharmed(ground: Ground): Promise<Tally> {
  const run = () => playIn(ground.template.copy(), (place) => survive(place, []));
  return tryAll("unharmed", [{ again: "--only kill --at 1000000", run }], 1);
}

/** The lost updates are printed here: the last line of all is for points. */
async function tryEdits(bins: Bins): Promise<Tally> {
  const { edits, lost, problems, done, folder } = await editMeanwhile(bins, { editors: 20, each: 50 });
  print(`edits: ${done} tasks done meanwhile`);
  print(`lost updates: ${lost.toLocaleString("en")} of ${edits.toLocaleString("en")}`);
  if (lost > 0) problems.push(`${lost} edits are lost`);
  const tried = { problems, struck: 0, starts: 1, last: [], folder };
  const failures = problems.length === 0 ? [] : [{ again: "--only edits", tried }];
  failures.forEach(printFailure);
  return { part: "edits", points: 1, failures };
}

function readFlags() {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: [...Object.keys(PARTS), "edits"].join(",") },
      every: { type: "string", default: "1" },
      at: { type: "string" },
      runs: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
    },
  });
  const at = values.at === undefined ? {} : { at: Number(values.at) };
  const sample: Sample = {
    every: Number(values.every),
    runs: Number(values.runs),
    seed: Number(values.seed),
    ...at,
  };
  return { parts: values.only.split(","), sample };
}

function printSums(tallies: readonly Tally[]): void {
  const sum = (parts: readonly string[]): string => {
    const chosen = tallies.filter(({ part }) => parts.includes(part));
    const count = (of: (tally: Tally) => number) =>
      chosen.reduce((total, tally) => total + of(tally), 0).toLocaleString("en");
    return `${count(survived)} of ${count(({ points }) => points)}`;
  };
  print("");
  print(`points survived: ${sum(["kill", "group", "torn", "enospc", "eio"])}`);
  print(`random runs: ${sum(["random"])}`);
}

async function main(): Promise<number> {
  const { parts, sample } = readFlags();
  const bins = {
    folder: fileURLToPath(new URL(".", import.meta.url)),
    agent: path.resolve(fileURLToPath(new URL("../../test/torture/agent.sh", import.meta.url))),
  };
  const workers = Number(process.env["TORTURE_WORKERS"] ?? "2");
  const ground = await prepare(bins);
  print(`${ground.calls.length} calls; seed ${sample.seed}; ${workers} at a time`);
  const tallies = [await unharmed(ground)];
  if (tallies.every(({ failures }) => failures.length === 0)) {
    for (const [name, pointsOf] of Object.entries(PARTS)) {
      if (!parts.includes(name)) continue;
      const points = pointsOf(ground, sample);
      if (typeof points === "string") print(`${name}: skipped, ${points}`);
      else tallies.push(await tryAll(name, points, workers));
    }
    if (parts.includes("edits")) tallies.push(await tryEdits(bins));
  }
  ground.template.dispose();
  const failures = tallies.flatMap((tally) => tally.failures);
  printSums(tallies);
  if (failures.length > 0) print("\nfailed, each said above:");
  for (const { again } of failures) print(`  make torture TORTURE='${again}'`);
  return failures.length === 0 ? 0 : 1;
}

process.exitCode = await main();
