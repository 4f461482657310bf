// A program that takes over the terminal: a pager or an editor. It is in the program's own process group, so that it may read
// the keys, and it is not contained: the person ends it.
import { startProgram } from "./child.js";

export interface TerminalProgram {
  /** A shell command: `$PAGER` and `$EDITOR` may have arguments. */
  command: string;
  /** Added as words of their own. */
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Its stdin; absent: the terminal. */
  input?: string;
}

/** Runs it to its end; its exit code, or `undefined` where it could not be started or was killed. */
export async function runInTerminal(program: TerminalProgram): Promise<number | undefined> {
  const { command, args, cwd, env, input } = program;
  const child = startProgram("/bin/sh", ["-c", `${command} "$@"`, command, ...args], {
    cwd,
    env,
    stdio: [input === undefined ? "inherit" : "pipe", "inherit", "inherit"],
  });
  // A pager that is left early reads no further.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const end = await child.exited.catch(() => undefined);
  return end?.code ?? undefined;
}
