// The scripted model's file: its schema, and the choice of the entry for a turn. Pure. scripted.ts plays the entries.
import { z } from "zod";
import type { ModelFailure } from "../model.js";

const Reason = z.enum([
  "rate-limited",
  "overloaded",
  "network",
  "not-signed-in",
  "no-credit",
  "model-unknown",
  "bad-request",
  "context-full",
  "interrupted",
  "incomplete",
] satisfies ModelFailure["reason"][]);

const Call = z.strictObject({
  name: z.string().min(1).describe("the tool's name as it is offered"),
  args: z.exactOptional(z.unknown()).describe("an object; a text means arguments that are not JSON"),
});
const count = z.int().min(0);

const ScriptEntry = z.strictObject({
  think: z.exactOptional(z.string().describe("the thinking before the answer")),
  say: z.exactOptional(z.string().describe("the text of the answer")),
  call: z.exactOptional(z.union([Call, z.array(Call).min(1)]).describe("one call, or several in one turn")),
  cut: z.exactOptional(z.literal(true).describe("the answer reached the output limit")),
  end: z.exactOptional(
    z.enum(["refused", "filtered", "paused"]).describe("how the answer ended, instead of normally"),
  ),
  usage: z.exactOptional(
    z
      .strictObject({
        input: count,
        output: count,
        cached: z.exactOptional(count),
        cache_write: z.exactOptional(count),
      })
      .describe("tokens"),
  ),
  fail: z.exactOptional(
    z
      .union([Reason, z.array(Reason).min(1)])
      .describe("how the first tries of the turn fail; an entry with nothing else always fails"),
  ),
  times: z.exactOptional(z.int().min(1).describe("how many turns the entry answers")),
  delay_ms: z.exactOptional(z.int().min(0).max(3_600_000)),
  piece_ms: z.exactOptional(
    z.int().min(0).max(60_000).describe("the pause before each piece of the text, of at most 40 characters"),
  ),
});
/** The answer to one turn, or to `times` turns. */
export type ScriptEntry = z.infer<typeof ScriptEntry>;

const Entries = z.array(ScriptEntry);

/** The answers by caller, turn by turn. */
export const ChapoScript = z.strictObject({
  $schema: z.exactOptional(z.string()),
  turns: z.exactOptional(Entries.describe("the session's own turns")),
  tasks: z.exactOptional(
    z
      .record(z.string(), Entries)
      .describe("instead of turns, by the task of the backlog; T1#2 is for the second attempt at T1"),
  ),
  default: z.exactOptional(Entries.describe("for tasks that are not named")),
  validation: z.exactOptional(Entries.describe("without it, every answer passes the validation")),
  summary: z.exactOptional(Entries),
  compaction: z.exactOptional(Entries),
  agents: z.exactOptional(z.record(z.string(), Entries).describe("for sub-agents, by their type")),
});
export type ChapoScript = z.infer<typeof ChapoScript>;

/** The turn to answer. */
export interface ScriptTurn {
  who: string;
  /** From 0. */
  turn: number;
  /** The task of the backlog. */
  taskId?: string;
  /** The attempt at that task, from 1. */
  attempt?: number;
}

const COMPLETE: ScriptEntry = { say: '{"isComplete":true,"confidence":0.9,"issues":[]}' };
const SUMMARY: ScriptEntry = { say: "The steps above show what is done and what is open." };

/** Returns the entry for a turn; `missing` explains which list has none. */
export function chooseEntry(script: ChapoScript, turn: ScriptTurn): ScriptEntry | { missing: string } {
  const { name, entries, usual } = chooseList(script, turn);
  if (entries === undefined) return usual ?? { missing: `"${name}" is missing` };
  let left = turn.turn;
  for (const entry of entries) {
    left -= entry.times ?? 1;
    if (left < 0) return entry;
  }
  return {
    missing: `"${name}" has no entry for turn ${turn.turn + 1}: it ends after ${turn.turn - left}`,
  };
}

/** Returns why a try of a turn fails, counted from 0; `undefined` if it succeeds. */
export function getFailure(entry: ScriptEntry, before: number): ModelFailure["reason"] | undefined {
  const { fail, say, call, cut } = entry;
  if (fail === undefined) return undefined;
  const reasons = typeof fail === "string" ? [fail] : fail;
  const always = say === undefined && call === undefined && cut === undefined;
  return reasons[before] ?? (always ? reasons.at(-1) : undefined);
}

interface List {
  name: string;
  entries: readonly ScriptEntry[] | undefined;
  /** The answer if the list is missing. */
  usual?: ScriptEntry;
}

function chooseList(script: ChapoScript, { who, taskId, attempt = 1 }: ScriptTurn): List {
  switch (who) {
    case "validation":
      return { name: who, entries: script.validation, usual: COMPLETE };
    case "summary":
    case "compaction":
      return { name: who, entries: script[who], usual: SUMMARY };
    case "looper": {
      const { turns, default: other } = script;
      if (taskId === undefined) return { name: "turns", entries: turns ?? other };
      const nth = `${taskId}#${attempt}`;
      const again = getEntries(script.tasks, nth);
      if (again !== undefined) return { name: `tasks.${nth}`, entries: again };
      const own = getEntries(script.tasks, taskId);
      const name = own !== undefined ? `tasks.${taskId}` : other !== undefined ? "default" : "turns";
      return { name, entries: own ?? other ?? turns };
    }
    default:
      return { name: `agents.${who}`, entries: getEntries(script.agents, who) };
  }
}

function getEntries(
  lists: Readonly<Record<string, ScriptEntry[]>> | undefined,
  name: string,
): ScriptEntry[] | undefined {
  return lists !== undefined && Object.hasOwn(lists, name) ? lists[name] : undefined;
}
