// A puppet in the stages of the shipped workflows: what an agent reports in each, unless a story says otherwise.
import type { Turn } from "./puppet.js";

/** The stage that an agent was started for. */
export function stageOf(turn: Turn): string {
  return turn.hello.env["LOOPER_STAGE"] ?? "";
}

/** The number of stages that its task had entered. */
export function visitOf(turn: Turn): number {
  return Number(turn.hello.env["LOOPER_VISIT"] ?? 0);
}

export const PLAN = {
  summary: "Write the greeting into a file",
  steps: ["Write hello.txt", "Check it"],
  files_to_create: [{ path: "hello.txt", purpose: "the greeting" }],
  items: ["Write hello.txt"],
};

/** The reports of the stages that a story does not play itself: the work is one file, the review finds nothing. */
export const USUAL: Readonly<Record<string, (turn: Turn) => Promise<void>>> = {
  clarify: (turn) =>
    turn.report({ outcome: "clear", output: { status: "clear", clarified_query: "Write a greeting" } }),
  plan: (turn) => turn.report({ outcome: "done", output: PLAN }),
  implement: async (turn) => {
    await turn.write("hello.txt", "hello\n");
    await turn.report({
      outcome: "done",
      summary: "Wrote the greeting",
      output: { completed: ["Write hello.txt"] },
    });
  },
  execute: async (turn) => {
    await turn.write("hello.txt", "hello\n");
    await turn.report({ outcome: "done", summary: "Wrote the greeting" });
  },
  review: (turn) => turn.report({ outcome: "complete", output: { findings: [] } }),
  validate: (turn) => turn.report({ outcome: "complete", output: { findings: [] } }),
};

/** Plays every stage: the story's own way, else the usual one. */
export function playStages(
  own: Readonly<Record<string, (turn: Turn) => Promise<void>>> = {},
): (turn: Turn) => Promise<void> {
  return async (turn) => {
    const stage = stageOf(turn);
    const play = own[stage] ?? USUAL[stage];
    if (play === undefined) throw new Error(`no story plays the stage "${stage}"`);
    await play(turn);
  };
}
