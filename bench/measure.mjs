// How a bench measures: sides of a comparison in turns within one run, because machines are noisy. Figures of two runs
// never meet. Leaves what is compared to the files that hold the rows, and the table to run.mjs.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The program, built. */
export const LOOPER = fileURLToPath(new URL("../dist/looper.js", import.meta.url));

const PEAK = fileURLToPath(new URL("peak.cjs", import.meta.url));

/**
 * A line of the table. `holds`: whether the goal is met. `figures`: both sides, with their units. `cause`: why a goal is
 * missed, and what was tried.
 * @typedef {{ what: string, against: string, goal: string, measured: string, figures: string, holds: boolean, cause?: string }} Row
 */

/**
 * The command of one side. `ends`: the exit codes that count as success. `input`: its standard input, empty by default.
 * `output`: the file that takes stdout.
 * @typedef {{ command: string, args: readonly string[], cwd?: string, env?: Record<string, string>, input?: string, output?: number, ends?: readonly number[] }} Side
 */

/** A folder for one bench, away when the process ends. @param {string} name */
export function scratch(name) {
  const folder = mkdtempSync(path.join(tmpdir(), `looper-bench-${name}-`));
  process.on("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A HOME that says nothing of who runs the bench. @param {string} root @param {object} [settings] */
export function homeIn(root, settings) {
  const home = path.join(root, "home");
  mkdirSync(path.join(home, ".config/looper"), { recursive: true });
  if (settings !== undefined)
    writeFileSync(path.join(home, ".config/looper/config.json"), JSON.stringify(settings));
  return home;
}

/** A command of the program as a side. @param {readonly string[]} args @param {Omit<Side, "command" | "args">} [more] */
export function looper(args, more = {}) {
  return { command: process.execPath, args: [LOOPER, ...args], ...more };
}

/** Node with a script as a side. @param {string} script @param {Omit<Side, "command" | "args">} [more] */
export function node(script, more = {}) {
  return { command: process.execPath, args: ["-e", script], ...more };
}

/**
 * The environment of every side: without the machine's settings and certificates (NODE_EXTRA_CA_CERTS adds 39 ms to any start).
 * @param {Side} side
 */
function environmentOf({ env = {} }) {
  return { PATH: process.env["PATH"] ?? "", HOME: tmpdir(), ...env };
}

/** Runs it once; milliseconds of wall time. Throws when it fails. @param {Side} side */
export function wall(side) {
  const { command, args, cwd, input, output, ends = [0] } = side;
  const began = performance.now();
  const { status, error, stderr } = spawnSync(command, args, {
    env: environmentOf(side),
    stdio: [input === undefined ? "ignore" : "pipe", output ?? "ignore", "pipe"],
    maxBuffer: 2 ** 28,
    ...(cwd === undefined ? {} : { cwd }),
    ...(input === undefined ? {} : { input }),
  });
  const took = performance.now() - began;
  if (error !== undefined) throw error;
  if (status === null || !ends.includes(status))
    throw new Error(`${command} ${args.join(" ")} ended with ${String(status)}\n${String(stderr)}`);
  return took;
}

/** Runs it once; wall time, and the most memory the process (Node's, without its children) ever held. @param {Side} side */
export function wallAndPeak(side) {
  const folder = mkdtempSync(path.join(tmpdir(), "looper-bench-peak-"));
  const file = path.join(folder, "rss");
  const preload = { NODE_OPTIONS: `--require=${PEAK}`, BENCH_PEAK: file, BENCH_PARENT: String(process.pid) };
  try {
    const ms = wall({ ...side, env: { ...side.env, ...preload } });
    return { ms, mib: Number(readFileSync(file, "utf8")) / 1024 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs it once; the most memory the process (Node's, without its children) ever held, in MiB. @param {Side} side */
export function peak(side) {
  return wallAndPeak(side).mib;
}

/**
 * The results of every side, by its name. The sides take turns, so that none has the machine's quiet minutes to itself. A first
 * turn is not counted, unless a turn is too long for that to matter.
 * @param {number} rounds
 * @param {Record<string, () => number>} sides
 * @param {{ warm?: boolean }} [how]
 * @returns {(name: string) => readonly number[]}
 */
export function inTurns(rounds, sides, { warm = true } = {}) {
  /** @type {Map<string, number[]>} */
  const taken = new Map(Object.keys(sides).map((name) => [name, []]));
  for (let round = warm ? -1 : 0; round < rounds; round++) {
    for (const [name, side] of Object.entries(sides)) {
      const value = side();
      if (round >= 0) taken.get(name)?.push(value);
    }
  }
  return (name) => taken.get(name) ?? [];
}

/** @param {readonly number[]} values */
export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** @param {readonly number[]} values */
export function least(values) {
  return Math.min(...values);
}

/**
 * A row whose goal is a ratio of at most so much.
 * @param {{ what: string, against: string, most: number, ours: number, theirs: number, unit: string, cause?: string }} found
 * @returns {Row}
 */
export function atMost({ what, against, most, ours, theirs, unit, ...cause }) {
  const ratio = ours / theirs;
  return {
    what,
    against,
    goal: `≤ ${String(most)}×`,
    measured: `${ratio.toFixed(2)}×`,
    figures: `${round(ours)} against ${round(theirs)} ${unit}`,
    holds: ratio <= most,
    ...cause,
  };
}

/**
 * A row whose goal is a ratio of at least so much.
 * @param {{ what: string, against: string, least: number, ours: number, theirs: number, unit: string, cause?: string }} found
 * @returns {Row}
 */
export function atLeast({ what, against, least, ours, theirs, unit, ...cause }) {
  const ratio = ours / theirs;
  return {
    what,
    against,
    goal: `≥ ${String(least)}×`,
    measured: `${ratio.toFixed(2)}×`,
    figures: `${round(ours)} against ${round(theirs)} ${unit}`,
    holds: ratio >= least,
    ...cause,
  };
}

/** Three figures that count. @param {number} value */
export function round(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
