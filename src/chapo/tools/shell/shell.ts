// The tools bash_execute, bash_output, bash_kill and run_command: what a model says to its shell, and what it is told.
// Leaves the shell's state to shell-session.ts, and output to shell-output.ts.
import { z } from "zod";
import { matchLines } from "../../../system/text/match-lines.js";
import { never } from "../../../system/never.js";
import { redactFile } from "../../redact-file.js";
import { defineTool, done, failed, type CallContext, type Tool, type ToolResult } from "../../tool.js";
import { readNewOutput, readOutput } from "./shell-output.js";
import { ShellSession, type Background, type Foreground, type ShellWorld } from "./shell-session.js";
import { createToolEnv } from "../../tool-env.js";

const USUAL_TIMEOUT_MS = 120_000;
const MOST_TIMEOUT_MS = 600_000;
/** Over a command's own time: what it takes to end it and to read what it printed. */
const MORE_MS = 20_000;
/** Of new output in one answer, both streams together. */
const NEW_ROOM = 28_000;
const FILTER_MS = 500;

/** The shell of one session. */
export interface ShellTools {
  tools: readonly Tool[];
  /** Ends all that was started in it. Contract: called once, when the session is over. */
  close(): Promise<void>;
}

/** Opens it; nothing is started before the first command. Keys of model providers are taken out of the environment. */
export function openShell(world: ShellWorld): ShellTools {
  const session = new ShellSession({ ...world, env: createToolEnv(world.env) });
  return {
    tools: [
      createExecuteTool(world, session),
      createOutputTool(world, session),
      createKillTool(session),
      createRunTool(world, session),
    ],
    close: () => session.close(),
  };
}

const command = z
  .string()
  .min(1)
  .max(1_000_000)
  .refine((text) => !text.includes("\0"), "it holds a NUL character, which no shell can take")
  .describe("The command, as it would be typed into a shell");

const timeout = z
  .int()
  .min(1)
  .max(MOST_TIMEOUT_MS)
  .optional()
  .describe(`Milliseconds it may take; ${USUAL_TIMEOUT_MS} where nothing is said`);

function createExecuteTool(world: ShellWorld, session: ShellSession): Tool {
  return defineTool({
    name: "bash_execute",
    description:
      "Runs a command in the session's shell. Folder, variables, functions and aliases carry over to the next call. " +
      "No terminal: stdin is empty. Answers with exit_code, stdout and stderr. " +
      "With background: true it answers at once with an id for bash_output and bash_kill.",
    arguments: z.strictObject({
      command,
      description: z.string().optional().describe("What it is for, in a few words"),
      timeout,
      background: z.boolean().optional().describe("Whether it goes on while you do other things"),
    }),
    aliases: { cmd: "command", run_in_background: "background", timeout_ms: "timeout" },
    changes: true,
    subjects: ({ command: text }) => [{ kind: "command", text }],
    timeoutMs: (args) => (args.timeout ?? USUAL_TIMEOUT_MS) + MORE_MS,
    preview: ({ command: text }) => Promise.resolve(text),
    run: async (args, context) => {
      if (args.background === true) return runInBackground(session, args.command);
      const started = await session.start(args.command, "kept");
      if ("problem" in started) return failed(started.problem);
      return finish({ world, session, started }, args.timeout ?? USUAL_TIMEOUT_MS, context);
    },
  });
}

function createRunTool(world: ShellWorld, session: ShellSession): Tool {
  return defineTool({
    name: "run_command",
    description:
      "Runs a command in a shell of its own, in the project's root: nothing carries over from or to other calls, and " +
      "nothing it starts outlives it. No terminal: stdin is empty. Answers with exit_code, stdout and stderr.",
    arguments: z.strictObject({ command, timeout }),
    aliases: { cmd: "command", timeout_ms: "timeout" },
    changes: true,
    subjects: ({ command: text }) => [{ kind: "command", text }],
    timeoutMs: (args) => (args.timeout ?? USUAL_TIMEOUT_MS) + MORE_MS,
    preview: ({ command: text }) => Promise.resolve(text),
    run: async (args, context) => {
      const started = await session.start(args.command, "none");
      if ("problem" in started) return failed(started.problem);
      return finish({ world, session, started }, args.timeout ?? USUAL_TIMEOUT_MS, context);
    },
  });
}

interface Run {
  world: ShellWorld;
  session: ShellSession;
  started: Foreground;
}

/** Waits for the end of a command, or brings it about, and tells what there was. */
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
  // What is run apart leaves nothing behind.
  if (after === undefined && running.stopped === undefined) await running.stop("killed");
  const notes = after === undefined ? [] : await adoptState(run.session, after);
  return reportRun(run, timeoutMs, notes);
}

async function adoptState(session: ShellSession, after: string): Promise<string[]> {
  return (await session.adopt(after))
    ? []
    : [
        "[the shell did not come to its own end: its folder, variables and functions are as before this command]",
      ];
}

async function reportRun(run: Run, timeoutMs: number, notes: string[]): Promise<ToolResult> {
  const { files } = run.world.ports;
  const { command: running } = run.started;
  const { text, isCut } = await readOutput(files, running.stdout, running.stderr);
  const left = running.stopped === undefined ? await running.countLeft() : 0;
  if (left > 0)
    notes.push(
      `[${left} process(es) it started still run; what they print goes to ${running.stdout} and ${running.stderr}]`,
    );
  else
    for (const file of [running.stdout, running.stderr])
      await (isCut ? redactFile(files, file, run.world.redact) : files.remove(file));
  const why = describeFailure(running, timeoutMs);
  const body = [text, ...notes].join("\n");
  if (why !== undefined) return failed(`${why}\n${body}`);
  return done(`exit_code: ${running.end?.how === "exited" ? running.end.code : 0}\n${body}`);
}

