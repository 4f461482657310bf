// The tools bash_execute, bash_output, bash_kill and run_command, and how the output of a command is shown to a model.
// shell-session.ts keeps the shell's state.
import { z } from "zod";
import { matchLines } from "../../../system/text/match-lines.js";
import { redactFile } from "../../redact-file.js";
import {
  defineTool,
  done,
  fail,
  type CallContext,
  type Subject,
  type Tool,
  type ToolResult,
} from "../../tool.js";
import { ShellSession, type Background, type Foreground, type ShellWorld } from "./shell-session.js";
import { createToolEnv } from "../../tool-env.js";
import { characterEnd } from "../../../system/text/utf8.js";
import { decode, joinEnds } from "../program.js";
import type { Files } from "../../../system/ports.js";

const USUAL_TIMEOUT_MS = 120_000;
const MOST_TIMEOUT_MS = 600_000;
/** Added to a command's timeout, for ending it and reading its output. */
const MORE_MS = 20_000;
/** The most bytes of new output in one answer, both streams together. */
const NEW_ROOM = 20_000;
const FILTER_MS = 500;

/** The shell of one session. */
export interface ShellTools {
  tools: readonly Tool[];
  /** Ends all processes that were started in the shell. Contract: called once, at the end of the session. */
  close(): Promise<void>;
}

/** Opens a shell; no process starts before the first command. Removes the keys of model providers from the environment. */
export function openShell(world: ShellWorld): ShellTools {
  const session = new ShellSession({ ...world, env: createToolEnv(world.env) });
  const [execute, runAlone] = createCommandTools(world, session);
  const tools = [execute, ...createBackgroundTools(world, session), runAlone];
  return { tools, close: () => session.close() };
}

const command = z
  .string()
  .min(1)
  .max(1_000_000)
  .refine((text) => !text.includes("\0"), "it contains a NUL character, which a shell cannot read");

const timeout = z
  .int()
  .min(1)
  .max(MOST_TIMEOUT_MS)
  .optional()
  .describe(`Milliseconds; ${USUAL_TIMEOUT_MS} by default`);

const IN_SANDBOX =
  " It runs in a sandbox: only the project and /tmp can be written, the network may be off, and all processes of a command end with it.";

function createCommandTools(world: ShellWorld, session: ShellSession): [execute: Tool, runAlone: Tool] {
  const run = async (
    args: { command: string; timeout?: number | undefined },
    state: "kept" | "none",
    context: CallContext,
  ): Promise<ToolResult> => {
    const started = await session.start(args.command, state);
    return finish({ world, session, started }, args.timeout ?? USUAL_TIMEOUT_MS, context);
  };
  const shared = {
    changes: true,
    subjects: ({ command: text }: { command: string }): Subject[] => [{ kind: "command", text }],
    timeoutMs: (args: { timeout?: number | undefined }) => (args.timeout ?? USUAL_TIMEOUT_MS) + MORE_MS,
    preview: ({ command: text }: { command: string }) => Promise.resolve(text),
  };
  return [
    defineTool({
      ...shared,
      name: "bash_execute",
      description:
        "Runs a command in the session's shell, without a terminal. Folder, variables and functions carry over to the next call, " +
        "jobs and traps do not. A process that must keep running needs background: true; its id is for bash_output and bash_kill." +
        (world.sandbox === undefined ? "" : IN_SANDBOX),
      arguments: z.strictObject({
        command,
        description: z.string().optional().describe("The purpose of the command, in a few words"),
        timeout,
        background: z.boolean().optional(),
      }),
      run: (args, context) =>
        args.background === true ? runInBackground(session, args.command) : run(args, "kept", context),
    }),
    defineTool({
      ...shared,
      name: "run_command",
      description:
        "Runs a command in a shell of its own, in the project's root: nothing carries over from or to other calls, and " +
        "nothing it starts outlives it. No terminal: stdin is empty. Answers with exit_code, stdout and stderr.",
      arguments: z.strictObject({ command, timeout }),
      run: (args, context) => run(args, "none", context),
    }),
  ];
}

interface Run {
  world: ShellWorld;
  session: ShellSession;
  started: Foreground;
}

/** Waits until a command ends, or ends it, and reports its output. */
async function finish(run: Run, timeoutMs: number, context: CallContext): Promise<ToolResult> {
  const { ports } = run.world;
  const { command: running, after } = run.started;
  let ending: Promise<void> | undefined;
  const timer = ports.clock.after(timeoutMs, () => {
    ending = running.stop("timeout");
  });
  const interrupt = (): void => {
    ending = running.stop("killed");
  };
  context.signal.addEventListener("abort", interrupt);
  if (context.signal.aborted) interrupt();
  await running.ended;
  timer.cancel();
  context.signal.removeEventListener("abort", interrupt);
  await ending;
  // A command outside the session's state must leave no processes behind.
  if (after === undefined && running.stopped === undefined) await running.stop("killed");
  const isKept = after === undefined || (await run.session.adopt(after));
  return reportRun(run, timeoutMs, isKept ? [] : [NOT_KEPT]);
}

