// Finds the git repository of a project and collects the facts that the rest of this floor needs. Changes nothing,
// except that `initRepository` makes a repository.
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isHalfWritten } from "../../../system/files/half-written.js";
import type { Files, Ports } from "../../../system/ports.js";
import { err, ok, type Result } from "../../../system/result.js";
import { toBytes, toText } from "../bytes.js";
import { OWN_IDENT, type Ident } from "../fast-import.js";
import { gitEnv } from "../../../system/git-env.js";
import { asResult, runGit, type GitFailure, type GitPlace, FILES, GitError } from "../git.js";
import { encodeId } from "../names.js";
import { errorMessage } from "../../../system/errors.js";

/** A repository with a working tree. Git runs at its top, even if the project is in a subfolder. */
export interface Repository extends GitPlace {
  /** Absolute: the git folder of this working tree. */
  gitDir: string;
  /** Absolute: the git folder that all working trees share. */
  commonDir: string;
  /** The working tree as a part of a ref's name: "main", or "linked-" and its encoded name. */
  tree: string;
  /** The backlog, if it is in the working tree. */
  todo: { /** From the top, in bytes. */ path: string; /** Absolute. */ file: string } | undefined;
  /** Pathspecs that exclude the runner's own files: the backlog, the copies beside it, the log, the locks. */
  excludes: readonly string[];
  /** The same pathspecs without the one for the backlog. */
  excludesSaveTodo: readonly string[];
  /** Whether a path from the top (bytes) is the runner's own, that is, excluded by `excludes`. */
  isOwn: (path: string) => boolean;
  /** Untracked files above this size in bytes are in no checkpoint (`git.max_untracked_bytes`); 0 means no limit. */
  mostUntracked: number;
  /** Those files: path (bytes) → size when they were found. They are never staged; only large.ts changes the map. */
  leftOut: Map<string, number>;
  /** New files and folders (bytes) that attempts left and no commit holds: they are not staged any more in this run. */
  unwanted: Set<string>;
  /** Answers of git that cannot change (index-file.ts), by question. */
  fixedAnswers: Map<string, string>;
  /** The own index's file name; absent: `index`. Sessions of Chapo stage beside a run in the same tree. */
  ownIndexName?: string;
  /** Whether the untracked files were searched for large ones: once per run is enough. */
  untracked: { known: boolean };
  /** The length of an object's id: 20 bytes, or 32 in a SHA-256 repository. */
  idBytes: number;
  /** The places it was opened with, without the folder: repositories inside it are opened with the same. */
  places: Omit<RepositoryPlaces, "projectDir">;
  /** The identity for commits; git is asked once. */
  identity: () => Promise<Ident>;
  /** Whether git changes the backlog's bytes when it makes a blob; git is asked once. */
  todoFiltered: () => Promise<boolean>;
}

/** The reason why the repository cannot be used. "unusable": the message describes the problem with it. */
export interface NoRepository {
  why: "no-git" | "no-repository" | "unusable";
  message: string;
}

export interface RepositoryPlaces {
  /** Absolute; exists. */
  projectDir: string;
  /** Absolute. */
  todoFile: string;
  /** Absolute paths to ignore: the log folder, locks. */
  exclude: readonly string[];
  env: Readonly<Record<string, string>>;
  /** `git.max_untracked_bytes`; unlimited by default. */
  mostUntracked?: number;
}

