// Plays the scripted agent's part of a script, in the child that hosts it: really edits files, runs commands, waits, fails.
// The shape of a script, and which part of it is played when, are below.
import path from "node:path";
import { z } from "zod";
import { given } from "../../system/given.js";
import { runHost, writeLine, type HostIo } from "./host.js";
import { HostRequest } from "./hosted.js";
import type { EndLine } from "./own-lines.js";
import { never } from "../../system/never.js";
import { FAILURE_REASONS, WaitingCall } from "../agent.js";

/** Plays the file of steps at an absolute path; the exit code. */
export async function hostScript(file: string, io: HostIo): Promise<number> {
  return runHost(io, HostRequest, async (request) => {
    const attempt = chooseAttempt(await readScript(file, io), request);
    if (attempt === undefined) throw new Error(`${file} has nothing for ${request.taskId ?? request.phase}`);
    const stage = { io, cwd: request.cwd };
    for (const [index, action] of attempt.entries()) {
      const ended = await perform(action, { ...stage, id: `step-${index + 1}` });
      if (io.stop.aborted) return STOPPED;
      if (ended !== undefined) return ended;
    }
    return { type: "end", ok: true };
  });
}

const STOPPED = 143;

interface Stage {
  io: HostIo;
  cwd: string;
  /** Names this action among the agent's tool uses. */
  id: string;
}

async function readScript(file: string, io: HostIo): Promise<Script> {
  const bytes = await io.ports.files.read(file);
  if (bytes === undefined) throw new Error(`cannot find the script ${file}`);
  const read = Script.safeParse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  if (read.success) return read.data;
  throw new Error(`${file} is not a valid script: ${z.prettifyError(read.error)}`);
}

type Enders = Extract<Action, { exit: number } | { fail: string } | { call: unknown }>;
type Doers = Exclude<Action, Enders>;
type Edits = Extract<
  Doers,
  { write: string } | { append: string } | { replace: string } | { remove: string }
>;

/** Performs an action; returns how the agent ended, if the action ends it. */
async function perform(action: Action, stage: Stage): Promise<EndLine | number | undefined> {
  if ("exit" in action) return action.exit;
  if ("call" in action)
    return { type: "end", ok: true, session: action.session ?? "scripted", waiting_call: action.call };
  if ("fail" in action) {
    return { type: "end", ok: false, reason: action.reason ?? "exited", evidence: action.fail };
  }
  await act(action, stage);
  return undefined;
}

async function act(action: Doers, stage: Stage): Promise<void> {
  const { io } = stage;
  if ("say" in action) return writeLine(io, { type: "message", role: "assistant", content: action.say });
  if ("summary" in action) return writeLine(io, { ...action.summary, type: "summary" });
  if ("print" in action) return print(action.print, action.times ?? 1, io);
  if ("stderr" in action) return io.writeError(action.stderr);
  if ("run" in action) return runCommand(action.run, action.args ?? [], stage);
  if ("shell" in action) return runCommand("sh", ["-c", action.shell], stage);
  if ("git" in action) return runCommand("git", action.git, stage);
  if ("delay" in action) return wait(parseDelay(action.delay), io);
  if ("hang" in action) return wait(Infinity, io);
  if ("fork" in action) return fork(action.fork.seconds, stage);
  return showEdit(action, stage);
}

const PRINT_CHUNK = 64 * 1024;

async function print(text: string, times: number, io: HostIo): Promise<void> {
  const batch = Math.max(1, Math.floor(PRINT_CHUNK / Math.max(1, text.length)));
  for (let left = times; left > 0 && !io.stop.aborted; left -= batch) {
    await io.write(text.repeat(Math.min(batch, left)));
  }
}

async function showEdit(action: Edits, stage: Stage): Promise<void> {
  const { io, id } = stage;
  const name = Object.keys(action)[0] ?? "edit";
  const place = placeOf(action);
  await writeLine(io, { type: "tool_use", name, input: { path: place }, id });
  await edit(action, inside(stage.cwd, place), io);
  await writeLine(io, { type: "tool_result", id, output: "", is_error: false });
}

function placeOf(action: Edits): string {
  if ("write" in action) return action.write;
  if ("append" in action) return action.append;
  if ("replace" in action) return action.replace;
  return action.remove;
}

