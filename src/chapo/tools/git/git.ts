// The git tools: status, diff, add, commit, push, pull. A push goes to one branch by its full name, so that no git setting or
// spelling can redirect it.
import path from "node:path";
import { z } from "zod";
import {
  defineTool,
  done,
  fail,
  type CallContext,
  type Subject,
  type Tool,
  type ToolResult,
} from "../../tool.js";
import {
  refuseFailure,
  runProgram,
  toOutput,
  type Program,
  type ProgramWorld,
  type ProgramRun,
} from "../program.js";
import { gitEnv } from "../../../system/git-env.js";
import { findLeftOut, type Hidden } from "../../paths.js";
import { createToolEnv } from "../../tool-env.js";

const LOCAL_MS = 60_000;
const REMOTE_MS = 180_000;
const MORE_MS = 10_000;
const DIFF_BYTES = 27_000;
const LIST_BYTES = 4 * 1024 * 1024;

/** The environment of the git tools, and whether a push to main or master is allowed. */
interface GitWorld extends ProgramWorld {
  allowMain: boolean;
  /** Paths that a diff leaves out. */
  hidden?: Hidden;
}

/** Creates `git_status git_diff git_add git_commit git_push git_pull`. */
export function createGitTools(world: GitWorld): Tool[] {
  const git = new Git({ ...world, env: createGitEnv(world.env) });
  return [...createLookTools(git), createAddTool(git), createCommitTool(git), ...createRemoteTools(git)];
}

/** The environment of git: without the keys of models, and without variables that lead to another repository. */
export function createGitEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const { GIT_SSH, GIT_SSH_COMMAND = "ssh -o BatchMode=yes" } = env;
  return { ...gitEnv(createToolEnv(env)), GIT_SSH_COMMAND, ...(GIT_SSH === undefined ? {} : { GIT_SSH }) };
}

const SETTINGS = [
  "advice.statusHints=false",
  "core.fsmonitor=false",
  "core.quotePath=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.ext.allow=never",
].flatMap((setting) => ["-c", setting]);

interface Facts extends Omit<RepositoryFacts, "allowMain"> {
  /** E.g. `origin/main`. */
  upstream: string | undefined;
}

class Git {
  readonly world: GitWorld;

  constructor(world: GitWorld) {
    this.world = world;
  }

  run(args: readonly string[], signal: AbortSignal, more: Partial<Program> = {}): Promise<ProgramRun> {
    const program = { command: "git", args: [...SETTINGS, ...args], timeoutMs: LOCAL_MS, ...more };
    return runProgram(this.world, program, signal);
  }

  /** Returns the output of a command without the final line end; `undefined` if it fails. */
  async ask(args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const ran = await this.run(args, signal);
    return ran.end.how === "exited" && ran.end.code === 0 ? ran.stdout : undefined;
  }

  /** Returns the output of a command that must not fail. */
  async must(args: readonly string[], signal: AbortSignal, more: Partial<Program> = {}): Promise<string> {
    const ran = await this.run(args, signal, more);
    refuseFailure(`git ${args[0] ?? ""}`, ran);
    return ran.stdout;
  }

  /** Runs a command and returns its output as the tool's result. */
  async tell(args: readonly string[], signal: AbortSignal, more: Partial<Program> = {}): Promise<ToolResult> {
    return toOutput(`git ${args[0] ?? ""}`, await this.run(args, signal, more));
  }

  /** Reads the facts that decide where a push or a pull goes. */
  async facts(signal: AbortSignal): Promise<Facts> {
    const current = await this.ask(["symbolic-ref", "--quiet", "--short", "HEAD"], signal);
    const remotes = ((await this.ask(["remote"], signal)) ?? "").split("\n").filter((name) => name !== "");
    const set =
      current === undefined ? undefined : await this.ask(["config", `branch.${current}.remote`], signal);
    const [only = "origin"] = remotes;
    const usual = remotes.length === 1 ? only : "origin";
    const upstream = await this.ask(["rev-parse", "--abbrev-ref", "@{upstream}"], signal);
    return {
      current,
      remotes,
      upstream,
      usualRemote: set !== undefined && remotes.includes(set) ? set : usual,
    };
  }
}

function createLookTools(git: Git): Tool[] {
  return [
    defineTool({
      name: "git_status",
      description: "The branch, its upstream, and which files are staged, changed, in conflict or untracked.",
      arguments: z.strictObject({}),
      changes: false,
      timeoutMs: LOCAL_MS + MORE_MS,
      run: (_args, { signal }) => git.tell(["status"], signal, { keep: { head: DIFF_BYTES, tail: 0 } }),
    }),
    defineTool({
      name: "git_diff",
      description: "Shows the unstaged changes of tracked files; with staged: true the staged changes.",
      arguments: z.strictObject({
        staged: z.boolean().optional().describe("Whether to show the staged changes instead"),
        path: z.string().min(1).optional().describe("Only this file or folder"),
      }),
      changes: false,
      subjects: ({ path: only }) => (only === undefined ? [] : [{ kind: "path", path: only, use: "read" }]),
      timeoutMs: LOCAL_MS + MORE_MS,
      run: async ({ staged, path: only }, { signal }) => {
        const args = ["diff", "--no-color", "--no-ext-diff", "--no-textconv"];
        if (staged === true) args.push("--cached");
        const named = only === undefined ? [] : [only];
        const list = [...args, "--name-only", "--no-renames"];
        const left = await findHidden(git, { list, named, hides: "content" }, signal);
        args.push("--", ...toPathspecs(named, left));
        const shown = await git.must(args, signal, { keep: { head: DIFF_BYTES, tail: 0 } });
        const none = `no ${staged === true ? "staged" : "unstaged"} changes`;
        return done((shown || none) + describeLeftOut(left));
      },
    }),
  ];
}

