// Releases on GitHub through its command line tool, `gh`: checks whether one can be made, and makes it.
import { toText } from "../git/base/bytes.js";
import type { Remote } from "../git/release/remote.js";
import type { ProcessResult, Ports } from "../system/ports.js";
import { err, ok, type Result } from "../system/result.js";

const ASK_MS = 30_000;
const MAKE_MS = 120_000;

export interface GithubPlace {
  ports: Pick<Ports, "processes">;
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** Reads `owner/name` from the URL of a repository on github.com; `undefined` for other hosts. */
export function readGithubName({ url, resolved }: Pick<Remote, "url" | "resolved">): string | undefined {
  const shape =
    /^(?:(?:https?|ssh|git):\/\/(?:[^@/]+@)?(?:ssh\.)?github\.com(?::\d+)?\/|(?:[^@/]+@)?github\.com:)([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/i;
  return shape.exec(url)?.[1] ?? shape.exec(resolved)?.[1];
}

/** Whether `gh` is installed and signed in. Starts one process and uses the network. */
export async function isSignedIn(place: GithubPlace): Promise<boolean> {
  const { ports, cwd, env } = place;
  if ((await ports.processes.which("gh", env["PATH"] ?? "", cwd)) === undefined) return false;
  return hasPassed(await runGh(place, ["auth", "status", "--hostname", "github.com"], { timeoutMs: ASK_MS }));
}

/** Whether a release of this tag exists. Starts one process and uses the network. */
export async function isPublished(place: GithubPlace, repo: string, tag: string): Promise<boolean> {
  return hasPassed(await runGh(place, ["release", "view", tag, "--repo", repo], { timeoutMs: ASK_MS }));
}

/** Makes a release of a tag that was pushed; returns its URL, or why it failed. */
export async function publishRelease(
  place: GithubPlace,
  release: { repo: string; tag: string; notes: string; pre: boolean },
): Promise<Result<string, string>> {
  const { repo, tag, notes, pre } = release;
  const flags = ["--repo", repo, "--title", tag, "--verify-tag", "--notes-file", "-"];
  const args = ["release", "create", tag, ...flags, ...(pre ? ["--prerelease"] : [])];
  const made = await runGh(place, args, { timeoutMs: MAKE_MS, input: notes });
  if (hasPassed(made)) return ok(toText(Buffer.from(made.stdout).toString("latin1")).trim());
  if (made.timedOut) return err(`gh took longer than ${MAKE_MS / 1000} s`);
  const [line = ""] = made.stderr.trim().split("\n");
  return err(line === "" ? `gh release create failed` : line);
}

function runGh(
  { ports, cwd, env }: GithubPlace,
  args: readonly string[],
  { timeoutMs, input }: { timeoutMs: number; input?: string },
): Promise<ProcessResult> {
  const quiet = { GH_PROMPT_DISABLED: "1", NO_COLOR: "1", GH_NO_UPDATE_NOTIFIER: "1" };
  const spec = { command: "gh", args, cwd, env: { ...env, ...quiet } };
  return ports.processes.run({ ...spec, input }, { timeoutMs });
}

function hasPassed({ end, timedOut }: ProcessResult): boolean {
  return !timedOut && end.how === "exited" && end.code === 0;
}
