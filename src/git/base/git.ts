// Runs the git binary without a shell, prompts, a pager, the project's git hooks or the caller's GIT_ variables. The
// other files of the floor choose the commands and read their output.
import { errorCode, UserError } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import { err, ok, type Result } from "../../system/result.js";

const LIMIT_MS = 60_000;
/** Far above the size of any expected output; an output of this size was truncated and is not used. */
const MOST_BYTES = 1 << 29;

const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsync=committed,loose-object,reference",
  "core.quotePath=false",
  "core.fsmonitor=false",
  "core.safecrlf=false",
  "core.splitIndex=false",
  "submodule.recurse=false",
  // It would start another program for each commit.
  "log.showSignature=false",
  // Git itself waits for a ref that another git has locked for a moment.
  "core.filesRefLockTimeout=5000",
  "advice.addEmbeddedRepo=false",
  "advice.addIgnoredFile=false",
  "gc.auto=0",
  "maintenance.auto=false",
].flatMap((setting) => ["-c", setting]);

/** `git diff` without what settings and attributes add. */
export const PLAIN_DIFF = ["diff", "--no-ext-diff", "--no-textconv", "--no-color"];

/** A command that failed, and the reason git reported. */
export interface GitFailure {
  /** For example "git add"; "git" where a file of the repository or the working tree could not be read or written. */
  command: string;
  message: string;
}

/** A failure as a sentence. One of the file system names the call and the path, and git had no part in it. */
export function failureText({ command, message }: GitFailure): string {
  return command === FILES ? message : `${command}: ${message}`;
}

/** Stands for a command where the file system failed. */
export const FILES = "git";

/** Git failed, or the file system failed under the functions of this floor. Carries no hint: the caller knows what to advise. */
export class GitError extends UserError {
  readonly failure: GitFailure;
  /** The system's code (`ENOSPC`, `EEXIST`, ...) when the file system failed. */
  readonly code: string | undefined;

  constructor(command: string, message: string, cause?: Error) {
    const failure = { command, message };
    super("environment", failureText(failure), undefined, { cause });
    this.name = "GitError";
    this.failure = failure;
    this.code = errorCode(cause);
  }
}

/** Returns a failure as a value, for callers that decide by it; other errors are thrown on. */
export async function asResult<T>(act: () => Promise<T>): Promise<Result<T, GitFailure>> {
  try {
    return ok(await act());
  } catch (error) {
    if (error instanceof GitError) return err(error.failure);
    throw error;
  }
}

/** Adds to a failure what the user can do about it. */
export async function withHint<T>(hint: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new UserError("environment", error.message, hint, { cause: error });
  }
}

/** Where and with what git runs. */
export interface GitPlace {
  ports: Ports;
  /** Absolute. */
  cwd: string;
  /** The whole environment, from `gitEnv`. */
  env: Readonly<Record<string, string>>;
  /** Settings for this place only, as `-c` takes them; they override those of the repository. */
  settings?: readonly string[];
}

export interface GitCall {
  /** Bytes, one character each. */
  input?: string;
  /** Absolute path of the index to use instead of the tree's own. */
  index?: string;
  /** Exit codes besides 0 that are not failures. */
  answers?: readonly number[];
  /** The timeout in ms; a minute by default. */
  limitMs?: number;
}

export interface GitAnswer {
  code: number;
  /** Bytes, one character each. */
  out: string;
  /** Text. */
  err: string;
}

/** Runs git to its end. Throws a `GitError` unless its exit code is 0 or one of `answers`. */
export async function runGit(
  place: GitPlace,
  args: readonly string[],
  call: GitCall = {},
): Promise<GitAnswer> {
  const { answers = [], limitMs = LIMIT_MS } = call;
  const { end, stdout, stderr, timedOut } = await place.ports.processes.run(
    {
      command: "git",
      args: [...SETTINGS, ...(place.settings ?? []).flatMap((setting) => ["-c", setting]), ...args],
      cwd: place.cwd,
      env: call.index === undefined ? place.env : { ...place.env, GIT_INDEX_FILE: call.index },
      ...(call.input === undefined ? {} : { input: Buffer.from(call.input, "latin1") }),
    },
    { timeoutMs: limitMs, maxBytes: MOST_BYTES },
  );
  const command = `git ${args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? ""}`;
  if (timedOut) throw new GitError(command, `took longer than ${String(limitMs / 1000)} s`);
  if (end.how === "not-found") throw new GitError(command, end.message);
  if (end.how === "killed") throw new GitError(command, `was ended by ${end.signal}`);
  if (stdout.length >= MOST_BYTES) throw new GitError(command, "its answer is too long");
  if (end.code !== 0 && !answers.includes(end.code)) {
    const message = explainForged(stderr) ?? explainGone(stderr, args) ?? shorten(stderr);
    throw new GitError(command, message || `exit code ${String(end.code)}`);
  }
  return { code: end.code, out: Buffer.from(stdout).toString("latin1"), err: stderr };
}

const FORGED = /^error: hash mismatch ([0-9a-f]{40,64})$/m;
const GONE =
  /^(?:fatal|error): (?:not a valid object name|bad object|not a tree object|reference is not a tree|not a commit)[ :('"]*([0-9a-f]{40,64})?/im;
const OBJECT = /^[0-9a-f]{40,64}$/;

/** Names an object that git found to be forged. */
export function explainForged(stderr: string): string | undefined {
  const [, forged] = FORGED.exec(stderr) ?? [];
  return forged === undefined
    ? undefined
    : `tampered: object ${forged} in the repository does not have the content that its id names; see git fsck`;
}

/** Explains an object that is gone; git's own words name neither the reason nor a remedy. */
function explainGone(stderr: string, args: readonly string[]): string | undefined {
  const found = GONE.exec(stderr);
  const gone = found === null ? undefined : (found[1] ?? args.find((arg) => OBJECT.test(arg)));
  if (gone === undefined) return undefined;
  return `object ${gone} is not in the repository any more (removed by git gc, for example): run again`;
}

/** The reason first: git prints advice and warnings before it, as long as it likes. */
export function shorten(stderr: string): string {
  const printed = stderr.trim();
  const reason = Math.max(printed.search(/^(?:fatal|error):/m), 0);
  const text = [printed.slice(reason), printed.slice(0, reason).trim()].filter(Boolean).join("\n");
  return text.length > 1000 ? `${text.slice(0, 1000)} …` : text;
}