function toPathspecs(named: readonly string[], left: readonly string[]): string[] {
  const wanted = named.map((file) => `:(literal)${file}`);
  return [...wanted, ...left.map((file) => `:(top,exclude,literal)${file}`)];
}

function describeLeftOut({ length }: readonly string[]): string {
  return length === 0 ? "" : `\n[left out, because reading needs a permission: ${length} of the files]`;
}

/**
 * Returns the files of a list (`list`: git's words for it) that a call must leave out, relative to the repository's root. The gate
 * has decided on a file that is named.
 */
async function findHidden(
  git: Git,
  { list, named, hides }: { list: readonly string[]; named: readonly string[]; hides: "name" | "content" },
  signal: AbortSignal,
): Promise<string[]> {
  const { hidden } = git.world;
  if (hidden === undefined) return [];
  const prefix = (await git.ask(["rev-parse", "--show-prefix"], signal)) ?? "";
  const words = [...list, "-z", "--", ...toPathspecs(named, [])];
  const listed = await git.must(words, signal, { keep: { head: LIST_BYTES, tail: 0 } });
  const toProject = (file: string): string => (file.startsWith(prefix) ? file.slice(prefix.length) : file);
  const files = [...new Set(listed.split("\0"))].filter((file) => file !== "");
  const left = await findLeftOut(hidden, hides, files.map(toProject));
  return files
    .filter((file) => left.has(toProject(file)))
    .filter((file) => !named.some((one) => path.normalize(one) === toProject(file)));
}

const CHANGED = ["ls-files", "--full-name", "--modified", "--deleted", "--others", "--exclude-standard"];

function createAddTool(git: Git): Tool {
  return defineTool({
    name: "git_add",
    description: "Stages the new, changed and deleted files among the given files and folders.",
    arguments: z.strictObject({
      files: z
        .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(1000)])
        .describe("Paths; . for everything"),
    }),
    changes: true,
    subjects: ({ files }) => [files].flat().map((one) => ({ kind: "path", path: one, use: "read" })),
    timeoutMs: LOCAL_MS + MORE_MS,
    run: async ({ files }, { signal }) => {
      const named = [files].flat();
      const left = await findHidden(git, { list: CHANGED, named, hides: "name" }, signal);
      await git.must(["add", "--all", "--", ...toPathspecs(named, left)], signal);
      const staged = (await git.ask(["diff", "--cached", "--name-status"], signal)) ?? "";
      return done((staged === "" ? "nothing is staged" : `staged:\n${staged}`) + describeLeftOut(left));
    },
  });
}

function createCommitTool(git: Git): Tool {
  return defineTool({
    name: "git_commit",
    description: "Commits the staged changes and returns the hash of the commit.",
    arguments: z.strictObject({
      message: z.string().trim().min(1).max(20_000).describe("The whole message"),
    }),
    changes: true,
    timeoutMs: 2 * LOCAL_MS + MORE_MS,
    preview: ({ message }) => Promise.resolve(`git commit -m ${JSON.stringify(message)}`),
    run: async ({ message }, { signal }) => {
      const staged = await git.run(["diff", "--cached", "--quiet"], signal);
      if (staged.end.how === "exited" && staged.end.code === 0)
        fail("nothing is staged: stage changes with git_add first");
      // Hooks may be slow.
      const more = { input: message, timeoutMs: 2 * LOCAL_MS };
      await git.must(["commit", "--quiet", "--file=-"], signal, more);
      const told = await git.ask(["show", "--no-patch", "--format=%H%n%h %s", "HEAD"], signal);
      const [hash = "", line = ""] = (told ?? "").split("\n");
      return done(`committed ${hash}\n${line}`);
    },
  });
}

/** A remote and a branch as they were named. */
const NAMED = z.strictObject({
  remote: z.string().min(1).max(200).optional().describe("A configured remote; by default the branch's own"),
  branch: z.string().min(1).max(300).optional().describe("A branch; by default the one that is checked out"),
});
type Named = z.output<typeof NAMED>;

