// The model that plays a file: for tests, the demo and who wants to see the engine without a key. No network.
// Leaves which entry is played to script-file.ts.
import path from "node:path";
import type { Prices } from "../../config/read/prices.js";
import { UserError } from "../../system/errors.js";
import { given } from "../../system/given.js";
import type { Clock, Files } from "../../system/ports.js";
import { tryParseJson } from "../../system/text/json.js";
import type { ModelReply, ModelRequest } from "../model.js";
import { computeCost } from "./cost.js";
import { pause } from "./pause.js";
import type { Miss, Provider } from "./provider.js";
import { ChapoScript, chooseEntry, getFailure, type ScriptEntry } from "./script-file.js";

/** Nobody is protected by a longer wait. */
const RETRY_MS = 10;

export interface Play {
  /** `scripted/...`. */
  name: string;
  script: ChapoScript;
  /** What the script is called in messages. */
  file: string;
  clock: Clock;
  /** The task of the backlog it is asked for. */
  taskId?: string;
  /** At that task, from 1. */
  attempt?: number;
  /** The text comes in pieces. */
  stream: boolean;
  prices?: Prices;
}

/** Reads and checks a script. A `usage` error names what is wrong in it, and where. */
export async function readScript(files: Files, file: string): Promise<ChapoScript> {
  const bytes = await files.read(file);
  const hint = "see schemas/chapo-script.schema.json";
  if (bytes === undefined)
    throw new UserError(
      "usage",
      `the script ${file} is not there`,
      "create it, or correct the setting `script`",
    );
  const json = tryParseJson(bytes);
  if (!json.ok)
    throw new UserError("usage", `cannot read the script ${file}: not JSON: ${json.error}`, "correct it");
  const parsed = ChapoScript.safeParse(json.value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw new UserError("usage", `the script ${file} is not right${where}: ${issue?.message ?? ""}`, hint);
}

/** A model that answers from a script; it remembers nothing: the turn says which entry it is. */
export function createScriptedProvider(play: Play): Provider {
  return { name: play.name, ask: (request, before) => playTurn(play, request, before) };
}

async function playTurn(
  play: Play,
  request: ModelRequest,
  before: number,
): Promise<{ reply: ModelReply } | Miss> {
  const { name, script, file, clock, taskId, attempt = 1 } = play;
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
    const message = `${name}: ${reason}, as ${path.basename(file)} has it`;
    return { failure: { reason, message }, retryAfterMs: RETRY_MS };
  }
  const reply = toReply(entry, request, play);
  if (play.stream && request.onText !== undefined)
    for (const piece of reply.text.match(/[\s\S]{1,40}/g) ?? []) request.onText(piece);
  return { reply };
}

function toReply(entry: ScriptEntry, { who, turn }: ModelRequest, { name: model, prices }: Play): ModelReply {
  const { say = "", call = [], cut } = entry;
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
          cacheWrite: 0,
        };
  const costUsd = usage === undefined ? undefined : computeCost(usage, model, prices);
  return {
    text: say,
    calls,
    finish: cut === true ? "cut" : calls.length > 0 ? "calls" : "stop",
    ...given({ usage, costUsd }),
    model,
  };
}
