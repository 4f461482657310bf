// A talk with the engine: one message and its outcome, or a prompt line until the person has had enough. Leaves how it looks
// to ui/terminal/chapo-lines.ts, and the work to src/chapo/session/open-session.ts.
import type { ChapoEvent } from "../../../src/chapo/engine/events.js";
import type { ConversationOutcome } from "../../../src/chapo/engine/world.js";
import { openChapo } from "../../../src/chapo/session/open-session.js";
import type { Chapo } from "../../../src/chapo/session/session-request.js";
import { given } from "../../../src/system/given.js";
import { never } from "../../../src/system/never.js";
import { nodeNetwork } from "../../../src/system/network.js";
import { jsonText } from "../../../src/ui/json-text.js";
import { clean } from "../../../src/ui/text.js";
import {
  hasFlag,
  listFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Signal,
  type Typed,
} from "../../context/command-context.js";
import { askPerson } from "./ask-person.js";
import { modelOf, trustSite, type ChapoSite } from "./site.js";
import { Telling } from "./telling.js";

/** How a talk is told: as JSON lines, or as text. */
type Tell = Pick<Telling, "see" | "settled">;

/** Hears `message`, or what a person says at a prompt line; the end is that of the last outcome. */
export async function talk(
  context: CommandContext,
  typed: Typed,
  site: ChapoSite,
  message: string | undefined,
): Promise<CommandOutcome> {
  await trustSite(context, typed, site);
  const model = await modelOf(context, typed, site);
  const json = hasFlag(typed, "--json");
  const tell: Tell = json ? jsonLines(context) : new Telling(context);
  const interrupts = listen(context);
  const chapo = await openHere(context, typed, { site, model, tell, signal: interrupts.begin().signal });
  try {
    const signal = interrupts.end();
    if (signal !== undefined) return { ending: "interrupted", signal };
    if (message !== undefined) return await hearOne({ chapo, tell, interrupts }, message);
    return await promptLine(context, { chapo, tell, interrupts });
  } finally {
    await chapo.close();
  }
}

interface Talk {
  chapo: Chapo;
  tell: Tell;
  interrupts: Interrupts;
}

function openHere(
  context: CommandContext,
  typed: Typed,
  { site, model, tell, signal }: { site: ChapoSite; model: string; tell: Tell; signal: AbortSignal },
): Promise<Chapo> {
  const { ports, home, promptsFolder, stdin } = context;
  const { settings, env, redact, sessionsFolder, project, agent } = site;
  const resume = textFlag(typed, "--session");
  return openChapo({
    ports,
    network: nodeNetwork(),
    root: project.folder,
    env,
    home,
    settings,
    model,
    promptsFolder,
    sessionsFolder,
    permissions: agent.permissions,
    redact,
    signal,
    ...given({ resume }),
    skills: listFlag(typed, "--skill"),
    ...(stdin.isTerminal ? { ask: (question) => askPerson(context, question) } : {}),
    onEvent: (event) => {
      tell.see(event);
    },
    onWarning: (text) => {
      void context.report({ level: "warn", lines: [`looper: ${clean(redact(text))}`] });
    },
  });
}

function jsonLines({ out }: CommandContext): Tell {
  let last: Promise<void> = Promise.resolve();
  return {
    see: (event: ChapoEvent) => {
      last = last.then(() => out.write(`${jsonText(event)}\n`));
    },
    settled: () => last,
  };
}

async function hearOne({ chapo, tell, interrupts }: Talk, message: string): Promise<CommandOutcome> {
  const turn = interrupts.begin();
  const outcome = await chapo.send(message, turn.signal);
  await tell.settled();
  const signal = interrupts.end();
  return signal === undefined ? endOf(outcome) : { ending: "interrupted", signal };
}

/** Until the person turns away; Ctrl-C ends a turn first, and the talk at the prompt. */
async function promptLine(context: CommandContext, talking: Talk): Promise<CommandOutcome> {
  const { chapo } = talking;
  await context.report({
    level: "info",
    lines: [`session ${chapo.id}; /clear forgets, /compact sums up, Ctrl-D ends`],
  });
  for (;;) {
    const message = await context.ask("You", "what is to be done");
    if (message === undefined || talking.interrupts.gone()) return "ok";
    if (!/\S/u.test(message)) continue;
    const end = await hearOne(talking, message);
    if (typeof end === "object" && "ending" in end && end.signal === "SIGTERM") return end;
  }
}

/** A missing key or an unreachable provider is an error of the environment (3); every other failure ends with no (1). */
function endOf(outcome: ConversationOutcome): CommandOutcome {
  switch (outcome.how) {
    case "answer":
    case "finished":
      return "ok";
    case "clarify":
      return "no";
    case "error":
      return SURROUNDINGS.has(outcome.reason) ? { ending: "environment" } : "no";
    default:
      return never(outcome);
  }
}

const SURROUNDINGS = new Set<string>([
  "not-signed-in",
  "no-credit",
  "model-unknown",
  "network",
  "overloaded",
  "rate-limited",
]);

/** Signals for the turn in progress. */
interface Interrupts {
  begin(): AbortController;
  /** The signal it was ended by, if it was. */
  end(): Signal | undefined;
  /** Whether a signal came between two turns. */
  gone(): boolean;
}

function listen(context: CommandContext): Interrupts {
  let turn: AbortController | undefined;
  let heard: Signal | undefined;
  let gone = false;
  context.onSignal((signal) => {
    // The second one is not waited for.
    if (heard !== undefined) return false;
    heard = signal;
    if (turn === undefined) gone = true;
    else turn.abort();
    return true;
  });
  return {
    begin: () => {
      turn = new AbortController();
      return turn;
    },
    end: () => {
      const signal = heard;
      turn = undefined;
      heard = undefined;
      return signal;
    },
    gone: () => gone,
  };
}
