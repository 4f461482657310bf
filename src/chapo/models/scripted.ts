// A model that plays a script file, for tests, the demo, and a look at the engine without a key. It uses no network.
import path from "node:path";
import type { Prices } from "../../config/read/prices.js";
import { type UserError, usageError } from "../../system/errors.js";
import type { Clock, Files } from "../../system/ports.js";
import { pause } from "../../system/pause.js";
import { tryParseJson } from "../../system/text/json.js";
import { MODEL_FAILURES, type ModelReply, type ModelRequest, type ModelFailure } from "../model.js";
import { computeCost } from "./sdk-messages.js";
import { createInterrupted, isAborted, type FailedRequest, type Provider } from "./fallback-chain.js";
import { z } from "zod";

/** Short, because a scripted model needs no protection from retries. */
const RETRY_MS = 10;

interface ScriptedSettings extends Pick<ScriptTurn, "taskId" | "attempt"> {
  /** `scripted/...`. */
  name: string;
  script: ChapoScript;
  /** The script's name in messages. */
  file: string;
  clock: Clock;
  /** Whether the text is sent in pieces. */
  stream: boolean;
  prices?: Prices;
}

/** Reads and checks a script. A `usage` error names the problem and its place. */
export async function readScript(files: Files, file: string): Promise<ChapoScript> {
  const bytes = await files.read(file);
  const unread = (why: string, remedy: string): UserError =>
    usageError(`cannot read the script ${file}: ${why}`, remedy);
  const hint = "see looper/schemas/chapo-script.schema.json";
  if (bytes === undefined) throw unread("it does not exist", "create it, or correct the setting `script`");
  const json = tryParseJson(bytes);
  if (!json.ok) throw unread(`not JSON: ${json.error}`, "correct it");
  const parsed = ChapoScript.safeParse(json.value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw usageError(`the script ${file} is not valid${where}: ${issue?.message ?? ""}`, hint);
}

/** Creates a model that answers from a script. It has no state: the request's turn selects the entry. */
export function createScriptedProvider(settings: ScriptedSettings): Provider {
  return { name: settings.name, ask: (request, before) => playTurn(settings, request, before) };
}

async function playTurn(
  settings: ScriptedSettings,
  request: ModelRequest,
  before: number,
): Promise<{ reply: ModelReply } | FailedRequest> {
  const { name, script, file, clock, taskId, attempt = 1 } = settings;
  const { who, turn, signal } = request;
  const entry = chooseEntry(script, { who, turn, taskId, attempt });
  if ("missing" in entry) {
    const message = `${name}: ${entry.missing} in ${path.basename(file)}`;
    return { failure: { reason: "bad-request", message } };
  }
  if (entry.delay_ms !== undefined) await pause(clock, entry.delay_ms, signal);
  if (signal.aborted) return createInterrupted(settings);
  const reason = getFailure(entry, before);
  if (reason !== undefined) {
    const message = `${name}: ${reason}, as scripted in ${path.basename(file)}`;
    return { failure: { reason, message }, retryAfterMs: RETRY_MS };
  }
  const reply = toReply(entry, request, settings);
  const { onText, onThought } = request;
  const told = [[entry.think ?? "", onThought] as const, [reply.text, onText] as const];
  for (const [text, tell] of settings.stream ? told : [])
    for (const piece of tell === undefined ? [] : (text.match(/[\s\S]{1,40}/g) ?? [])) {
      if (entry.piece_ms !== undefined) await pause(clock, entry.piece_ms, signal);
      if (isAborted(request)) return createInterrupted(settings);
      tell?.(piece);
    }
  return { reply };
}

function toReply(
  entry: ScriptEntry,
  { who, turn }: ModelRequest,
  { name: model, prices }: ScriptedSettings,
): ModelReply {
  const { say = "", call = [], cut, end } = entry;
  const calls = (Array.isArray(call) ? call : [call]).map(({ name, args = {} }, at) => ({
    id: `call_${who.replaceAll(/\W/g, "_")}_${turn + 1}_${at + 1}`,
    name,
    args: structuredClone(args),
  }));
  const finish = end ?? (cut === true ? "cut" : calls.length > 0 ? "calls" : "stop");
  const reply: ModelReply = { text: say, calls, finish, model };
  if (entry.usage === undefined) return reply;
  const { input, output, cached = 0, cache_write: cacheWrite = 0 } = entry.usage;
  const usage = { input, output, cached, cacheWrite };
  return { ...reply, usage, costUsd: computeCost(usage, model, prices) };
}

const Reason = z.enum(MODEL_FAILURES).exclude(["budget"]);

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
interface ScriptTurn {
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
      const tasks = new Map(Object.entries(script.tasks ?? {}));
      const nth = `${taskId}#${attempt}`;
      const again = tasks.get(nth);
      if (again !== undefined) return { name: `tasks.${nth}`, entries: again };
      const own = tasks.get(taskId);
      const name = own !== undefined ? `tasks.${taskId}` : other !== undefined ? "default" : "turns";
      return { name, entries: own ?? other ?? turns };
    }
    default:
      return { name: `agents.${who}`, entries: new Map(Object.entries(script.agents ?? {})).get(who) };
  }
}