/** Opens the repository of a project. Starts one git process. */
export async function openRepository(
  ports: Ports,
  places: RepositoryPlaces,
): Promise<Result<Repository, NoRepository>> {
  const place: GitPlace = { ports, cwd: places.projectDir, env: gitEnv(places.env) };
  const path = places.env.PATH ?? "";
  if ((await ports.processes.which("git", path, places.projectDir)) === undefined) {
    return err({ why: "no-git", message: "git is not on PATH" });
  }
  const found = await asResult(() =>
    runGit(place, [
      ...["rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--absolute-git-dir"],
      ...["--git-common-dir", "--show-toplevel", "--show-object-format"],
    ]),
  );
  if (!found.ok) return err(explain(found.error, places.projectDir));
  const lines = toText(found.value.out).split("\n").slice(0, -1);
  const [bare, inside, gitDir, commonDir, top, format] = lines;
  if (bare === "true") return err(unusable(`${places.projectDir} is in a bare repository`));
  if (lines.length !== 6 || inside !== "true" || gitDir === undefined || top === undefined) {
    return err(unusable(`${places.projectDir} is not in a working tree git can name in one line`));
  }
  const common = resolve(places.projectDir, commonDir ?? gitDir);
  const folders = { gitDir, commonDir: common, top, idBytes: format === "sha256" ? 32 : 20 };
  return ok(await describeRepository(place, folders, places));
}

/** Makes a repository in a folder that is not in one (`git.init`). */
export async function initRepository(
  ports: Ports,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await runGit({ ports, cwd: folder, env: gitEnv(env) }, ["init", "--quiet"]);
}

function unusable(message: string): NoRepository {
  return { why: "unusable", message };
}

function explain(failure: GitFailure, folder: string): NoRepository {
  if (/not a git repository/i.test(failure.message)) {
    return { why: "no-repository", message: `${folder} is not in a git repository` };
  }
  if (/must be run in a work tree/i.test(failure.message)) {
    return unusable(`${folder} is in a bare repository or in a git folder`);
  }
  return unusable(failure.message);
}

async function describeRepository(
  place: GitPlace,
  { top: named, ...folders }: Pick<Repository, "gitDir" | "commonDir" | "idBytes"> & { top: string },
  places: RepositoryPlaces,
): Promise<Repository> {
  const { files } = place.ports;
  const { gitDir, commonDir } = folders;
  const top = (await files.realPath(named)) ?? named;
  const todoFile = await truePath(files, places.todoFile);
  const todoPath = pathInside(top, todoFile);
  const own = (await Promise.all(places.exclude.map((path) => truePath(files, path)))).flatMap(
    (path) => pathInside(top, path) ?? [],
  );
  const at: GitPlace = {
    ports: { ...place.ports, files: convertErrors(files) },
    cwd: top,
    // Set explicitly, so that git never uses a repository further up if an agent removes `.git`.
    env: { ...place.env, GIT_DIR: gitDir, GIT_WORK_TREE: top },
    settings: await diskSettings(files, top),
  };
  const excludesSaveTodo = [...(todoPath === undefined ? [] : besideOf(todoPath)), ...own.flatMap(excludeOf)];
  const { projectDir: _dir, mostUntracked = 0, ...others } = places;
  return {
    ...at,
    ...folders,
    tree: resolve(gitDir) === resolve(commonDir) ? "main" : `linked-${encodeId(basename(gitDir))}`,
    todo: todoPath === undefined ? undefined : { path: toBytes(todoPath), file: todoFile },
    excludes: [...excludeOf(todoPath), ...excludesSaveTodo],
    excludesSaveTodo,
    places: { ...others, mostUntracked },
    mostUntracked,
    leftOut: new Map(),
    unwanted: new Set(),
    fixedAnswers: new Map(),
    untracked: { known: false },
    isOwn: ownedBy(todoPath, own),
    identity: once(() => askIdentity(at)),
    todoFiltered: once(() => askFiltered(at, todoPath)),
  };
}

/**
 * Settings for the capabilities of the disk. Wrong ones in the repository would make git stage one file for another
 * and restore less than there was.
 */
async function diskSettings(files: Files, top: string): Promise<string[]> {
  const [one, other] = await Promise.all(
    [".git", ".GIT"].map((name) => files.stat(join(top, name), { link: true })),
  );
  const same = one !== undefined && one.inode === other?.inode && one.device === other.device;
  return [`core.ignorecase=${String(same)}`, "core.symlinks=true"];
}

function excludeOf(path: string | undefined): string[] {
  return path === undefined ? [] : [`:(exclude,top,literal)${path}`];
}

