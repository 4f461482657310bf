// A model that plays a script file, for tests, the demo, and a look at the engine without a key. It uses no network.
// script-file.ts chooses the entry for a turn.
import path from "node:path";
import type { Prices } from "../../config/read/prices.js";
import { UserError } from "../../system/errors.js";
import type { Clock, Files } from "../../system/ports.js";
import { tryParseJson } from "../../system/text/json.js";
import type { ModelReply, ModelRequest } from "../model.js";
import { computeCost } from "./cost.js";
import { pause } from "./pause.js";
import type { FailedRequest, Provider } from "./provider.js";
import { ChapoScript, chooseEntry, getFailure, type ScriptEntry } from "./script-file.js";

/** Short, because a scripted model needs no protection from retries. */
const RETRY_MS = 10;

export interface ScriptedSettings {
  /** `scripted/...`. */
  name: string;
  script: ChapoScript;
  /** The script's name in messages. */
  file: string;
  clock: Clock;
  /** The task of the backlog. */
  taskId?: string;
  /** The attempt at that task, from 1. */
  attempt?: number;
  /** Whether the text is sent in pieces. */
  stream: boolean;
  prices?: Prices;
}

/** Reads and checks a script. A `usage` error names the problem and its place. */
export async function readScript(files: Files, file: string): Promise<ChapoScript> {
  const bytes = await files.read(file);
  const hint = "see looper/schemas/chapo-script.schema.json";
  if (bytes === undefined)
    throw new UserError(
      "usage",
      `cannot read the script ${file}: it does not exist`,
      "create it, or correct the setting `script`",
    );
  const json = tryParseJson(bytes);
  if (!json.ok)
    throw new UserError("usage", `cannot read the script ${file}: not JSON: ${json.error}`, "correct it");
  const parsed = ChapoScript.safeParse(json.value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw new UserError("usage", `the script ${file} is not valid${where}: ${issue?.message ?? ""}`, hint);
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
  const entry = chooseEntry(script, { who, turn, ...(taskId === undefined ? {} : { taskId, attempt }) });
  if ("missing" in entry) {
    const message = `${name}: ${entry.missing} in ${path.basename(file)}`;
    return { failure: { reason: "bad-request", message } };
  }
  if (entry.delay_ms !== undefined) await pause(clock, entry.delay_ms, signal);
  if (signal.aborted) return { failure: { reason: "interrupted", message: `${name}: interrupted` } };
  const reason = getFailure(entry, before);
  if (reason !== undefined) {
    const message = `${name}: ${reason}, as scripted in ${path.basename(file)}`;
    return { failure: { reason, message }, retryAfterMs: RETRY_MS };
  }
  const reply = toReply(entry, request, settings);
  const { onText, onThought } = request;
  if (settings.stream)
    for (const [text, tell] of [
      [entry.think ?? "", onThought],
      [reply.text, onText],
    ] as const)
      if (tell !== undefined && !(await sendPieces(settings, { text, tell, entry, signal })))
        return { failure: { reason: "interrupted", message: `${name}: interrupted` } };
  return { reply };
}

/** Returns whether the whole text was sent. */
async function sendPieces(
  { clock }: ScriptedSettings,
  {
    text,
    tell,
    entry,
    signal,
  }: { text: string; tell: (piece: string) => void; entry: ScriptEntry; signal: AbortSignal },
): Promise<boolean> {
  for (const piece of text.match(/[\s\S]{1,40}/g) ?? []) {
    if (entry.piece_ms !== undefined) await pause(clock, entry.piece_ms, signal);
    if (isAborted(signal)) return false;
    tell(piece);
  }
  return true;
}

/** It can change while a text is sent. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
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
  const usage =
    entry.usage === undefined
      ? undefined
      : {
          input: entry.usage.input,
          output: entry.usage.output,
          cached: entry.usage.cached ?? 0,
          cacheWrite: entry.usage.cache_write ?? 0,
        };
  const costUsd = usage === undefined ? undefined : computeCost(usage, model, prices);
  return {
    text: say,
    calls,
    finish: end ?? (cut === true ? "cut" : calls.length > 0 ? "calls" : "stop"),
    usage,
    costUsd,
    model,
  };
}
