// Runs one program for a tool: with arguments instead of a shell, without a terminal, with limited output and a timeout. The
// tools interpret its output.
import type { Ports, ProcessEnd, ProcessSpec } from "../../system/ports.js";
import { characterEnd, characterStart } from "../../system/text/utf8.js";
import { done, failed, type ToolResult } from "../tool.js";

/** The ports, folder and environment in which tools run programs. */
export interface ProgramWorld {
  ports: Pick<Ports, "clock" | "files" | "processes">;
  /** The project's folder, absolute. */
  root: string;
  /** The whole environment, without the keys of model providers. */
  env: Readonly<Record<string, string>>;
}

/** A program to run. */
export interface Program {
  command: string;
  args: readonly string[];
  timeoutMs: number;
  /** Written to its stdin. */
  input?: string;
  /** The bytes to keep of each stream: at its beginning and at its end. */
  keep?: { head: number; tail: number };
  /** Whether to end the processes it leaves behind. */
  leavesNothing?: boolean;
}

/** A program that ended. */
export interface ProgramRun {
  end: ProcessEnd;
  stdout: string;
  stderr: string;
  timedOut: boolean;
  /** Whether stdout is longer than what was kept of it. */
  isCut: boolean;
}

const GRACE_MS = 1_000;
const USUAL_KEEP = { head: 9_000, tail: 9_000 };

/** Runs a program in the project's root until it ends; the signal ends it early. Never rejects. */
export async function runProgram(
  { ports, root, env }: ProgramWorld,
  program: Program,
  signal: AbortSignal,
): Promise<ProgramRun> {
  const keep = program.keep ?? USUAL_KEEP;
  const [stdout, stderr] = [new BoundedText(keep), new BoundedText(keep)];
  const { command, args, input } = program;
  const spec: ProcessSpec = {
    command,
    args,
    cwd: root,
    env,
    input,
    onStdout: stdout.add,
    onStderr: stderr.add,
  };
  const running =
    program.leavesNothing === true
      ? await ports.processes.contain(spec, "auto")
      : { ...ports.processes.start(spec), gone: undefined };
  let timedOut = false;
  const timers: { cancel(): void }[] = [];
  const stop = (): void => {
    running.signal("SIGTERM", "group");
    timers.push(
      ports.clock.after(GRACE_MS, () => {
        running.signal("SIGKILL", "group");
      }),
    );
  };
  timers.push(
    ports.clock.after(program.timeoutMs, () => {
      timedOut = true;
      stop();
    }),
  );
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const end = await running.ended;
  await running.gone;
  signal.removeEventListener("abort", stop);
  for (const timer of timers) timer.cancel();
  return { end, stdout: stdout.text(), stderr: stderr.text(), timedOut, isCut: stdout.isCut() };
}

/** Returns the exit code and output of a program that ended by itself; otherwise a failure. */
export function reportRun(name: string, ran: ProgramRun): ToolResult {
  const problem = describeEarlyEnd(name, ran);
  if (problem !== undefined) return failed(problem);
  const code = ran.end.how === "exited" ? ran.end.code : 0;
  return done(`exit_code: ${code}\n${formatStreams(ran)}`);
}

/** Returns the output of a program that ended with code 0; otherwise a failure. */
export function toOutput(name: string, ran: ProgramRun): ToolResult {
  const problem = describeProblem(name, ran);
  if (problem !== undefined) return failed(problem);
  const [program = ""] = name.split(" ");
  const said = [ran.stdout, ran.stderr].filter((text) => text !== "").join("\n");
  return done(said || `done; ${program} printed nothing`);
}

/** Describes why a program failed, with its output; `undefined` if it ended with code 0. */
export function describeProblem(name: string, ran: ProgramRun): string | undefined {
  const problem = describeEarlyEnd(name, ran);
  if (problem !== undefined) return problem;
  if (ran.end.how === "exited" && ran.end.code !== 0)
    return `${name} failed with exit code ${ran.end.code}\n${formatStreams(ran)}`;
  return undefined;
}

function describeEarlyEnd(name: string, ran: ProgramRun): string | undefined {
  const { end, timedOut } = ran;
  if (timedOut) return `${name} timed out and was ended. Output until then:\n${formatStreams(ran)}`;
  if (end.how === "not-found") return `cannot start ${name}: ${end.message}`;
  if (end.how === "killed")
    return `${name} was ended by ${end.signal}. Output until then:\n${formatStreams(ran)}`;
  return undefined;
}

/** Formats both streams, each under its name; leaves out an empty one. */
function formatStreams({ stdout, stderr }: ProgramRun): string {
  const parts = [stdout && `stdout:\n${stdout}`, stderr && `stderr:\n${stderr}`];
  return parts.filter((part) => part !== "").join("\n") || "(no output)";
}

/** Keeps the beginning and the end of a stream of any length. */
class BoundedText {
  readonly #most: { head: number; tail: number };
  readonly #head: Uint8Array[] = [];
  #headSize = 0;
  #tail: Uint8Array[] = [];
  #tailSize = 0;
  #size = 0;

  constructor(most: { head: number; tail: number }) {
    this.#most = most;
  }

  readonly add = (chunk: Uint8Array): void => {
    this.#size += chunk.length;
    const first = chunk.subarray(0, this.#most.head - this.#headSize);
    if (first.length > 0) this.#head.push(first);
    this.#headSize += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailSize += rest.length;
    // Not with every chunk, because joining is expensive.
    if (this.#tailSize > 4 * this.#most.tail + 65_536) this.#shorten();
  };

  isCut(): boolean {
    return this.#size > this.#most.head + this.#most.tail;
  }

  text(): string {
    this.#shorten();
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)];
    const cut = this.#size - head.length - tail.length;
    if (cut === 0) return Buffer.concat([head, tail]).toString("utf8").replace(/\n$/, "");
    const end = characterEnd(head, head.length);
    const start = characterStart(tail, 0);
    const all = cut + head.length - end + start;
    return `${head.toString("utf8", 0, end)}\n[… ${all} of ${this.#size} bytes were cut here …]\n${tail
      .toString("utf8", start)
      .replace(/\n$/, "")}`;
  }

  #shorten(): void {
    const joined = Buffer.concat(this.#tail);
    const kept = joined.subarray(Math.max(0, joined.length - this.#most.tail));
    this.#tail = [kept];
    this.#tailSize = kept.length;
  }
}