/** A function that matches a path as the pathspecs do. `own`: files or folders. */
function ownedBy(todoPath: string | undefined, own: readonly string[]): (path: string) => boolean {
  const folders = own.map(toBytes);
  const todo = todoPath === undefined ? undefined : toBytes(todoPath);
  return (path) =>
    (todo !== undefined && (path === todo || path.startsWith(`${todo}.`) || isHalfOf(path, todo))) ||
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function isHalfOf(path: string, todo: string): boolean {
  return dirname(path) === dirname(todo) && isHalfWritten(basename(path), basename(todo));
}

/** The files that the store writes next to the backlog: copies and half-written files. */
function besideOf(todoPath: string): string[] {
  const path = todoPath.replace(/[\\*?[\]]/g, "\\$&");
  const half = join(dirname(path), `.${basename(path)}.*.tmp`);
  return [`:(exclude,top,glob)${path}.*`, `:(exclude,top,glob)${half}`];
}

/** Resolves symlinks as far as the path exists. */
async function truePath(files: Files, path: string): Promise<string> {
  const whole = await files.realPath(path);
  if (whole !== undefined) return whole;
  const folder = dirname(path);
  return folder === path ? path : resolve(await truePath(files, folder), basename(path));
}

/** The path from `top`, with slashes; `undefined` if it is not below `top`. */
function pathInside(top: string, path: string): string | undefined {
  const inside = relative(top, path).split(sep).join("/");
  return inside === "" || inside === ".." || inside.startsWith("../") ? undefined : inside;
}

/** Adds the user's variables for ssh, which `gitEnv` removes with the other `GIT_` variables. */
export function withSsh(repo: Repository): Repository {
  const names = ["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT"];
  const own = Object.entries(repo.places.env).filter(([name]) => names.includes(name));
  return { ...repo, env: { ...repo.env, ...Object.fromEntries(own) } };
}

/** The path of a file or folder from the top of the tree, in bytes; `undefined` if it is not in the tree. */
export async function pathFromTop(repo: Repository, path: string): Promise<string | undefined> {
  const inside = pathInside(repo.cwd, await truePath(repo.ports.files, path));
  return inside === undefined ? undefined : toBytes(inside);
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => (answer ??= ask());
}

async function askIdentity(place: GitPlace): Promise<Ident> {
  // Without useConfigOnly git derives an identity from the user and host names.
  const asked = await runGit(place, ["-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"], {
    answers: [1, 128],
  });
  const [, who, zone] = /^(.* <.*>) \d+ ([+-]\d{4})\n$/.exec(toText(asked.out)) ?? [];
  return who === undefined || zone === undefined ? OWN_IDENT : { who, zone };
}

async function askFiltered(place: GitPlace, todoPath: string | undefined): Promise<boolean> {
  if (todoPath === undefined) return false;
  const args = ["check-attr", "-z", "filter", "ident", "working-tree-encoding", "--", todoPath];
  const fields = (await runGit(place, args)).out.split("\0");
  return fields.some((value, at) => at % 3 === 2 && value !== "unspecified" && value !== "unset");
}

// Makes errors of the file system GitErrors, so that callers of this floor meet one kind of failure. Their text
// stays.

/** The reason for a failure, without the name of a command in front. */
export function reasonOf(error: unknown): string {
  return error instanceof GitError ? error.failure.message : errorMessage(error);
}

/** The same methods, which reject with a `GitError` instead of a system error; so do those of an object that a method returns. */
function convertErrors<T extends object>(port: T): T {
  return new Proxy(port, {
    get(of, name) {
      const method: unknown = Reflect.get(of, name);
      if (typeof method !== "function") return method;
      return (...args: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(method, of, args);
        if (answer instanceof Promise) return answer.catch(rethrow);
        return typeof answer === "object" && answer !== null ? convertErrors(answer) : answer;
      };
    },
  });
}

function rethrow(error: unknown): never {
  if (error instanceof Error && "code" in error && "syscall" in error)
    throw new GitError(FILES, errorMessage(error), error);
  throw error;
}
