// `make torture`: kills the real program, and harms it in every other way, at each of its calls and at random ones; starts it again;
// prints how many it survived, and how to reproduce each it did not. Leaves the points to parts.ts.
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { editMeanwhile } from "./edits.js";
import { PARTS } from "./parts.js";
import { Place } from "./place.js";
import { playIn, prepare, tryAll, type Ground, type Point, type Sample, type Tried } from "./points.js";
import { survive } from "./survive.js";

interface Tally {
  part: string;
  points: number;
  /** How each that was not survived is reproduced. */
  failures: string[];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const TOLD_EVERY = 25;

async function tryPart(part: string, points: readonly Point[], workers: number): Promise<Tally> {
  const tally: Tally = { part, points: points.length, failures: [] };
  const began = performance.now();
  let tried = 0;
  let unreached = 0;
  let struck = 0;
  await tryAll(points, workers, ({ again }, outcome) => {
    tally.failures.push(...reported(again, outcome));
    if (outcome.struck === 0) unreached++;
    struck += outcome.struck;
    if (++tried % TOLD_EVERY === 0) print(`${part}: ${tried} of ${points.length} tried`);
  });
  const seconds = (performance.now() - began) / 1000;
  const each = points.length === 0 ? 0 : seconds / points.length;
  const before = unreached === 0 ? "" : `, ${unreached} ended before`;
  const pace = `${seconds.toFixed(0)} s, ${each.toFixed(2)} s each, struck ${struck} times`;
  print(`${part}: survived ${survived(tally)} of ${points.length} (${pace}${before})`);
  return tally;
}

/** Prints what was wrong; how it is reproduced, or nothing. */
function reported(again: string, { problems, last, folder }: Tried): string[] {
  if (problems.length === 0) return [];
  print(`✗ make torture TORTURE='${again}'   in ${folder}`);
  if (last.length > 0) print(`    struck at: ${last.join("; ")}`);
  for (const problem of problems) print(`    ${problem.replaceAll("\n", "\n    ")}`);
  return [again];
}

function survived({ points, failures }: Tally): number {
  return points - failures.length;
}

/** Without any fault: a failure here is not due to crashes. */
async function unharmed(ground: Ground): Promise<Tally> {
  const run = () => playIn(ground.template.copy(), (place) => survive(place, []));
  return tryPart("unharmed", [{ again: "--only unharmed", run }], 1);
}

async function tryCrowd(bins: string): Promise<Tally> {
  const { edits, lost, problems, done, folder } = await editMeanwhile(bins, { editors: 20, each: 50 });
  print(`crowd: ${done} tasks done meanwhile`);
  print(`lost updates: ${lost.toLocaleString("en")} of ${edits.toLocaleString("en")}`);
  if (lost > 0) problems.push(`${lost} edits are lost`);
  const failures = reported("--only crowd", { problems, struck: 0, starts: 1, last: [], folder });
  return { part: "crowd", points: 1, failures };
}

const DEFAULTS = { every: "1", from: "1", runs: "1000", seed: "1" };

function readFlags(): { parts: string[]; sample: Sample; workers: number } {
  const all = [...Object.keys(PARTS), "crowd"];
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: all.join(",") },
      at: { type: "string" },
      session: { type: "string" },
      kills: { type: "string", default: "1" },
      every: { type: "string", default: DEFAULTS.every },
      from: { type: "string", default: DEFAULTS.from },
      runs: { type: "string", default: DEFAULTS.runs },
      seed: { type: "string", default: DEFAULTS.seed },
    },
  });
  const parts = values.only.split(",");
  const unknown = parts.filter((part) => ![...all, "unharmed"].includes(part));
  if (unknown.length > 0) throw new Error(`no part is called ${unknown.join(", ")}: ${all.join(", ")}`);
  const sample = {
    every: Number(values.every),
    from: Number(values.from),
    runs: Number(values.runs),
    seed: Number(values.seed),
    kills: Number(values.kills),
    ...(values.at === undefined ? {} : { at: Number(values.at) }),
    ...(values.session === undefined ? {} : { session: values.session }),
  };
  return { parts, sample, workers: Number(process.env["TORTURE_WORKERS"] ?? "2") };
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
  print(`sessions with a workflow: ${sum(["workflows"])}`);
  print(`random runs: ${sum(["random"])}`);
  print(`runs edited at random: ${sum(["edits"])}`);
}

async function tortureAll(bins: string): Promise<number> {
  const { parts, sample, workers } = readFlags();
  const ground = await prepare(bins);
  print(`${ground.calls.length} calls; seed ${sample.seed}; ${workers} at a time`);
  const tallies = [await unharmed(ground)];
  const sound = tallies.every(({ failures }) => failures.length === 0);
  for (const [name, pointsOf] of Object.entries(PARTS)) {
    if (!sound || !parts.includes(name)) continue;
    const points = await pointsOf(ground, sample);
    if (typeof points === "string") print(`${name}: skipped, ${points}`);
    else tallies.push(await tryPart(name, points, workers));
  }
  if (sound && parts.includes("crowd")) tallies.push(await tryCrowd(bins));
  Place.disposeAll();
  const failures = tallies.flatMap((tally) => tally.failures);
  printSums(tallies);
  if (failures.length > 0) print("\nfailed, each told of above:");
  for (const again of failures) print(`  make torture TORTURE='${again}'`);
  return failures.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  // A copy of its own: what is built meanwhile is another program.
  const bins = realpathSync(mkdtempSync(path.join(tmpdir(), "torture-bin-")));
  const tidy = (): void => {
    rmSync(bins, { recursive: true, force: true });
    Place.disposeAll();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      tidy();
      process.exit(130);
    });
  }
  cpSync(fileURLToPath(new URL(".", import.meta.url)), bins, { recursive: true });
  try {
    return await tortureAll(bins);
  } finally {
    rmSync(bins, { recursive: true, force: true });
  }
}

void main().then((code) => {
  process.exitCode = code;
});