/** Why a command is no result but a failure; `undefined` where it came to its own end, with whatever code. */
function describeFailure(running: Foreground["command"], timeoutMs: number): string | undefined {
  switch (running.stopped) {
    case "timeout":
      return `timed out after ${timeoutMs} ms: it was ended with all it started, the shell goes on. What it printed until then:`;
    case "too-much":
      return "it printed more than 256 MiB: it was ended with all it started, the shell goes on. What it printed:";
    case "killed":
    case undefined:
      break;
    default:
      return never(running.stopped);
  }
  if (running.end?.how === "not-found") return `the shell cannot be started: ${running.end.message}`;
  if (running.end?.how === "killed")
    return `it was ended by ${running.end.signal}. What it printed until then:`;
  return undefined;
}

async function runInBackground(session: ShellSession, text: string): Promise<ToolResult> {
  const started = await session.startBackground(text);
  if ("problem" in started) return failed(started.problem);
  return done(`id: ${started.id}\nstatus: running\n[bash_output tells what it prints, bash_kill ends it]`);
}

function createOutputTool(world: ShellWorld, session: ShellSession): Tool {
  return defineTool({
    name: "bash_output",
    description:
      "What a command in the background printed since it was last asked, and its status: running, completed, failed or " +
      "killed, with its exit_code. Without id: the one started last.",
    arguments: z.strictObject({
      id: z.string().optional().describe("As bash_execute told it"),
      command: z.string().optional().describe("Instead of the id: the one started last with this command"),
      filter: z
        .string()
        .max(1000)
        .optional()
        .describe("A regular expression: lines that do not match are dropped, for good"),
    }),
    aliases: { bash_id: "id", shell_id: "id" },
    changes: false,
    run: async ({ id, command: text, filter }) => {
      const found = findBackground(session.background, { id, text });
      return typeof found === "string" ? failed(found) : reportNewOutput(world, found, filter);
    },
  });
}

/** The one that is meant, or why there is none. */
function findBackground(
  all: readonly Background[],
  { id, text }: { id: string | undefined; text?: string | undefined },
): Background | string {
  const found = all.findLast((one) =>
    id !== undefined ? one.id === id : text === undefined || one.text.trim() === text.trim(),
  );
  if (found !== undefined) return found;
  if (all.length === 0)
    return "nothing was started in the background: bash_execute with background: true does that";
  const ids = all.map((one) => one.id).join(", ");
  return `${id ?? text ?? ""}: no command in the background is called so; there are ${ids}`;
}

async function reportNewOutput(
  world: ShellWorld,
  one: Background,
  filter: string | undefined,
): Promise<ToolResult> {
  const { files } = world.ports;
  const { command: running, told: seen } = one;
  // Asked before it is read: what it prints in between is told the next time.
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
    if (typeof kept !== "string") return failed(`filter: ${kept.problem}`);
    if (kept !== "") parts.push(`${name}:\n${kept}`);
  }
  one.told = { stdout: out.next, stderr: err.next };
  const left = out.left + err.left;
  if (left > 0)
    parts.push(`[${left} bytes more are there: ask again, or read ${running.stdout} and ${running.stderr}]`);
  return done([...lines, ...(parts.length === 0 ? ["(nothing new)"] : parts)].join("\n"));
}

function filterLines(text: string, filter: string): string | { problem: string } {
  const lines = text.split("\n");
  const matching = matchLines(filter, lines, FILTER_MS);
  if ("problem" in matching) return matching;
  const dropped = lines.length - matching.length;
  return [...matching, ...(dropped > 0 ? [`[${dropped} lines dropped by the filter]`] : [])].join("\n");
}

function describeStatus({ command: running }: Background): string {
  if (running.end === undefined) return "running";
  if (running.stopped === "too-much") return "killed (it printed more than 256 MiB)";
  if (running.stopped !== undefined) return "killed";
  const { end } = running;
  if (end.how === "killed") return `killed (by ${end.signal})`;
  return end.how === "exited" && end.code === 0 ? "completed" : "failed";
}

function createKillTool(session: ShellSession): Tool {
  return defineTool({
    name: "bash_kill",
    description:
      "Ends a command in the background, with all it started. Without id: the session's shell with everything that was " +
      "started in it; the next bash_execute begins a fresh one in the project's root.",
    arguments: z.strictObject({ id: z.string().optional().describe("As bash_execute told it") }),
    aliases: { bash_id: "id", shell_id: "id" },
    changes: false,
    run: async ({ id }) => {
      if (id === undefined)
        return (await session.end())
          ? done(
              "the shell was ended, with everything that was started in it; the next command begins a fresh one",
            )
          : failed("no shell is there to be ended: nothing was run since it was opened or ended");
      const found = findBackground(session.background, { id });
      if (typeof found === "string") return failed(found);
      if (found.command.end !== undefined)
        return failed(`${id}: it ended before; its status is ${describeStatus(found)}`);
      await found.command.stop("killed");
      return done(`${id} was killed, with all it started`);
    },
  });
}