function createRemoteTools(git: Git): Tool[] {
  const { allowMain } = git.world;
  const shared = {
    arguments: NAMED,
    changes: true,
    subjects: (args: Named): Subject[] => [{ kind: "name", name: spellTarget(args) }],
    timeoutMs: REMOTE_MS + LOCAL_MS,
  };
  return [
    defineTool({
      ...shared,
      name: "git_push",
      description:
        "Pushes one branch to the branch of the same name, or with branch: from:to to another." +
        (allowMain ? "" : " Pushing to main or master is refused.") +
        " Never with force.",
      preview: (args) => Promise.resolve(`git push ${spellTarget(args)}`.trim()),
      run: async (args, { signal }) => {
        const facts = await git.facts(signal);
        const { remote, from, to } = resolvePushTarget(args, { ...facts, allowMain });
        const words = ["push", "--no-recurse-submodules", "--no-follow-tags"];
        const isOwn = from === to && to === `refs/heads/${facts.current ?? ""}`;
        if (isOwn && facts.upstream === undefined) words.push("--set-upstream");
        const refs = ["--", remote, `${from}:${to}`];
        return git.tell([...words, ...refs], signal, { timeoutMs: REMOTE_MS });
      },
    }),
    defineTool({
      ...shared,
      name: "git_pull",
      description:
        "Fetches a branch and fast-forwards the one that is checked out to it; refuses a pull that would need a merge.",
      preview: (args) => Promise.resolve(`git pull --ff-only ${spellTarget(args)}`.trim()),
      run: (args, context) => pull(git, args, context),
    }),
  ];
}

function spellTarget({ remote = "", branch = "" }: Named): string {
  return `${remote} ${branch}`.trim();
}

async function pull(git: Git, args: Named, { signal }: CallContext): Promise<ToolResult> {
  const facts = await git.facts(signal);
  const words = ["pull", "--ff-only", "--no-recurse-submodules"];
  const more = { timeoutMs: REMOTE_MS };
  if (args.remote === undefined && args.branch === undefined && facts.upstream !== undefined)
    return git.tell(words, signal, more);
  const remote = resolveRemote(args.remote, facts);
  const branch = resolveBranch(args.branch ?? "HEAD", facts.current);
  return git.tell([...words, "--", remote, `refs/heads/${branch}`], signal, more);
}

/** Branches that other people build on. */
const PROTECTED = new Set(["main", "master"]);

/** The state of the repository and the setting that decide about a push. */
interface RepositoryFacts {
  /** The branch that is checked out; `undefined` for a detached HEAD. */
  current: string | undefined;
  /** The names of the remotes. */
  remotes: readonly string[];
  /** The remote to push to by default. */
  usualRemote: string;
  allowMain: boolean;
}

/** Resolves the one branch to push, or fails. `from`: a full name or HEAD; `to`: `refs/heads/…`. */
export function resolvePushTarget(
  asked: Named,
  facts: RepositoryFacts,
): { remote: string; from: string; to: string } {
  const remote = resolveRemote(asked.remote, facts);
  const spelled = asked.branch ?? "HEAD";
  if (spelled.startsWith("+")) fail(`branch: ${spelled}: a push with force is refused; push without the +`);
  const [from = "", to = from, ...more] = spelled.split(":");
  if (more.length > 0 || from === "" || to === "")
    fail(`branch: ${spelled}: name one branch; deleting a branch with a push is refused`);
  // A detached HEAD can still be pushed to a named branch.
  const source = from === "HEAD" && spelled !== from ? "HEAD" : resolveBranch(from, facts.current);
  const target = resolveBranch(to, facts.current);
  if (PROTECTED.has(target.toLowerCase()) && !facts.allowMain)
    fail(
      `pushing to ${target} is refused: push another branch, e.g. branch "HEAD:my-branch"; ` +
        "a person can allow it with git.allow_push_main",
    );
  return { remote, from: source === "HEAD" ? source : `refs/heads/${source}`, to: `refs/heads/${target}` };
}

/** Accepts only configured remotes: a model could name any address, and some address schemes run commands. */
function resolveRemote(
  remote: string | undefined,
  { remotes, usualRemote }: Pick<RepositoryFacts, "remotes" | "usualRemote">,
): string {
  const named = remote ?? usualRemote;
  if (remotes.includes(named) && !named.startsWith("-")) return named;
  const known = remotes.length === 0 ? "none is configured" : `available: ${remotes.join(", ")}`;
  return fail(`remote: ${named}: no such remote; ${known}`);
}

/** Returns a branch name without `refs/heads/`; HEAD means the branch that is checked out. */
function resolveBranch(spelled: string, current: string | undefined): string {
  if (spelled === "HEAD" || spelled === "@")
    return current ?? fail("branch: no branch is checked out (detached HEAD): name the branch");
  const name = spelled.replace(/^(?:refs\/)?heads\//, "");
  if (name.startsWith("refs/")) fail(`branch: ${spelled}: only branches can be pushed and pulled`);
  // The characters that branch names use in practice; excludes patterns, options and expressions.
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_./#@+-]*$/u.test(name) || name.includes("..") || name.includes("@{"))
    fail(`branch: ${spelled}: not a valid branch name`);
  return name;
}
