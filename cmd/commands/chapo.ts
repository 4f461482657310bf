// `looper chapo`: the built-in engine, used by a person. Lists, and answers to what waits, are here. Leaves
// the settings to site.ts, the conversation to converse.ts, and the work to src/chapo.
import { UserError, usageError } from "../../src/system/errors.js";
import { siteOf, treesOf, trustSite, type ChapoCall, type ChapoLine } from "./chapo/site.js";
import { answerWith, canTalk, converse, resumeWith } from "./chapo/converse.js";
import { type CommandOutcome, type CommandContext } from "../context/command-context.js";
import { JSON_OPTION, list, TRUST, type CommandAnswer, type WorkingCommand } from "../context/command.js";
import path from "node:path";
import { Argument, Option } from "commander";
import type { CallAnswer, SessionCall } from "../../src/chapo/engine/calls/pending.js";
import { given } from "../../src/system/given.js";
import { isRecord, tryParseJson } from "../../src/system/text/json.js";
import { nameOfUser, refuseAgents } from "../lookup/caller.js";
import { lookOf, printLines, warn } from "../lookup/project.js";
import { undoLast } from "../../src/chapo/session/checkpoints.js";
import { resumeSession, listSessions, storeMessage } from "../../src/chapo/session/sessions.js";
import { right, shrinks, tableLines } from "../../src/ui/terminal/columns.js";
import { clean } from "../../src/ui/text.js";
import { sessionsAnswer, toolsAnswer, pendingAnswer } from "../../src/ui/answers/project/chapo.js";
import { openListing } from "../../src/chapo/session/open-session.js";
import { readChapoPrompts } from "../../src/chapo/prompt/prompts.js";
import { nodeNetwork } from "../../src/system/network.js";
import { showCost, showCount, showMoment } from "../../src/ui/view/words/amounts.js";
import type {
  ChapoPromptsAnswer,
  ChapoSessionsAnswer,
  ChapoUndoAnswer,
} from "../../src/ui/shapes/project.js";
import { hintOn } from "../../src/system/text/nearest.js";
import { questionLines } from "../../src/ui/terminal/lines/chapo-lines.js";

export const command: WorkingCommand<ChapoLine> = {
  arguments: [
    new Argument(
      "[message...]",
      "the message, - for stdin, also behind other words; or a list: pending, prompts, sessions, tools; or approve, reject, steer, undo SESSION",
    ),
  ],
  options: [
    new Option("--session <id>", "resume a session; last is the newest"),
    new Option("--model <model>", "provider/model, or a model of the provider that is set"),
    new Option("--effort <level>", "how much the model thinks: none, low, medium, high, max"),
    new Option("--tools <names>", "names of the tools: chapo, claude, anvil"),
    new Option("--max-iterations <n>", "model turns for one message (default: 25 without progress)"),
    list("--skill <id>", "use a skill of .looper/skills; repeatable"),
    new Option("--mode <mode>", "what runs, asks or is refused, e.g. plan, acceptEdits, trusted"),
    new Option("-m, --message <text>", "approve, reject: a remark for the model"),
    new Option("--args <json>", "approve: run the call with these arguments"),
    new Option("--serve-stdio", "serve the Agent Client Protocol"),
    TRUST,
    JSON_OPTION,
  ],
  examples: [
    ['looper chapo "Fix the login bug"', "work on one request; asks before each change"],
    ['looper chapo --session last "And add a test for it"', "resume the newest session"],
    ["looper chapo pending", "list the calls that wait for your answer"],
    ['looper chapo reject last -m "Use a branch"', "refuse the call that waits, and say why"],
    ["looper chapo tools", "list the tools, their arguments and which ones ask first"],
  ],
  work: chapo,
};

async function chapo(context: CommandContext, request: ChapoLine): Promise<CommandOutcome | CommandAnswer> {
  if (request.serveStdio === true) {
    if (request.words.length > 0)
      throw usageError("--serve-stdio takes no message", "the client sends the messages");
    // Loaded only here: the protocol's library has no other use.
    return (await import("./chapo/acp.js")).serveStdio(context, request);
  }
  const call = { context, request, site: await siteOf(context, request) };
  const { words } = request;
  const [verb] = words;
  refuseLoneVerb(request);
  // A message of one word is a message; so is a quoted one.
  const act = VERBS.get(verb ?? "");
  if (act !== undefined && (act.takesText === true ? words.length > 2 : words.length === 2)) {
    await refuseAgents(context, act.refused, "ask the user", { sessions: true });
    const [, named = "", ...text] = words;
    return act.work(call, await findSession(call, named, act.fits), text.join(" "));
  }
  const named = words.length === 1 ? LISTS.get(verb ?? "") : undefined;
  return named === undefined ? converse(call, await messageOf(context, request)) : named(call);
}