const NOT_KEPT =
  "[the shell did not end normally: its folder, variables and functions are as before this command]";

async function reportRun(run: Run, timeoutMs: number, notes: string[]): Promise<ToolResult> {
  const { files } = run.world.ports;
  const { command: running } = run.started;
  const { text, isCut } = await readOutput(files, running.stdout, running.stderr);
  const left = running.stopped === undefined ? await running.countLeft() : 0;
  if (left > 0)
    notes.push(
      `[${left} process(es) it started are still running; their output goes to ${running.stdout} and ${running.stderr}]`,
    );
  else
    for (const file of [running.stdout, running.stderr])
      await (isCut ? redactFile(files, file, run.world.redact) : files.remove(file));
  const why = describeNoSandbox(run) ?? describeFailure(running, timeoutMs);
  const body = [text, ...notes].join("\n");
  if (why !== undefined) fail(`${why}\n${body}`);
  return done(`exit_code: ${running.end?.how === "exited" ? running.end.code : 0}\n${body}`);
}

/** Messages before the script redirects the output are bubblewrap's. */
function describeNoSandbox({ world, started: { command: running } }: Run): string | undefined {
  if (world.sandbox === undefined || !running.complaint.startsWith("bwrap:")) return undefined;
  return `the sandbox could not be made, and the command did not run: ${running.complaint}`;
}

const ENDED = "the command and its processes were ended, the shell is still usable. Output until then:";

/** Describes why a command failed; `undefined` if it ended by itself, with any exit code. */
function describeFailure({ end, stopped }: Foreground["command"], timeoutMs: number): string | undefined {
  if (stopped === "timeout") return `timed out after ${timeoutMs} ms: ${ENDED}`;
  if (stopped === "too-much") return `printed more than 256 MiB: ${ENDED}`;
  if (end?.how === "not-found") return `cannot start the shell: ${end.message}`;
  return end?.how === "killed" ? `ended by ${end.signal}. Output until then:` : undefined;
}

async function runInBackground(session: ShellSession, text: string): Promise<ToolResult> {
  const { id } = await session.startBackground(text);
  return done(`id: ${id}\nstatus: running\n[bash_output returns its output, bash_kill ends it]`);
}

function createBackgroundTools(world: ShellWorld, session: ShellSession): Tool[] {
  return [
    defineTool({
      name: "bash_output",
      description:
        "Returns the new output and the status of a background command; without id, of the one started last.",
      arguments: z.strictObject({
        id: z.string().optional(),
        command: z.string().optional().describe("Instead of the id: the last one started with this command"),
        filter: z
          .string()
          .max(1000)
          .optional()
          .describe("A regular expression: lines that do not match are dropped permanently"),
      }),
      changes: false,
      run: async ({ id, command: text, filter }) =>
        reportNewOutput(world, findBackground(session.background, id, text), filter),
    }),
    defineTool({
      name: "bash_kill",
      description:
        "Ends a background command; without id the session's shell: the next bash_execute starts a fresh one.",
      arguments: z.strictObject({ id: z.string().optional() }),
      changes: false,
      run: async ({ id }) => {
        if (id === undefined)
          return (await session.end())
            ? done("the shell and its processes were ended; the next command starts a fresh one")
            : fail("no shell is running: no command was run since it was opened or ended");
        const found = findBackground(session.background, id);
        if (found.command.end !== undefined)
          fail(`${id} has already ended; its status is ${describeStatus(found)}`);
        await found.command.stop("killed");
        return done(`${id} and its processes were killed`);
      },
    }),
  ];
}

/** Finds a background command. */
function findBackground(all: readonly Background[], id?: string, text?: string): Background {
  const found = all.findLast((one) =>
    id !== undefined ? one.id === id : text === undefined || one.text.trim() === text.trim(),
  );
  if (found !== undefined) return found;
  if (all.length === 0) fail("no background commands: start one with bash_execute and background: true");
  const ids = all.map((one) => one.id).join(", ");
  return fail(`${id ?? text ?? ""}: no such background command; available: ${ids}`);
}

