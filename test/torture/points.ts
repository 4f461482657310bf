// Plays the points of a part, each in a folder of its own. Leaves the choice of points to parts.ts.
import { Place } from "./place.js";
import { ALL_STAGES } from "./scenario.js";
import type { Outcome } from "./survive.js";

/** One thing to try. `again`: the flags that try it alone. */
export interface Point {
  again: string;
  /** Answers with what was wrong; the folder is kept when anything was. */
  run(): Promise<Tried>;
}

export interface Tried extends Outcome {
  /** Absolute path of the folder it was played in. */
  folder: string;
}

/** The needs of every part. */
export interface Ground {
  /** Absolute path of the folder that build.mjs made. */
  bins: string;
  /** A project with ALL_STAGES that was not touched. */
  template: Place;
  /** The calls of an undisturbed run of it, a line each. */
  calls: readonly string[];
}

/** Those points of a part that are asked for. */
export interface Sample {
  /** Every so many, from this one on. */
  every: number;
  from: number;
  /** Only this one. */
  at?: number;
  /** Of the part `workflows`: only this workflow, or this start of it, as `tdd:3`. */
  session?: string;
  /** Of the part `workflows`: so many starts are killed, one after the other. */
  kills?: number;
  runs: number;
  seed: number;
}

export function playIn(place: Place, act: (place: Place) => Promise<Outcome>): Promise<Tried> {
  return act(place).then(
    (outcome) => {
      place.dispose(outcome.problems.length > 0);
      return { ...outcome, folder: place.root };
    },
    (error: unknown) => {
      place.dispose(true);
      const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return { problems: [problem], struck: 0, starts: 0, last: [], folder: place.root };
    },
  );
}

/** One seed a run, so that each can be told again. */
export function seedsOf(runs: number, seed: number): number[] {
  return Array.from({ length: runs }, (_, index) => seed + index);
}

/** Counts the calls of an undisturbed run. */
export async function prepare(bins: string): Promise<Ground> {
  const template = await Place.make(ALL_STAGES, bins);
  const place = template.copy();
  const { calls } = await place.start(["run", "--quiet"]);
  place.dispose();
  return { bins, template, calls };
}

/** Tries all points, so many at a time; tells of each. */
export async function tryAll(
  points: readonly Point[],
  workers: number,
  tell: (point: Point, tried: Tried) => void,
): Promise<void> {
  const queue = [...points];
  const work = async (): Promise<void> => {
    for (let point = queue.shift(); point !== undefined; point = queue.shift())
      tell(point, await point.run());
  };
  await Promise.all(Array.from({ length: workers }, work));
}
