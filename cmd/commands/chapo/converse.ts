// A conversation with the engine: one message and its outcome, or the lines of stdin. Leaves a person at a
// terminal to talk.ts, the text of events to chapo-lines.ts, and the work to open-session.ts.
import type { ChapoEvent } from "../../../src/chapo/engine/events.js";
import type { CallAnswer } from "../../../src/chapo/engine/calls/pending.js";
import type { ConversationOutcome } from "../../../src/chapo/engine/world.js";
import type { Chapo } from "../../../src/chapo/session/session-request.js";
import { UserError, usageError } from "../../../src/system/errors.js";
import { never } from "../../../src/system/never.js";
import { jsonText } from "../../../src/ui/json-text.js";
import { type CommandOutcome, type CommandContext, type Signal } from "../../context/command-context.js";
import { exitCodeOfError } from "../../context/exit-codes.js";
import { modelOf, openHere, type ChapoCall } from "./site.js";
import { splitLines } from "../../../src/agents/process/lines.js";
import { textField } from "../../../src/agents/fields.js";
import { parseJson } from "../../../src/system/text/json.js";
import { openChapoLines, type ChapoScreen } from "../../../src/ui/terminal/lines/chapo-lines.js";
import { lookOf, warn } from "../../lookup/project.js";
import { stopOnSignal } from "../../lookup/caller.js";

/** Sends `message`, or those that a person or a program types; ends as the last outcome does. */
export async function converse(call: ChapoCall, message: string | undefined): Promise<CommandOutcome> {
  const { context, request } = call;
  if (request.json !== true && canTalk(context)) return talk(call, message);
  if (message === undefined) return sendLines(call);
  return inSession(call, request.session, (conversation) => sendOne(conversation, message));
}

/** Sends each line of stdin as a message, in one session; ends as the last outcome does. */
async function sendLines(call: ChapoCall): Promise<CommandOutcome> {
  const messages = readMessageLines(call.context);
  const first = await messages.next();
  if (first.done === true)
    throw usageError(
      "no message is given",
      'say what to do: looper chapo --json "Fix the login bug", or send a message a line on stdin',
    );
  return inSession(call, call.request.session, async (conversation) => {
    let end = await sendOne(conversation, first.value);
    for await (const message of messages) {
      if (conversation.seen.length > 0) break;
      end = await sendOne(conversation, message);
    }
    return end;
  });
}

/** Stores the answer to the call that waits in the session, and resumes the session. */
export function resumeWith(
  call: ChapoCall,
  session: string,
  answer: Omit<CallAnswer, "at">,
): Promise<CommandOutcome> {
  return inSession(call, session, async (conversation) => {
    await conversation.chapo.answer(answer);
    return takeTurn(conversation, (signal) => conversation.chapo.proceed(signal));
  });
}

export function answerWith(call: ChapoCall, session: string, message: string): Promise<CommandOutcome> {
  return inSession(call, session, async (conversation) => {
    // Checked while this process holds the session: each question is answered once.
    if (conversation.chapo.conversation.question !== undefined) return sendOne(conversation, message);
    throw new UserError(
      "no",
      `no question of the session ${session} waits for an answer`,
      "list the sessions and their questions with `looper chapo sessions`",
    );
  });
}

async function inSession(
  call: ChapoCall,
  resume: string | undefined,
  work: (conversation: Conversation) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const model = await modelOf(call);
  const printer = openPrinter(call);
  const { signal, seen } = stopOnSignal(call.context, 2);
  // A call that needs a yes waits in the session.
  const onWarning = (text: string): void => void warn(call.context, call.site.redact(text));
  const chapo = await openHere(call, { model, signal, resume }, { onEvent: printer.add, onWarning });
  try {
    if (signal.aborted) return { ending: "interrupted", signal: seen[0] };
    return await work({ chapo, printer, signal, seen });
  } finally {
    await chapo.close();
  }
}

/** Both ends are terminals that can move the cursor. */
export function canTalk({ stdin, out, err, env, log }: CommandContext): boolean {
  const isPlain = env["TERM"] === undefined || log.format === "json";
  return stdin.isTerminal && out.isTerminal && err.isTerminal && !isPlain;
}