/** A person's act on a session: `looper chapo VERB SESSION`, some with a text. */
interface Verb {
  /** The act that an agent is refused. */
  refused: string;
  takesText?: true;
  /** Whether it can be done with the session; absent: with each. */
  fits?: (one: { pending?: SessionCall | undefined }) => boolean;
  work: (call: ChapoCall, session: string, text: string) => Promise<CommandOutcome | CommandAnswer>;
}

const answering = (verdict: CallAnswer["verdict"]): Verb => ({
  refused: "answer questions about calls",
  fits: ({ pending }) => pending !== undefined,
  work: (call, session) => answerCall(call, session, verdict),
});

const VERBS: ReadonlyMap<string, Verb> = new Map([
  ["approve", answering("approve")],
  ["reject", answering("reject")],
  ["answer", { refused: "answer questions of sessions", takesText: true, work: answerWith }],
  ["steer", { refused: "send messages to sessions", takesText: true, work: steerSession }],
  ["undo", { refused: "undo the work of sessions", work: undoSession }],
]);

const LISTS: ReadonlyMap<string, (call: ChapoCall) => Promise<CommandAnswer>> = new Map([
  ["pending", listPending],
  ["prompts", listPrompts],
  ["sessions", listSessionsHere],
  ["tools", listTools],
]);

/** A new conversation does not begin with one of these words alone; in a session it may be an answer. */
function refuseLoneVerb(request: ChapoLine): void {
  const [verb = "", session, ...text] = request.words;
  const act = VERBS.get(verb);
  if (act === undefined || request.session !== undefined || text.length > 0) return;
  const { takesText = false } = act;
  const isSession = session === "last" || /^\d{4}-\d\d-\d\d_/.test(session ?? "");
  if (session !== undefined && !(takesText && isSession)) return;
  throw usageError(
    `looper chapo ${verb} needs ${session === undefined ? "a session" : "a text"}`,
    `looper chapo ${verb} last${takesText ? ' "text"' : ""} takes the newest session; looper chapo sessions lists them`,
  );
}

/** The message from the command line or stdin; `undefined`: ask on the terminal. */
async function messageOf(context: CommandContext, request: ChapoLine): Promise<string | undefined> {
  const typedWords = request.words.join(" ");
  // Behind other words, - adds what is on stdin: git diff | looper chapo "Explain it" -
  const before = request.words.at(-1) === "-" ? request.words.slice(0, -1) : undefined;
  const message =
    before === undefined
      ? typedWords
      : [...(before.length > 0 ? [before.join(" ")] : []), await context.stdin.readAll()].join("\n\n");
  if (/\S/u.test(message)) return message;
  // With --json the messages are lines of stdin, and on a terminal the person types them.
  const canRead = request.json === true ? !context.stdin.isTerminal : canTalk(context);
  if (request.words.length === 0 && canRead) return undefined;
  const example = request.session === undefined ? "" : " --session last";
  throw usageError(
    request.words.length === 0
      ? "no message is given, and no terminal to ask for one"
      : "the message is empty",
    `say what to do: looper chapo${example} "Fix the login bug"; - reads it from stdin`,
  );
}

function answerCall(
  call: ChapoCall,
  session: string,
  verdict: CallAnswer["verdict"],
): Promise<CommandOutcome> {
  const { context, request } = call;
  const remark = request.message;
  const args = verdict === "approve" ? changedArgs(request) : undefined;
  const answer = { verdict, by: nameOfUser(context.env), via: "cli" as const, ...given({ remark, args }) };
  return resumeWith(call, session, answer);
}

/** The arguments as the person changed them; `undefined`: as they are. */
function changedArgs({ args }: ChapoLine): object | undefined {
  if (args === undefined) return undefined;
  const value = tryParseJson(Buffer.from(args));
  if (value.ok && isRecord(value.value)) return value.value;
  throw usageError("--args is not a JSON object", "give an object with the call's arguments");
}

async function steerSession({ context, site }: ChapoCall, id: string, text: string): Promise<CommandOutcome> {
  await storeMessage(context.ports, path.join(site.sessionsFolder, id), text);
  await printLines(context.out, [`the session ${id} gets the message before its model's next request`]);
  return "ok";
}

async function undoSession(call: ChapoCall, id: string): Promise<CommandAnswer> {
  const { ports } = call.context;
  const { redact, env, sessionsFolder } = call.site;
  const session = await resumeSession({ ports, redact, env, folder: sessionsFolder }, id);
  try {
    const done = await undoLast({ session, ports, redact, trees: treesOf(call) });
    if ("refused" in done) throw new UserError("no", done.refused);
    const { message, paths, rescue = null, told } = done;
    const json: ChapoUndoAnswer = { session: id, message, paths: [...paths], rescue };
    return { json, lines: told.split("\n").map(clean) };
  } finally {
    await session.close();
  }
}

