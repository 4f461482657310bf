// Finds sessions that came with the repository. Their files say what a user and a model wrote, and its author may have invented
// that: they are never resumed.
import { createGitEnv } from "../tools/git/git.js";
import { runProgram } from "../tools/program.js";
import type { Ports } from "../../system/ports.js";

const TIMEOUT_MS = 10_000;
const KEEP = { head: 4 * 1024 * 1024, tail: 0 };

/** Returns the ids of the sessions of which git tracks a file; none without git. `folder`: that of the sessions, absolute. */
export async function findForeignSessions(
  ports: Ports,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ReadonlySet<string>> {
  if ((await ports.files.stat(folder)) === undefined) return new Set();
  const args = ["--no-optional-locks", "-c", "core.fsmonitor=false", "ls-files", "-z"];
  const ran = await runProgram(
    { ports, root: folder, env: createGitEnv(env) },
    { command: "git", args, timeoutMs: TIMEOUT_MS, keep: KEEP },
    new AbortController().signal,
  );
  const ids = ran.stdout.split("\0").flatMap((file) => /^([^/]+)\//.exec(file)?.slice(1) ?? []);
  return new Set(ids);
}