async function talk(call: ChapoCall, message: string | undefined): Promise<CommandOutcome> {
  const model = await modelOf(call);
  const { talkHere } = await import("./talk.js");
  const { outcome, signal: ended } = await talkHere(call, model, message);
  if (ended !== undefined && (ended !== "SIGINT" || message !== undefined))
    return { ending: "interrupted", signal: ended };
  return message === undefined || outcome === undefined ? "ok" : endOf(outcome);
}

interface Conversation {
  chapo: Chapo;
  printer: Printer;
  /** Aborted by the first signal, which is in `seen`. */
  signal: AbortSignal;
  seen: readonly Signal[];
}

function sendOne(conversation: Conversation, message: string): Promise<CommandOutcome> {
  return takeTurn(conversation, (signal) => conversation.chapo.send(message, signal));
}

async function takeTurn(
  { printer, signal, seen }: Conversation,
  work: (signal: AbortSignal) => Promise<ConversationOutcome>,
): Promise<CommandOutcome> {
  const outcome = await work(signal);
  await printer.settled();
  return signal.aborted ? { ending: "interrupted", signal: seen[0] } : endOf(outcome);
}

/** A question, or no answer, is 1; a bad request is 2; a key, a provider or the network is 3. */
function endOf(outcome: ConversationOutcome): CommandOutcome {
  switch (outcome.how) {
    case "answer":
    case "finished":
      return "ok";
    case "clarify":
    case "pending":
      return "no";
    case "error":
      if (outcome.reason === "bad-request") return { exitCode: exitCodeOfError("usage") };
      return ENVIRONMENT_REASONS.has(outcome.reason) ? { ending: "environment" } : "no";
    default:
      return never(outcome);
  }
}

const ENVIRONMENT_REASONS = new Set<string>([
  "not-signed-in",
  "no-credit",
  "model-unknown",
  "network",
  "overloaded",
  "rate-limited",
]);

/** Each message: a line of text, a JSON text, or `{"message": "…"}`. Other lines are reported, and skipped. */
async function* readMessageLines(context: Pick<CommandContext, "stdin" | "report">): AsyncGenerator<string> {
  const lines = splitLines();
  let number = 0;
  const toMessages = async (texts: readonly string[]): Promise<string[]> => {
    const messages: string[] = [];
    for (const text of texts) {
      number += 1;
      if (!/\S/u.test(text)) continue;
      const message = toMessage(text);
      if (message !== undefined) messages.push(message);
      else await warn(context, `line ${number} of stdin is not a message; send a text, or {"message": "…"}`);
    }
    return messages;
  };
  for await (const chunk of context.stdin.chunks()) yield* await toMessages(lines.push(chunk));
  yield* await toMessages(lines.end());
}

function toMessage(line: string): string | undefined {
  const isJson = /^\s*["{]/.test(line);
  if (!isJson) return line;
  const value = parseJson(Buffer.from(line));
  const message = typeof value === "string" ? value : textField(value, "message");
  return message !== undefined && /\S/u.test(message) ? message : undefined;
}

/** Prints events in their order. */
interface Printer {
  /** Returns before it is printed. */
  add: (event: ChapoEvent) => void;
  /** Waits until every added event is printed. */
  settled: () => Promise<void>;
}

function openPrinter({ context, request }: ChapoCall): Printer {
  const linesOf = openChapoLines();
  let last: Promise<void> = Promise.resolve();
  const print = (event: ChapoEvent): Promise<void> =>
    request.json === true
      ? context.out.write(`${jsonText(event)}\n`)
      : printEvent(context, event, (look) => linesOf(event, look));
  return {
    add: (event) => {
      last = last.then(() => print(event));
    },
    settled: () => last,
  };
}

/** Answers and questions are for stdout. */
async function printEvent(
  { out, err, report }: CommandContext,
  { type }: ChapoEvent,
  linesOf: (look: ChapoScreen) => string[],
): Promise<void> {
  const where = type === "answer" || type === "clarify" ? out : err;
  const lines = linesOf(lookOf(where));
  if (lines.length === 0) return;
  if (where === out) await out.write(`${lines.join("\n")}\n`);
  else await report({ level: type === "error" ? "error" : "info", lines });
}
