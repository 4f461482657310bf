// Runs one program for a tool: with arguments instead of a shell, without a terminal, with limited output and a timeout. The
// tools interpret its output.
import type { Ports, ProcessEnd } from "../../system/ports.js";
import { waitForEnd } from "../../system/processes/wait-for-end.js";
import { characterEnd, characterStart } from "../../system/text/utf8.js";
import { done, fail, type ToolResult } from "../tool.js";

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
  const { command, args, input, timeoutMs } = program;
  const spec = { command, args, cwd: root, env, input, onStdout: stdout.add, onStderr: stderr.add };
  const running =
    program.leavesNothing === true
      ? await ports.processes.contain(spec, "auto")
      : { ...ports.processes.start(spec), gone: undefined };
  const limits = { clock: ports.clock, timeoutMs, signal, graceMs: GRACE_MS };
  const { end, timedOut } = await waitForEnd(running, limits);
  await running.gone;
  return { end, stdout: stdout.text(), stderr: stderr.text(), timedOut, isCut: stdout.isCut() };
}

/** Returns the exit code and output of a program that ended by itself; any other end fails. */
export function reportRun(name: string, ran: ProgramRun): ToolResult {
  refuseEarlyEnd(name, ran);
  const code = ran.end.how === "exited" ? ran.end.code : 0;
  return done(`exit_code: ${code}\n${formatStreams(ran)}`);
}

/** Returns the output of a program that ended with code 0; any other end fails. */
export function toOutput(name: string, ran: ProgramRun): ToolResult {
  refuseFailure(name, ran);
  const [program = ""] = name.split(" ");
  const said = [ran.stdout, ran.stderr].filter((text) => text !== "").join("\n");
  return done(said || `done; ${program} printed nothing`);
}

/** Ends the call of a tool whose program did not end with code 0, with its output. */
export function refuseFailure(name: string, ran: ProgramRun): void {
  refuseEarlyEnd(name, ran);
  if (ran.end.how === "exited" && ran.end.code !== 0)
    fail(`${name} failed with exit code ${ran.end.code}\n${formatStreams(ran)}`);
}

function refuseEarlyEnd(name: string, ran: ProgramRun): void {
  const { end, timedOut } = ran;
  if (timedOut) fail(`${name} timed out and was ended. Output until then:\n${formatStreams(ran)}`);
  if (end.how === "not-found") fail(`cannot start ${name}: ${end.message}`);
  if (end.how === "killed")
    fail(`${name} was ended by ${end.signal}. Output until then:\n${formatStreams(ran)}`);
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
  #tail = Buffer.alloc(0);
  #size = 0;

  constructor(most: { head: number; tail: number }) {
    this.#most = most;
  }

  readonly add = (chunk: Uint8Array): void => {
    const { head, tail } = this.#most;
    const room = Math.max(0, head - this.#size);
    if (room > 0) this.#head.push(chunk.subarray(0, room));
    const end = Buffer.concat([this.#tail, chunk.subarray(room)]);
    this.#tail = end.subarray(Math.max(0, end.length - tail));
    this.#size += chunk.length;
  };

  isCut(): boolean {
    return this.#size > this.#most.head + this.#most.tail;
  }

  text(): string {
    const head = Buffer.concat(this.#head);
    return this.isCut() ? joinEnds(head, this.#tail, this.#size) : decode(Buffer.concat([head, this.#tail]));
  }
}

/** Returns the beginning and the end of a stream of `size` bytes as text, with what is missing between. Splits no character. */
export function joinEnds(head: Uint8Array, tail: Uint8Array, size: number, where = ""): string {
  const end = characterEnd(head, head.length);
  const start = characterStart(tail, 0);
  const cut = size - end - (tail.length - start);
  const note = `[… ${cut} of ${size} bytes were cut here${where} …]`;
  return [decode(head.subarray(0, end)), note, decode(tail.subarray(start))].join("\n");
}

/** Decodes without the last line end. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\n$/, "");
}