async function reportNewOutput(
  world: ShellWorld,
  one: Background,
  filter: string | undefined,
): Promise<ToolResult> {
  const { files } = world.ports;
  const { command: running, told: seen } = one;
  // Read before the output, so that text printed in between is reported next time.
  const isWhole = running.end !== undefined;
  const lines = [`id: ${one.id}`, `status: ${describeStatus(one)}`];
  if (running.end?.how === "exited") lines.push(`exit_code: ${running.end.code}`);
  const how = { isWhole, byLine: filter !== undefined };
  const out = await readNewOutput(files, running.stdout, seen.stdout, { ...how, room: NEW_ROOM });
  const room = Math.max(4, NEW_ROOM - (out.next - seen.stdout));
  const err = await readNewOutput(files, running.stderr, seen.stderr, { ...how, room });
  const parts = [];
  for (const [name, { text }] of [["stdout", out] as const, ["stderr", err] as const]) {
    const kept = filter === undefined || text === "" ? text : filterLines(text, filter);
    if (kept !== "") parts.push(`${name}:\n${kept}`);
  }
  one.told = { stdout: out.next, stderr: err.next };
  const left = out.left + err.left;
  if (left > 0)
    parts.push(
      `[${left} more bytes: call bash_output again, or read ${running.stdout} and ${running.stderr}]`,
    );
  return done([...lines, ...(parts.length === 0 ? ["(nothing new)"] : parts)].join("\n"));
}

function filterLines(text: string, filter: string): string {
  const lines = text.split("\n");
  const matching = matchLines(filter, lines, FILTER_MS);
  if ("problem" in matching) fail(`filter: ${matching.problem}`);
  const dropped = lines.length - matching.length;
  return [...matching, ...(dropped > 0 ? [`[${dropped} lines dropped by the filter]`] : [])].join("\n");
}

function describeStatus({ command: running }: Background): string {
  if (running.end === undefined) return "running";
  if (running.stopped === "too-much") return "killed (printed more than 256 MiB)";
  if (running.stopped !== undefined) return "killed";
  const { end } = running;
  if (end.how === "killed") return `killed (by ${end.signal})`;
  return end.how === "exited" && end.code === 0 ? "completed" : "failed";
}

/** The most bytes of output in a result, which names the files with all of it. */
const ROOM = 20_000;

/**
 * Reads both streams. Shows the beginning and the end of a long stream, the size of the rest and the path of its file. `isCut`: a
 * part was left out; then the files hold all of it.
 */
async function readOutput(files: Files, stdout: string, stderr: string) {
  const [outSize, errSize] = [await readSize(files, stdout), await readSize(files, stderr)];
  const errRoom = Math.max(ROOM / 3, ROOM - outSize);
  const outRoom = ROOM - Math.min(errSize, errRoom);
  const parts = [
    await formatStream(files, "stdout", { path: stdout, size: outSize, room: outRoom }),
    await formatStream(files, "stderr", { path: stderr, size: errSize, room: errRoom }),
  ];
  const text = parts.filter((part) => part !== "").join("\n");
  return { text: text === "" ? "(no output)" : text, isCut: outSize > outRoom || errSize > errRoom };
}

interface Stream {
  path: string;
  size: number;
  /** The bytes it may take in the result. */
  room: number;
}

async function formatStream(files: Files, name: string, stream: Stream): Promise<string> {
  const { path, size, room } = stream;
  if (size === 0) return "";
  if (size <= room) return `${name}:\n${decode(await files.readRange(path, 0, size))}`;
  const half = Math.floor(room / 2);
  const head = await files.readRange(path, 0, half);
  const tail = await files.readRange(path, size - half, half);
  return `${name} (truncated: beginning and end):\n${joinEnds(head, tail, size, `; all of them are in ${path}`)}`;
}

/**
 * Reads at most `room` bytes from offset `from`. `isWhole`: the file will not grow any more. Splits no character, and with
 * `byLine` no line. `next`: the offset of the next read; `left`: the bytes that did not fit.
 */
async function readNewOutput(
  files: Files,
  path: string,
  from: number,
  how: { room: number; isWhole: boolean; byLine: boolean },
): Promise<{ text: string; next: number; left: number }> {
  const size = await readSize(files, path);
  if (size <= from) return { text: "", next: from, left: 0 };
  const bytes = await files.readRange(path, from, Math.min(how.room, size - from));
  const isEnd = how.isWhole && from + bytes.length >= size;
  let end = isEnd ? bytes.length : characterEnd(bytes, bytes.length);
  if (how.byLine && !isEnd) {
    const line = bytes.lastIndexOf(10) + 1;
    // A line that is longer than the room is shown in pieces.
    if (line > 0 || bytes.length < how.room) end = line;
  }
  return { text: decode(bytes.subarray(0, end)), next: from + end, left: size - from - bytes.length };
}

async function readSize(files: Files, path: string): Promise<number> {
  return (await files.stat(path))?.size ?? 0;
}
