// The program: real ports → a command → an exit code. The only file that uses the process, its signals and
// its streams. Leaves the command line to line.ts, and the work to commands/. start.ts loads it.
import { isUtf8 } from "node:buffer";
import { writeSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { environmentError, errorCode, errorMessage, usageError, UserError } from "../src/system/errors.js";
import { explainSurroundings } from "../src/system/exhausted.js";
import { explainNoFolder } from "../src/system/files/describe-kind.js";
import { isTty, StdStream, type ProcessStream } from "../src/system/processes/std-stream.js";
import { noteText, type Diagnostics } from "../src/ui/terminal/diagnostics.js";
import type { Files } from "../src/system/ports.js";
import type { Output } from "../src/ui/output.js";
import { wantsColour } from "../src/ui/colours.js";
import { clean, hang } from "../src/ui/text.js";
import { annotation, disarm } from "../src/ui/github-actions/commands.js";
import { BUG, exitCodeOf, exitCodeOfError, exitCodeOfSignal } from "./context/exit-codes.js";
import { readCommandLine } from "./line.js";
import { questionsAt } from "./context/prompts.js";
import type { CommandOutcome, CommandContext, Signal } from "./context/command-context.js";
import { diagnosticsOf, guessDiagnostics, openStderr, USUAL } from "./context/stderr.js";

/** Set by the bundler. */
declare const LOOPER_VERSION: string;

const SIGNALS: readonly Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The state of the process that outlives a command. */
const here: {
  listener?: (signal: Signal) => boolean;
  /** Called after a signal that the listener took. */
  interrupted?: (() => void) | undefined;
  log?: string;
  diagnostics: Diagnostics;
  /** Whether the command is a run, or not known yet. */
  mayBeRun: boolean;
  /** The file that was started, in the package's folder. */
  entry: string;
} = {
  mayBeRun: true,
  diagnostics: USUAL,
  entry: "",
};

function onSignal(signal: Signal): void {
  if (here.listener?.(signal) !== true) {
    // Contract §4: a run without a terminal ignores it, also before it listens: Node forgets what nohup set.
    if (signal === "SIGHUP" && here.listener === undefined && here.mayBeRun && !stdout.isTty) return;
    process.exit(exitCodeOfSignal(signal));
  }
  here.interrupted?.();
}

/**
 * The reader of our output is gone (EPIPE), or its terminal is (EIO). That is not a failure: a run continues
 * without its output, and other commands have nothing left to do.
 */
const stdout = new StdStream(1, () =>
  process.stdout.on("error", (error) => {
    if (here.log !== undefined) return;
    const code = errorCode(error);
    if (code === "EPIPE" || code === "EIO") process.exit(0);
    // A command answers when it has done its work.
    const hint = "what the command changed stays changed: look before you repeat it";
    void fail(environmentError(`cannot print the answer: ${errorMessage(error)}`, hint));
  }),
);

/** If stderr is gone there is nowhere left to report to. */
const stderr = new StdStream(2, () => process.stderr.on("error", () => undefined));

/** The width of a pipe, a file, or a terminal that reports the size 0. */
const UNKNOWN_COLUMNS = 80;
const UNKNOWN_ROWS = 24;

/** A terminal that cannot move its cursor shows no questions. */
function canAsk(): boolean {
  return isTty(process.stdin) && !isAutomatic() && process.env["TERM"] !== "dumb";
}

/** In CI no person reads or answers, so its terminal does not count as one. */
function isAutomatic(): boolean {
  return process.env["CI"] === "true" || inWorkflow();
}

function inWorkflow(): boolean {
  return process.env["GITHUB_ACTIONS"] === "true";
}

/** Contract: the log of a GitHub workflow reads only what is `ours` as a command. A file is left as it is. */
function write(to: StdStream, text: string, ours = false): Promise<void> {
  const rest = to.writeAtOnce(ours || !inWorkflow() || to.isFile ? text : disarm(text));
  return rest.length === 0 ? Promise.resolve() : writeTo(to.stream, (chunk) => to.stream.write(chunk), rest);
}

function toOutput(to: StdStream, { noColour }: { noColour: boolean }): Output {
  const isTerminal = to.isTty && !isAutomatic();
  return {
    write: (text) => write(to, text),
    isTerminal,
    colour: wantsColour(environment(), { isTerminal, refused: noColour }),
    columns: () => (isTerminal && to.stream.columns > 0 ? to.stream.columns : UNKNOWN_COLUMNS),
    rows: () => (isTerminal && to.stream.rows > 0 ? to.stream.rows : UNKNOWN_ROWS),
  };
}

function writeTo<T>(stream: ProcessStream, write: (chunk: T) => boolean, chunk: T): Promise<void> {
  if (stream.destroyed || stream.errored !== null || write(chunk)) return Promise.resolve();
  const waiting = draining.get(stream) ?? drained(stream);
  draining.set(stream, waiting);
  return waiting;
}

/** Full streams, each with the one promise that all its writers wait for. */
const draining = new Map<NodeJS.WriteStream, Promise<void>>();

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off("drain", done).off("close", done);
      draining.delete(stream);
      resolve();
    };
    stream.on("drain", done).on("close", done);
  });
}