async function edit(action: Edits, file: string, { ports: { files } }: HostIo): Promise<unknown> {
  if ("remove" in action) {
    if ((await files.stat(file, { link: true }))?.kind === "folder") return files.removeTree(file);
    return files.remove(file);
  }
  await files.makeFolder(path.dirname(file));
  if ("write" in action) return files.writeAtomic(file, action.content);
  const before = Buffer.from((await files.read(file)) ?? []).toString("utf8");
  if ("append" in action) return files.writeAtomic(file, before + action.content);
  const at = before.indexOf(action.find);
  if (at === -1) throw new Error(`${action.replace} does not hold ${JSON.stringify(action.find)}`);
  const after = before.slice(at + action.find.length);
  return files.writeAtomic(file, before.slice(0, at) + action.with + after);
}

function inside(cwd: string, place: string): string {
  const file = path.resolve(cwd, place);
  const relative = path.relative(cwd, file);
  if (
    relative === "" ||
    relative === ".." ||
    relative.startsWith(`..${path.sep}`) ||
    path.isAbsolute(relative)
  ) {
    throw new Error(`${place} is not inside ${cwd}`);
  }
  return file;
}

/** Its output goes to stderr: stdout is for events. */
async function runCommand(command: string, args: readonly string[], { io, cwd }: Stage): Promise<void> {
  const { clock, processes } = io.ports;
  const shown = command === "sh" ? (args[1] ?? "") : [command, ...args].join(" ");
  const show = (chunk: Uint8Array): Promise<void> => io.writeError(Buffer.from(chunk).toString("utf8"));
  await writeLine(io, { type: "command", command: shown });
  const begun = clock.monotonic();
  const running = processes.start({ command, args, cwd, env: io.env, onStdout: show, onStderr: show });
  const kill = (): void => {
    running.signal("SIGKILL", "group");
  };
  io.stop.addEventListener("abort", kill, { once: true });
  const end = await running.ended;
  io.stop.removeEventListener("abort", kill);
  if (end.how === "not-found") await io.writeError(`${end.message}\n`);
  const exitCode = end.how === "exited" ? end.code : end.how === "not-found" ? 127 : undefined;
  await writeLine(io, {
    type: "command",
    command: shown,
    ...given({ exit_code: exitCode }),
    duration_ms: Math.round(clock.monotonic() - begun),
  });
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

function parseDelay(delay: string): number {
  const [, number = "0", unit = "ms"] = /^(\d+)(ms|s|m)$/.exec(delay) ?? [];
  return Number(number) * (UNITS[unit] ?? 1);
}

const SLICE_MS = 1000;

/** Until the time is over or the host is told to end. */
async function wait(ms: number, { ports: { clock }, stop }: HostIo): Promise<void> {
  const until = clock.monotonic() + ms;
  const stopped = new Promise<void>((resolve) => {
    stop.addEventListener("abort", () => {
      resolve();
    });
  });
  for (let left = ms; left > 0 && !stop.aborted; left = until - clock.monotonic()) {
    await Promise.race([clock.sleep(Math.min(left, SLICE_MS)), stopped]);
  }
}

const START_AWAY = `require("node:child_process")
  .spawn(process.execPath, ["-e", process.argv[1]], { detached: true, stdio: "ignore" }).unref()`;

/** Starts a process through another that ends at once, so that it is not a child of this one. */
async function fork(seconds: number, { io, cwd }: Stage): Promise<void> {
  const deaf = `for (const s of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(s, () => {});
    setTimeout(() => {}, ${seconds * 1000})`;
  await io.ports.processes.run({ command: io.node, args: ["-e", START_AWAY, deaf], cwd, env: io.env });
}

const at = z.string().min(1).describe("a path below the folder the agent works in");

const Action = z.union([
  z.strictObject({ say: z.string().describe("a message of the agent") }),
  z.strictObject({ write: at, content: z.string() }).describe("writes a file, folders included"),
  z.strictObject({ append: at, content: z.string() }),
  z
    .strictObject({ replace: at, find: z.string().min(1), with: z.string() })
    .describe("replaces the first place"),
  z.strictObject({ remove: at }).describe("removes a file, or a folder with all in it"),
  z
    .strictObject({ run: z.string().min(1), args: z.exactOptional(z.array(z.string())) })
    .describe("without a shell"),
  z.strictObject({ shell: z.string().min(1).describe("a command line for sh") }),
  z.strictObject({ git: z.array(z.string()).min(1) }),
  z.strictObject({ delay: z.string().regex(/^\d+(ms|s|m)$/, "a delay is like 200ms, 3s or 1m") }),
  z
    .strictObject({ fork: z.strictObject({ seconds: z.number().positive() }) })
    .describe("leaves a process behind, in a session of its own and deaf to SIGTERM"),
  z
    .strictObject({ print: z.string(), times: z.exactOptional(z.int().min(1)) })
    .describe("prints raw text, not an event"),
  z.strictObject({ stderr: z.string() }),
  z
    .strictObject({ exit: z.int().min(0).max(255) })
    .describe("exits at once, without an end: 0 is not a good end either"),
  z.strictObject({ hang: z.literal(true) }).describe("does nothing until it is stopped"),
  z
    .strictObject({ fail: z.string(), reason: z.exactOptional(z.enum(FAILURE_REASONS)) })
    .describe("ends as failed"),
  z
    .strictObject({ call: WaitingCall, session: z.exactOptional(z.string()) })
    .describe("ends the turn with a call of a tool that a person must allow first"),
  z
    .strictObject({ summary: z.record(z.string(), z.unknown()) })
    .describe("the report; handed over as it is, valid or not"),
]);
export type Action = z.infer<typeof Action>;

const Attempt = z.array(Action);
const Attempts = z.array(Attempt).min(1).describe("one entry an attempt; the last one is repeated");

/** A file of steps: either one list in the order of the iterations, or lists by phase and task. */
export const Script = z.union([
  z.strictObject({
    $schema: z.exactOptional(z.string()),
    steps: Attempts.describe("the n-th entry is played in the n-th iteration"),
  }),
  z.strictObject({
    $schema: z.exactOptional(z.string()),
    tasks: z.exactOptional(z.record(z.string(), Attempts)),
    default: z.exactOptional(Attempts.describe("for tasks that are not named")),
    stages: z.exactOptional(
      z
        .record(z.string(), Attempts)
        .describe(
          "by stage of a workflow: the n-th entry is played when a task enters the stage for the n-th time",
        ),
    ),
    review: z.exactOptional(Attempts),
    bootstrap: z.exactOptional(Attempts),
    repair: z.exactOptional(Attempts),
    push: z.exactOptional(Attempts),
  }),
]);
export type Script = z.infer<typeof Script>;

const NOTHING_FOUND: readonly Action[] = [
  { summary: { task_id: null, status: "reviewed", summary: "Nothing left to do.", new_tasks: [] } },
];

/** Chooses the actions for a request; `undefined` when the script has none. A review that it does not name finds nothing. */
export function chooseAttempt(
  script: Script,
  request: Pick<HostRequest, "phase" | "taskId" | "iteration" | "attempt" | "stage">,
): readonly Action[] | undefined {
  if ("steps" in script) return entry(script.steps, request.iteration);
  switch (request.phase) {
    case "bootstrap":
      return entry(script.bootstrap, request.attempt);
    case "repair":
      return entry(script.repair, request.attempt);
    case "push":
      return entry(script.push, request.attempt);
    case "review":
      return entry(script.review, request.attempt) ?? NOTHING_FOUND;
    case "iteration": {
      const { stage } = request;
      const staged = stage === undefined ? undefined : taskEntry(script.stages, stage.name);
      if (stage !== undefined && staged !== undefined) return entry(staged, stage.round);
      const named = request.taskId === undefined ? undefined : taskEntry(script.tasks, request.taskId);
      return entry(named ?? script.default, request.attempt);
    }
    default:
      return never(request.phase);
  }
}

function taskEntry(
  tasks: Readonly<Record<string, readonly (readonly Action[])[]>> | undefined,
  id: string,
): readonly (readonly Action[])[] | undefined {
  return tasks !== undefined && Object.hasOwn(tasks, id) ? tasks[id] : undefined;
}

function entry(
  attempts: readonly (readonly Action[])[] | undefined,
  number: number,
): readonly Action[] | undefined {
  return attempts?.[Math.max(1, number) - 1] ?? attempts?.at(-1);
}
