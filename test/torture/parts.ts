// The parts of the torture: which points there are, and how each is reproduced. Leaves one point to survive.ts, the rest of the
// world to others.ts, and telling of it all to torture.ts.
import { seeded } from "../rig/chance.js";
import type { Deed, Fault } from "./fault.js";
import { contenders, fullDisks } from "./others.js";
import { Place } from "./place.js";
import { playIn, seedsOf, type Ground, type Point, type Sample } from "./points.js";
import { editAtRandom, sceneToEdit } from "./random-edits.js";
import { ALL_STAGES, randomScene, type Scene } from "./scenario.js";
import { survive } from "./survive.js";
import { killedSessions } from "./workflows/part.js";

/** The numbers of the calls of the unharmed run that match, those of them that are asked for. */
function numbers({ calls }: Ground, { every, from, at }: Sample, pattern: RegExp): number[] {
  if (at !== undefined) return [at];
  const all = calls.flatMap((call, index) => (pattern.test(call) ? [index + 1] : []));
  return all.filter((number) => number >= from).filter((_, index) => index % every === 0);
}

/** A fault at each call of a run that matches, one at a time. */
function atEach(name: string, deed: Deed, whenAt: (call: string) => Fault["when"], pattern = /^/) {
  return (ground: Ground, sample: Sample): Point[] =>
    numbers(ground, sample, pattern).map((at) => ({
      again: `--only ${name} --at ${at}`,
      run: () => {
        const when = whenAt(ground.calls[at - 1] ?? "");
        return playIn(ground.template.copy(), (place) => survive(place, [[{ at, when, deed }]]));
      },
    }));
}

/** So many starts are killed, one after the other, at random calls. */
function random({ bins }: Ground, { runs, seed }: Sample): Point[] {
  return seedsOf(runs, seed).map((own) => ({
    again: `--only random --seed ${own} --runs 1`,
    run: async () => {
      const chance = seeded(own);
      const scene = randomScene(chance);
      const most = 120 + scene.tasks.length * 120;
      const kills = 1 + Math.floor(chance() * 4);
      const harm = Array.from({ length: kills }, (): Fault[] => [
        {
          at: 1 + Math.floor(chance() * most),
          when: chance() < 0.5 ? "before" : "half",
          deed: chance() < 0.5 ? "kill" : "kill-group",
        },
      ]);
      return playIn(await Place.make(scene, bins), (place) => survive(place, harm));
    },
  }));
}

/** One of the calls of the unharmed run, by chance; those before and behind are left out. */
function someCall({ calls }: Ground, chance: () => number, [from, to] = [1, calls.length]): number {
  return from + Math.floor(chance() * (to - from + 1));
}

const SOME = 25;

/** Runs that are harmed at a random call, without being killed. */
function atRandom(
  name: string,
  scene: Scene,
  { harm, saves }: { harm: (ground: Ground, chance: () => number) => Fault[]; saves?: boolean },
) {
  return (ground: Ground, { runs, seed }: Sample): Point[] =>
    seedsOf(Math.min(runs, SOME), seed).map((own) => ({
      again: `--only ${name} --seed ${own} --runs 1`,
      run: async () =>
        playIn(await Place.make(scene, ground.bins), (place) => {
          writeSaved(place);
          return survive(place, [harm(ground, seeded(own))], { saves: saves ?? false });
        }),
    }));
}

/** A person edits at random beside a run. */
function randomEdits({ bins }: Ground, { runs, seed }: Sample): Point[] {
  return seedsOf(runs, seed).map((own) => ({
    again: `--only edits --seed ${own} --runs 1`,
    run: async () => {
      const chance = seeded(own);
      return playIn(await Place.make(sceneToEdit(chance), bins), (place) => editAtRandom(place, chance));
    },
  }));
}

const BY_HAND = "By hand";

/** The content that a person's editor is about to save: the file as it was at first, with one more task. */
function writeSaved(place: Place): void {
  const backlog = place.read("to-do.json");
  const task = `{ "id": "T90", "title": "${BY_HAND}", "priority": 4, "status": "todo" }`;
  place.write("../saved.json", backlog.replace(/\n {2}\]\n\}\n$/, `,\n    ${task}\n  ]\n}\n`));
}

function shell(at: number, line: string): Fault {
  return { at, when: "before", deed: "shell", line };
}

/** Before the review nothing is over yet: a save of old statuses is only a save. */
function duringWork(ground: Ground): [number, number] {
  const open = ground.calls.findIndex((call) => call.includes("001-iter-1"));
  const review = ground.calls.findIndex((call) => call.includes("-review-1"));
  return [open, review];
}

const WRITES = /^\d+ (?:append|writeNew) /;
/** Calls that change something, as the trace names them. */
const DOES =
  /^\d+ (?:append|sync|close|openAppend|write\w+|make\w+|remove\w*|rename|link|symlink|touch|start|contain|run|sweep) /;

/** By name: what there is to try, or why it cannot be tried here. */
export const PARTS = {
  kill: atEach("kill", "kill", () => "before"),
  group: atEach("group", "kill-group", () => "before"),
  // Half way through what only looks there is nothing that was not there before it.
  torn: atEach("torn", "kill", () => "half", DOES),
  // A full disk takes half of a write.
  enospc: atEach("enospc", "ENOSPC", (call) => (WRITES.test(call) ? "half" : "before")),
  eio: atEach("eio", "EIO", () => "before"),
  random,
  clock: atRandom("clock", ALL_STAGES, {
    harm: (ground, chance) => [
      { at: someCall(ground, chance), when: "before", deed: chance() < 0.5 ? "forward" : "back" },
    ],
  }),
  stop: atRandom("stop", ALL_STAGES, {
    harm: (ground, chance) =>
      [1, 2].map(() => ({ at: someCall(ground, chance), when: "before", deed: "stop" })),
  }),
  logs: atRandom("logs", ALL_STAGES, {
    harm: (ground, chance) => [shell(someCall(ground, chance), "rm -rf looper-logs")],
  }),
  saves: atRandom(
    "saves",
    { ...ALL_STAGES, added: [BY_HAND] },
    {
      saves: true,
      harm: (ground, chance) => {
        const at = someCall(ground, chance, duringWork(ground));
        if (chance() < 0.5) return [shell(at, "cp ../saved.json .to-do.swp && mv .to-do.swp to-do.json")];
        const then = at + 1 + Math.floor(chance() * 6);
        return [
          shell(at, "head -c 100 ../saved.json >to-do.json"),
          shell(then, "cat ../saved.json >to-do.json"),
        ];
      },
    },
  ),
  edits: randomEdits,
  locks: contenders,
  full: fullDisks,
  workflows: killedSessions,
} satisfies Record<string, (ground: Ground, sample: Sample) => Point[] | string | Promise<Point[]>>;
