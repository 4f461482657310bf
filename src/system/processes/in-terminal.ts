// A program that takes over the terminal: a pager or an editor. It is in the program's own process group, so that it may read
// the keys, and it is not contained: the person ends it.
import { spawn } from "node:child_process";

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
export function runInTerminal({
  command,
  args,
  cwd,
  env,
  input,
}: TerminalProgram): Promise<number | undefined> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", `${command} "$@"`, command, ...args], {
      cwd,
      env: { ...env },
      stdio: [input === undefined ? "inherit" : "pipe", "inherit", "inherit"],
    });
    child.once("error", () => {
      resolve(undefined);
    });
    child.once("exit", (code) => {
      resolve(code ?? undefined);
    });
    // A pager that is left early reads no further.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
