// `looper chapo`: the built-in engine, used by a person. Leaves the settings to site.ts, the conversation to converse.ts, the lists to
// lists.ts, and the work to src/chapo.
import { UserError } from "../../../src/system/errors.js";
import { never } from "../../../src/system/never.js";
import { answerCall, answerQuestion } from "./answer-call.js";
import { steerSession } from "./steer-session.js";
import { undoSession } from "./undo-session.js";
import { listPending } from "./pending.js";
import { listPrompts, listSessionsHere, listTools } from "./lists.js";
import { siteOf } from "./site.js";
import { converse } from "./converse.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { CHAPO_LISTS } from "../../context/words.js";

/** Answers one message, or opens a conversation at a prompt; or prints a list. */
export async function chapo(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  if (hasFlag(typed, "--serve-stdio")) return serve(context, typed);
  const site = await siteOf(context, typed);
  const [verb] = typed.operands;
  refuseLoneVerb(typed);
  // A message of one word is a message; so is a quoted one.
  if ((verb === "approve" || verb === "reject") && typed.operands.length === 2)
    return answerCall(context, typed, site, verb);
  if (verb === "answer" && typed.operands.length > 2) return answerQuestion(context, typed, site);
  if (verb === "steer" && typed.operands.length > 2) return steerSession(context, typed, site);
  if (verb === "undo" && typed.operands.length === 2) return undoSession(context, typed, site);
  const list = typed.operands.length === 1 ? CHAPO_LISTS.find((one) => one === typed.operands[0]) : undefined;
  switch (list) {
    case "pending":
      return listPending(context, typed, site);
    case "prompts":
      return listPrompts(context, typed, site);
    case "sessions":
      return listSessionsHere(context, typed, site);
    case "tools":
      return listTools(context, typed, site);
    case undefined:
      return converse(context, typed, site, await messageOf(context, typed));
    default:
      return never(list);
  }
}

/** A new conversation does not begin with one of these words alone: the rest was forgotten. In a session it may be an answer. */
function refuseLoneVerb(typed: Typed): void {
  const [verb = "", session, ...text] = typed.operands;
  const takesText = verb === "answer" || verb === "steer";
  if (!takesText && verb !== "approve" && verb !== "reject" && verb !== "undo") return;
  if (textFlag(typed, "--session") !== undefined || text.length > 0) return;
  const isSession = session === "last" || /^\d{4}-\d\d-\d\d_/.test(session ?? "");
  if (session !== undefined && !(takesText && isSession)) return;
  throw new UserError(
    "usage",
    `looper chapo ${verb} needs ${session === undefined ? "a session" : "a text"}`,
    `looper chapo ${verb} last${takesText ? ' "text"' : ""} takes the newest session; looper chapo sessions lists them`,
  );
}

/** Serves the Agent Client Protocol. Its library is loaded only here. */
async function serve(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  if (typed.operands.length > 0)
    throw new UserError("usage", "--serve-stdio takes no message", "the client sends the messages");
  const { serveStdio } = await import("./acp/serve.js");
  return serveStdio(context, typed);
}

/** The message from the command line or stdin; `undefined`: ask on the terminal. */
async function messageOf(context: CommandContext, typed: Typed): Promise<string | undefined> {
  const typedWords = typed.operands.join(" ");
  const message = typedWords === "-" ? await context.stdin.readAll() : typedWords;
  if (/\S/u.test(message)) return message;
  // With --json the messages are lines of stdin, and on a terminal the person is asked.
  const canRead = hasFlag(typed, "--json") !== context.stdin.isTerminal;
  if (typed.operands.length === 0 && canRead) return undefined;
  const example = textFlag(typed, "--session") === undefined ? "" : " --session last";
  throw new UserError(
    "usage",
    typed.operands.length === 0
      ? "no message is given, and no terminal to ask for one"
      : "the message is empty",
    `say what to do: looper chapo${example} "Fix the login bug"; - reads it from stdin`,
  );
}