/** Each prompt's text by its name: one flat map. */
async function listPrompts({ context, site }: ChapoCall): Promise<CommandAnswer> {
  const { ports, promptsFolder, out } = context;
  const json: ChapoPromptsAnswer = await readChapoPrompts(ports.files, promptsFolder, site.settings);
  const lines = Object.entries(json).flatMap(([name, text]) => [
    lookOf(out).colours.bold(name),
    ...text.split("\n").map((line) => `  ${line}`.trimEnd()),
    "",
  ]);
  return { json, lines };
}

/** The sessions of this project, the newest first; ends with no when one cannot be read. */
async function listSessionsHere(call: ChapoCall): Promise<CommandAnswer> {
  const { out, ports } = call.context;
  const json: ChapoSessionsAnswer = sessionsAnswer(await sessionsOf(call));
  const rows = json.sessions.map((one) => [
    one.id,
    showMoment(Date.parse(one.changed), ports.clock.now()),
    one.state.replaceAll("_", " "),
    one.tokens === 0 ? "" : showCount(one.tokens),
    one.cost_usd === null || one.cost_usd === 0 ? "" : showCost(one.cost_usd),
    clean(one.question ?? one.title),
  ]);
  const columns = ["session", "changed", "state", right("tokens"), right("cost"), shrinks("about")];
  const lines = rows.length === 0 ? ["no sessions yet"] : tableLines(columns, rows, lookOf(out));
  if (call.request.json !== true) await warnOfBroken(call.context, json.broken);
  return { json, lines, end: json.broken.length === 0 ? "ok" : "no" };
}

async function warnOfBroken(context: CommandContext, broken: ChapoSessionsAnswer["broken"]): Promise<void> {
  for (const { id, why } of broken) await warn(context, `the session ${id} cannot be read: ${why}`);
}

/** Every tool, also those of MCP servers, which are started for it. */
async function listTools(call: ChapoCall): Promise<CommandAnswer> {
  const { ports, home, out } = call.context;
  const { settings, env, project, agent, redact } = call.site;
  if (Object.keys(settings.mcp.servers).length > 0) await trustSite(call);
  const listing = await openListing({
    ...{ ports, home, env, settings, redact },
    signal: new AbortController().signal,
    network: nodeNetwork(),
    root: project.folder,
    permissions: agent.permissions,
    onWarning: (text) => void warn(call.context, redact(text)),
  });
  const json = toolsAnswer(listing.tools, settings);
  await listing.close();
  const rows = json.tools.map((one) => [
    ...[one.name, one.agent, one.asks_first ? "asks" : ""],
    fieldsOf(one.parameters),
  ]);
  const columns = ["tool", "agent", "first", shrinks("takes")];
  return { json, lines: rows.length === 0 ? ["no tools"] : tableLines(columns, rows, lookOf(out)) };
}

/** The fields of a schema; optional ones have a question mark. */
function fieldsOf({ properties, required }: Readonly<Record<string, unknown>>): string {
  if (typeof properties !== "object" || properties === null) return "";
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  return clean(
    Object.keys(properties)
      .map((field) => (needed.has(field) ? field : `${field}?`))
      .join(", "),
  );
}

/** The calls that wait, of the newest session first, each with its whole diff or command. */
async function listPending(call: ChapoCall): Promise<CommandAnswer> {
  const { sessions, broken } = await sessionsOf(call);
  const waiting = sessions.flatMap(({ id, pending }) =>
    pending === undefined ? [] : waitingLines(call.context, id, pending),
  );
  await warnOfBroken(call.context, broken);
  const lines = waiting.length === 0 ? ["no call waits for an answer"] : waiting;
  return { json: pendingAnswer(sessions), lines };
}

function waitingLines({ out, ports }: CommandContext, id: string, pending: SessionCall): string[] {
  const { edits: _edits, host: _host, ...question } = pending;
  return [
    `session ${clean(id)}, asked ${showMoment(Date.parse(pending.asked_at), ports.clock.now())}`,
    ...questionLines(question, lookOf(out)),
    "",
  ];
}

/** The id of a session that `fits`; `last`: the newest such one. A `usage` error where there is none. */
async function findSession(call: ChapoCall, named: string, fits: Verb["fits"] = () => true): Promise<string> {
  const { sessions } = await sessionsOf(call);
  const found = named === "last" ? sessions.find(fits) : sessions.find(({ id }) => id === named);
  if (found !== undefined) return found.id;
  if (named === "last" && sessions.length > 0)
    throw new UserError("no", "no call waits for an answer", "see `looper chapo sessions`");
  const ids = sessions.map(({ id }) => id);
  throw usageError(
    named === "last" ? "there is no such session" : `session ${JSON.stringify(named)} not found`,
    hintOn(named, ids, "list them with `looper chapo sessions`; quote a message of several words"),
  );
}

function sessionsOf({ context, site }: ChapoCall): ReturnType<typeof listSessions> {
  return listSessions({ ports: context.ports, folder: site.sessionsFolder });
}
