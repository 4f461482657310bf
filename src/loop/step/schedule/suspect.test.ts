import { expect, test } from "vitest";
import { NEVER_BEGAN } from "../../../agents/process/exit-reason.js";
import type { EventOf } from "../../../logging/events/events.js";
import type { TaskId } from "../../../todo/model/task.js";
import { weighAgent } from "./suspect.js";

type Seen = Parameters<typeof weighAgent>[0];
const HOURS = 7_200_000;

/** The verdicts on an agent that was silent for hours at one task after another; `hasOther`: another task can go. */
function weigh(
  ids: readonly string[],
  { evidence, tokens, hasOther = true }: { evidence: string; tokens?: number; hasOther?: boolean },
): (string | undefined)[] {
  let work: Seen = { suspects: new Map(), held: new Set(), clients: new Set(["a"]) };
  return ids.map((id, at) => {
    const facts = {
      job: at,
      phase: "iteration",
      iteration: at,
      agent: "a",
      attempt: 1,
      task_id: id as TaskId,
    } as const;
    const end: EventOf<"agent_finished"> = {
      ...{
        type: "agent_finished",
        ...facts,
        outcome: "failed",
        reason: "idle",
        evidence,
        duration_ms: HOURS,
      },
      ...{ unknown_events: 0, seq: at, timestamp: "2026-11-30T00:00:00.000Z" },
      ...(tokens === undefined ? {} : { usage: { input_tokens: tokens, output_tokens: 0 } }),
    };
    const { suspects, held, failed } = weighAgent(work, { facts, end }, { worked: false, hasOther });
    work = {
      ...work,
      suspects,
      held: new Set([...(work.held ?? []), ...(held === undefined ? [] : [held])]),
    };
    return failed?.kind === "failed" ? failed.reason : failed?.kind;
  });
}

const silent = { evidence: `${NEVER_BEGAN}: printed nothing for 20 min (agents.a.idle_timeout)` };

test("a client that hangs at two tasks in a row before it began is dropped, and no task is blocked for it", () => {
  expect(weigh(["T1", "T2"], silent)).toEqual(["held", "unusable"]);
});

test.each([
  ["that began", ["T1", "T2"], { evidence: "printed nothing for 20 min (agents.a.idle_timeout)" }],
  ["that used tokens", ["T1", "T2"], { ...silent, tokens: 7 }],
  ["at the same task twice", ["T1", "T1"], { ...silent, hasOther: false }],
] as const)("a silent client %s is not", (_, ids, how) => {
  expect(weigh(ids, how)).toEqual([undefined, undefined]);
});
