// Plays the scripted agent's part of a script, in the child that hosts it: really edits files, runs commands, waits, fails.
// Leaves which part is played to script.ts.
import { z } from "zod";
import path from "node:path";
import { given } from "../../system/given.js";
import { runHost, writeLine, type HostIo } from "./host.js";
import { HostRequest } from "./hosted.js";
import type { EndLine } from "./own-lines.js";
import { chooseAttempt, Script, type Action } from "./script.js";

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