function claimStdout(): (text: string) => Promise<void> {
  const { stream } = stdout;
  const write: (text: string) => boolean = stream.write.bind(stream);
  stream.write = stderr.stream.write.bind(stderr.stream);
  return (text) => writeTo(stream, write, text);
}

async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

async function readText(): Promise<string> {
  const bytes = await readStdin();
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw usageError("the text on standard input is not UTF-8", "convert it, e.g. iconv -f LATIN1 -t UTF-8");
}

function environment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
}

/** Loaded late: only a conversation needs it. */
const openTerminal: CommandContext["openTerminal"] = async () => {
  const { openRawTerminal } = await import("../src/system/processes/raw-terminal.js");
  return openRawTerminal(process.stdin, stdout.stream);
};

/** The library that asks questions reads these variables. Child processes get the environment as it was. */
function settleColours(noColour: boolean): void {
  if (noColour) process.env["NO_COLOR"] = "1";
  // With both variables set, Node prints a warning about the wrong one.
  if ((process.env["NO_COLOR"] ?? "") !== "") delete process.env["FORCE_COLOR"];
}

/** The terminal at which a person is asked; getters, because reading the streams makes Node open them. */
const DESK: Parameters<typeof questionsAt>[0] = {
  get input() {
    return process.stdin;
  },
  get output() {
    return stderr.stream;
  },
  unknownColumns: UNKNOWN_COLUMNS,
  onInterrupt: (listener) => {
    here.interrupted = listener;
  },
  // In raw mode the terminal sends Ctrl-C as a key.
  onTurnedAway: () => {
    onSignal("SIGINT");
  },
};

async function makeContext(cwd: string, { noColour }: { noColour: boolean }): Promise<CommandContext> {
  const env = environment();
  const out = toOutput(stdout, { noColour });
  const notes = openStderr(toOutput(stderr, { noColour }), here.diagnostics, () => Date.now());
  settleColours(noColour);
  const { nodePorts } = await import("../src/system/processes/node-ports.js");
  const { entry } = here;
  return {
    ports: nodePorts(),
    version: LOOPER_VERSION,
    nodeVersion: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    node: process.execPath,
    cwd,
    env,
    home: homedir(),
    self: { command: process.execPath, args: [entry] },
    promptsFolder: path.join(path.dirname(entry), "prompts"),
    workflowsFolder: path.join(path.dirname(entry), "workflows"),
    out,
    ...notes,
    log: here.diagnostics,
    writeWorkflowCommands: (lines) => write(stderr, lines.map((line) => `${line}\n`).join(""), true),
    hangsUp: stdout.isTty,
    stdin: {
      // A getter, because reading process.stdin makes Node open it.
      get isTerminal() {
        return canAsk();
      },
      readAll: readText,
      readBytes: readStdin,
      chunks: () => process.stdin,
    },
    ...questionsAt(DESK),
    openTerminal,
    onSignal: (listener) => {
      here.listener = listener;
      // A command that listens to signals must not wait for a slow reader.
      for (const one of [stdout, stderr]) one.open();
    },
    noteLog: (folder) => {
      here.log = folder;
    },
    claimStdout,
  };
}

/** Loaded late: most command lines name no file. */
async function openFiles(): Promise<Files> {
  const { nodeFiles } = await import("../src/system/files/files.js");
  return nodeFiles();
}

