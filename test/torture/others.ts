// Parts that need more than a fault at a call: two who want the same stale lock, and a disk that is really full.
import { readFileSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { seeded } from "../rig/chance.js";
import { mountTmpfs, type Mount } from "../rig/mounts.js";
import type { Fault } from "./fault.js";
import { violations } from "./invariants.js";
import type { Place } from "./place.js";
import { playIn, seedsOf, type Ground, type Point, type Sample, type Tried } from "./points.js";
import { finalCode } from "./scenario.js";
import { survive, type Outcome } from "./survive.js";

const SOME = 25;

/** A run is killed; two start at once and want what it held, one of them stopped for a moment on its way there. */
export function contenders(ground: Ground, { runs, seed }: Sample): Point[] {
  return seedsOf(Math.min(runs, SOME), seed).map((own) => ({
    again: `--only locks --seed ${own} --runs 1`,
    run: () => playIn(ground.template.copy(), (place) => contend(place, ground, seeded(own))),
  }));
}

async function contend(place: Place, { calls }: Ground, chance: () => number): Promise<Outcome> {
  const first = calls.findIndex((call) => call.includes(".looper/lock"));
  const open = calls.findIndex((call) => call.includes("events.jsonl"));
  const killed: Fault = {
    at: open + 1 + Math.floor(chance() * (calls.length - open)),
    when: "before",
    deed: "kill-group",
  };
  await place.start(["run", "--quiet"], [killed]);
  // The way through a stale lock is longer than through none.
  const stopped: Fault = {
    at: first + Math.floor(chance() * 2 * (open - first)),
    when: "before",
    deed: "stop",
  };
  const both = await Promise.all([
    place.start(["run", "--quiet"], [stopped]),
    place.start(["run", "--quiet"]),
  ]);
  const problems: string[] = [];
  const wanted = finalCode(place.scene);
  const through = both.filter(({ code }) => code === wanted).length;
  const turned = both.filter(
    ({ code, stderr }) => code === 3 && /another run works on this/.test(stderr),
  ).length;
  if (through + turned !== 2 || through === 0) {
    problems.push(...both.map(({ code, signal, stderr }) => `exit ${code ?? signal ?? "?"}: ${stderr}`));
  }
  problems.push(...overlaps(place), ...(await violations(place)));
  return { problems, struck: 1, starts: 2, last: [killed, stopped].map((fault) => JSON.stringify(fault)) };
}

/** Two runs at the same time, by the first and the last line of their logs. */
function overlaps(place: Place): string[] {
  const runs = path.join(place.project, "looper-logs/runs");
  const spans = readdirSync(runs)
    .map((run) => ({ run, times: timesOf(readFileSync(path.join(runs, run, "events.jsonl"), "utf8")) }))
    .filter(({ times }) => times.length > 0)
    .sort((a, b) => ((a.times[0] ?? "") < (b.times[0] ?? "") ? -1 : 1));
  return spans.flatMap(({ run, times }, index) => {
    const next = spans[index + 1];
    const last = times.at(-1) ?? "";
    return next !== undefined && (next.times[0] ?? "") < last
      ? [`${run} and ${next.run} ran at the same time`]
      : [];
  });
}

function timesOf(log: string): string[] {
  return [...log.matchAll(/"timestamp":"([^"]+)"/g)].map(([, time = ""]) => time);
}

const DISK_KIB = 2048;
/** So many blocks of the disk are left at most: enough for a run of the scene. */
const MOST_FREE = 120;

/** A disk of its own with a few free blocks, then with room again; answers why not where none can be mounted. */
export function fullDisks(ground: Ground, { runs, seed }: Sample): Point[] | string {
  const probe = path.join(ground.template.root, "probe");
  const mounted = mountTmpfs(probe, DISK_KIB);
  if (typeof mounted === "string") return mounted;
  mounted.unmount();
  return seedsOf(Math.min(runs, SOME), seed).map((own) => ({
    again: `--only full --seed ${own} --runs 1`,
    run: () => onFullDisk(ground, Math.floor(seeded(own)() * MOST_FREE)),
  }));
}

async function onFullDisk(ground: Ground, spared: number): Promise<Tried> {
  let mount: Mount | undefined;
  const place = ground.template.copy((project) => {
    const mounted = mountTmpfs(project, DISK_KIB);
    if (typeof mounted === "string") throw new Error(mounted);
    mount = mounted;
  });
  try {
    // Where git does not see it.
    const ballast = path.join(place.project, ".git/ballast");
    const { bavail, bsize } = statfsSync(place.project);
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail - spared) * bsize));
    const { code, signal, stderr } = await place.start(["run", "--quiet"]);
    rmSync(ballast);
    const orderly = code !== undefined && code <= 3 && !/\bbug\b|\n {4}at /.test(stderr);
    // git has words of its own for it.
    const said = code !== 3 || /ENOSPC|No space left|Out of diskspace/.test(stderr);
    const outcome = await survive(place, []);
    if (!orderly || !said)
      outcome.problems.push(`with ${spared} free: exit ${code ?? signal ?? "?"}: ${stderr}`);
    return { ...outcome, folder: place.root };
  } finally {
    // Its content is removed with it, whatever the outcome.
    mount?.unmount();
    place.dispose();
  }
}
