// A script of Chapo's scripted model (the same file), played by the model server: who asks is told by the prompt it sends.
import { readFileSync } from "node:fs";
import { never } from "../../src/system/never.js";
import type { ModelFailure } from "../../src/chapo/model.js";
import { ChapoScript, chooseEntry, getFailure, type ScriptEntry } from "../../src/chapo/models/scripted.js";
import type { Answer, Asked, Move, Offered } from "./dialect.js";
import type { Fault } from "./scenario.js";

/** On whose behalf a request is made, and for which task of a backlog. */
export interface Asker {
  who: string;
  taskId?: string;
}

export interface ChapoPlay {
  script: ChapoScript;
  /** By the prompts of the project, where nothing is said; no task then. */
  who?: (asked: Asked) => Asker;
  /** It thinks before each answer, and its client has to hand that back. */
  thinks?: boolean;
}

type Played =
  | { fault: Fault }
  | { answer: Pick<Answer, "moves" | "cut" | "thought"> & { usage?: ScriptEntry["usage"] } };

/** Plays a script, and counts the turns of each who asks. */
export class ChapoPlayer {
  readonly #play: ChapoPlay;
  readonly #turns = new Map<string, number>();
  readonly #tries = new Map<string, number>();

  constructor(play: ChapoPlay) {
    this.#play = { ...play, script: ChapoScript.parse(play.script) };
  }

  /** The next answer for a caller, or the failure of this try. Throws where the script has none. */
  next(asked: Asked): Played & Asker {
    const asker = this.#play.who?.(asked) ?? { who: whoOf(asked.system) };
    const key = `${asker.who} ${asker.taskId ?? ""}`;
    const turn = this.#turns.get(key) ?? 0;
    const entry = chooseEntry(this.#play.script, { ...asker, turn });
    if ("missing" in entry) throw new Error(entry.missing);
    const tries = this.#tries.get(key) ?? 0;
    const reason = getFailure(entry, tries);
    if (reason !== undefined) {
      this.#tries.set(key, tries + 1);
      return { ...asker, fault: faultOf(reason) };
    }
    this.#turns.set(key, turn + 1);
    this.#tries.delete(key);
    const { thinks: thought = false } = this.#play;
    const { cut = false, usage } = entry;
    const moves = movesOf(entry, asked.tools);
    return { ...asker, answer: { moves, cut, thought, ...(usage === undefined ? {} : { usage }) } };
  }
}

function movesOf({ say, call = [] }: ScriptEntry, offered: readonly Offered[]): Move[] {
  const calls = (Array.isArray(call) ? call : [call]).map(({ name, args = {} }): Move => {
    if (typeof args !== "object" || args === null)
      throw new Error(`${name}: only an object goes over the wire`);
    return { call: offered.find((tool) => tool.name === name) ?? { name, takes: [] }, input: { ...args } };
  });
  return say === undefined && calls.length > 0 ? calls : [{ say: say ?? "" }, ...calls];
}

/** No client waits longer than a test can. */
const SOON = { retryAfterSeconds: 0 };

function faultOf(reason: ModelFailure["reason"]): Fault {
  switch (reason) {
    case "rate-limited":
      return { fault: "refused", problem: "rate-limit", ...SOON };
    case "overloaded":
      return { fault: "refused", problem: "overloaded", ...SOON };
    case "network":
      return { fault: "mid-stream", how: "disconnects" };
    case "not-signed-in":
      return { fault: "refused", problem: "unauthorized" };
    case "no-credit":
      return { fault: "refused", problem: "credit" };
    case "model-unknown":
    case "bad-request":
    case "context-full":
      return { fault: "refused", problem: reason };
    case "interrupted":
    case "incomplete":
    case "budget":
      throw new Error(`no provider answers "${reason}"`);
    default:
      return never(reason);
  }
}

const PROMPTS = new URL("../../prompts/chapo/", import.meta.url);
const OWN = ["validation", "summary", "compaction", "explore", "plan", "code", "test"];

/** The agent whose prompt a system prompt holds, in any language. */
function whoOf(system: string): string {
  // Beside the languages there are the profiles.
  for (const language of ["en", "de"])
    for (const who of OWN) {
      const text = readFileSync(new URL(`${language}/${who}.md`, PROMPTS), "utf8").trim();
      if (system.includes(text)) return who;
    }
  return "looper";
}