/** A shell can be in a folder that another program removed. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw usageError("the folder that this shell is in was removed", "go to one that exists: cd FOLDER");
  }
}

async function main(): Promise<CommandOutcome> {
  const argv = process.argv.slice(2);
  here.diagnostics = guessDiagnostics(argv, process.env);
  const asked = await readCommandLine(argv, {
    version: LOOPER_VERSION,
    cwd: currentFolder(),
    isFile: async (file) => {
      const stat = await (await openFiles()).stat(file).catch(() => undefined);
      return stat?.kind === "file";
    },
    namesIn: async (folder) => (await openFiles()).list(folder).catch(() => []),
    columns: stdout.isTty ? stdout.stream.columns : undefined,
  });
  if (asked.kind === "text") {
    await write(stdout, asked.text);
    return "ok";
  }
  here.mayBeRun = asked.name === "run" || asked.name === "push";
  // Hidden commands are started by this program, which reads their output.
  here.diagnostics = asked.hidden ? USUAL : diagnosticsOf(asked.options, process.env);
  const cwd = path.resolve(asked.options.C ?? ".");
  const context = await makeContext(cwd, { noColour: asked.options.color === false });
  const problem = await explainNoFolder(context.ports.files, cwd);
  if (problem !== undefined) throw usageError(problem, "name an existing folder");
  return asked.run(context);
}

/** The message and the hint as lines. Both may contain text from outside, so they are cleaned. */
function advice(message: string, hint = ""): string[] {
  const [first = "", ...rest] = `${message}\n${hint}`
    .split("\n")
    .map(clean)
    .filter((line) => line !== "");
  // A message that begins with the command's name needs no prefix.
  const named = first.startsWith("looper ") ? first : `looper: ${first}`;
  return [named, ...rest.map((line) => `  ${line}`)];
}

/** The lines that report an error, and the exit code. */
function explain(error: unknown): { lines: string[]; code: number } {
  if (error instanceof UserError)
    return { lines: advice(error.message, error.hint), code: exitCodeOfError(error.kind) };
  const known = error instanceof Error ? explainSurroundings(error) : undefined;
  if (known !== undefined)
    return { lines: advice(known.message, known.hint), code: exitCodeOfError("environment") };
  const cause =
    error instanceof Error && error.cause !== undefined ? `\ncaused by: ${stackOf(error.cause)}` : "";
  const log = here.log === undefined ? "" : `\n  the run's log: ${here.log}`;
  return {
    lines: ["looper: internal error; please report it", ...plain(`${stackOf(error)}${cause}${log}`)],
    code: BUG,
  };
}

/** A text of several lines, cleaned of terminal control characters; indentation is kept. */
function plain(text: string): string[] {
  return text.split("\n").map((line) => `${/^ */.exec(line)?.[0] ?? ""}${clean(line)}`);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Flushes the streams, then ends the program. */
async function exit(code: number): Promise<never> {
  for (const { opened: stream } of [stdout, stderr]) {
    if (stream === undefined || stream.destroyed || stream.errored !== null || stream.writableLength === 0)
      continue;
    await new Promise((resolve) => {
      stream.once("close", resolve);
      stream.write("", resolve);
    });
  }
  process.exit(code);
}

async function fail(error: unknown): Promise<never> {
  const { lines: whole, code } = explain(error);
  const err = toOutput(stderr, { noColour: true });
  const isRead = err.isTerminal && here.diagnostics.format === "text" && code !== BUG;
  const lines = isRead ? whole.flatMap((line) => hang(line, err.columns())) : whole;
  const note = { level: "error", lines, facts: { exit_code: code } } as const;
  void write(stderr, noteText(note, here.diagnostics, Date.now()));
  if (inWorkflow() && here.diagnostics.format === "text" && code !== exitCodeOf("no"))
    void write(
      stderr,
      `${annotation("error", whole.join("\n").replace(/^looper: /, ""), { title: "looper" })}\n`,
      true,
    );
  return exit(code);
}

/**
 * Ends the program where even the report of an error fails, as when its files were removed while it ran. Uses
 * nothing that is loaded late: a second failure would be reported in the same way, for ever.
 */
function endPlainly(error: unknown): never {
  const text = stackOf(error)
    .replaceAll(/[^\P{Cc}\n]/gu, "")
    .replaceAll("\n", "\n  ");
  try {
    writeSync(2, `looper: internal error; install looper again, and report it if it comes back\n  ${text}\n`);
  } finally {
    process.exit(BUG);
  }
}

/** Runs the command that the process was started with, and ends it. `url`: of the file that was started. */
export function runProgram(url: string): void {
  here.entry = fileURLToPath(url);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on("uncaughtException", (error) => void fail(error).catch(() => endPlainly(error)));
  // No top-level await: signals would have no listener until it ends.
  void main()
    .then((end) => exit(exitCodeOf(end)))
    .catch(fail);
}
