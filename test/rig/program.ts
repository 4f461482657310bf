// One start of the real program, in a process group of its own, and what it said. Leaves its project to rig.ts.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The program as users start it. */
export const DIST = fileURLToPath(new URL("../../dist/looper.js", import.meta.url));
const COMPILED = fileURLToPath(new URL("../../build/compiled/looper.cjs", import.meta.url));

/** Whether build/compiled is made of dist/: it has the same time. */
export function isCompiled(): boolean {
  const made = statSync(COMPILED, { throwIfNoEntry: false });
  return made !== undefined && made.mtime.getTime() === statSync(DIST).mtime.getTime();
}

/** The program that stories start; with STORIES_START=dist it is DIST. */
export const BIN = process.env["STORIES_START"] !== "dist" && isCompiled() ? COMPILED : DIST;

/** How it ended: `code` or `signal`, whichever it was. */
export interface Ran {
  code: number | undefined;
  signal: string | undefined;
  stdout: string;
  stderr: string;
}

export interface StartOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed either way. */
  input?: string | Buffer;
  /** Another build of the program; its absolute path. */
  bin?: string;
  /** After so long it is ended with SIGQUIT, which nothing else sends: it hung. */
  hangsAfterMs?: number;
}

export class Program {
  readonly pid: number;
  /** Resolves once it ended and both its pipes are closed. */
  readonly ended: Promise<Ran>;
  stdout = "";
  stderr = "";
  readonly #child: ChildProcessWithoutNullStreams;

  constructor(args: readonly string[], options: StartOptions) {
    const { cwd, env, input = "", bin = BIN, hangsAfterMs } = options;
    const limit = hangsAfterMs === undefined ? {} : { timeout: hangsAfterMs, killSignal: "SIGQUIT" as const };
    this.#child = spawn(process.execPath, [bin, ...args], {
      cwd,
      env,
      detached: true,
      ...limit,
    });
    this.pid = this.#child.pid ?? -1;
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    // A program that never reads its stdin may be gone before all of it is written.
    this.#child.stdin.on("error", () => undefined);
    this.#child.stdin.end(input);
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => {
        const { stdout, stderr } = this;
        resolve({ code: code ?? undefined, signal: signal ?? undefined, stdout, stderr });
      });
    });
  }

  /** Resolves as soon as stdout and stderr together hold a match; rejects when it ends without one. */
  says(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(`${this.stdout}\n${this.stderr}`);
        if (match) resolve(match);
      };
      look();
      this.#child.stdout.on("data", look);
      this.#child.stderr.on("data", look);
      void this.ended.then(({ stdout, stderr }) => {
        reject(new Error(`ended without saying ${String(pattern)}:\n${stdout}\n${stderr}`));
      });
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** SIGKILL, to the program alone or to its whole group; resolves once it is gone. */
  async kill(target: "alone" | "group"): Promise<Ran> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      process.kill(target === "group" ? -this.pid : this.pid, "SIGKILL");
    }
    return this.ended;
  }
}
