// Measures what the reviewer of the workflow `implement-review` adds to a verified task: rooms, time and tokens. The reviewer is
// scripted, so the figures are the runner's own share. Tokens are those of the prompts, estimated.
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { forEachOf, isStopping } from "../stage.mjs";
import { judge } from "./judge.mjs";
import { runLooper } from "./work.mjs";

/** @typedef {import("../stage.mjs").Stage} Stage */
/** @typedef {import("./types.js").GrownCase} GrownCase */
/** @typedef {{ rooms: number, ms: number, tokens: number }} Spent */
/** @typedef {{ name: string, without: Spent, with: Spent }} Pair both are verified */

const WORKFLOW = "implement-review";

/**
 * Every case under `default` and under `implement-review`, one right after the other.
 * @param {Stage} stage
 * @param {readonly GrownCase[]} cases
 * @param {{ program: string, cold: string, jobs: number }} how
 */
export async function measureReview(stage, cases, { program, cold, jobs }) {
  /** @type {Pair[]} */
  const pairs = [];
  /** @type {string[]} */
  const different = [];
  await forEachOf(cases, jobs, async (one) => {
    /** @param {string} workflow */
    const runIn = async (workflow) => {
      const place = path.join(stage.root, "review", workflow, one.name.replaceAll("/", "."));
      mkdirSync(place, { recursive: true });
      const ending = await runLooper(stage, one, { program, place, cold, workflow });
      rmSync(place, { recursive: true, force: true });
      const { rooms, ms, tokens } = ending;
      return { said: judge(one, ending).said, rooms, ms, tokens };
    };
    const without = await runIn("default");
    const reviewed = await runIn(WORKFLOW);
    if (isStopping()) return;
    if (without.said !== reviewed.said)
      different.push(`${one.name}: ${without.said}, with a review ${reviewed.said}`);
    else if (without.said === "verified") pairs.push({ name: one.name, without, with: reviewed });
  });
  return figuresOf({ cases: cases.length, pairs, different: different.sort() });
}

/** @param {{ cases: number, pairs: readonly Pair[], different: readonly string[] }} measured */
function figuresOf({ cases, pairs, different }) {
  /** @param {"without" | "with"} side @param {keyof Spent} what */
  const mean = (side, what) => pairs.reduce((sum, pair) => sum + pair[side][what], 0) / pairs.length;
  /** @param {keyof Spent} what */
  const both = (what) => ({ without: mean("without", what), with: mean("with", what) });
  return {
    ...{ cases, verified: pairs.length, different },
    ...{ rooms: both("rooms"), ms: both("ms"), tokens: both("tokens") },
  };
}

/** @param {Awaited<ReturnType<typeof measureReview>>} figures */
export function reviewLines({ cases, verified, different, rooms, ms, tokens }) {
  /** @param {{ without: number, with: number }} pair @param {number} digits */
  const added = (pair, digits) =>
    `${(pair.with - pair.without).toFixed(digits)} more: ${pair.with.toFixed(digits)} against ${pair.without.toFixed(digits)}`;
  return [
    `${WORKFLOW} against default, of ${cases} cases: ${verified} verified by both, ${different.length} judged differently`,
    ...different,
    ...(verified === 0
      ? []
      : [
          `rooms a verified task: ${added(rooms, 1)}`,
          `seconds a verified task: ${added({ without: ms.without / 1000, with: ms.with / 1000 }, 2)}`,
          `tokens of prompts a verified task: ${added(tokens, 0)}`,
        ]),
  ].join("\n");
}
