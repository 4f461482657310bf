// Builds commits in one process: `git fast-import` makes trees, commits and refs from a stream. The callers decide
// on their content.
import { quotePath, toBytes } from "./bytes.js";
import { exists, sortRemovalsFirst, type DiffEntry } from "./read/diff.js";
import { GitError, runGit, type GitPlace } from "./git.js";

/** An author or committer. */
export interface Ident {
  /** `Name <email>` */
  who: string;
  /** The time zone, as in "+0100". */
  zone: string;
}

/** The author of commits of this program, and of all commits if git has no identity. */
export const OWN_IDENT: Ident = { who: "Looper <looper@localhost>", zone: "+0000" };

export interface ImportedFile {
  /** Bytes. */
  path: string;
  mode: string;
  content: Uint8Array;
}

export interface ImportedCommit {
  /** The ref to set to the commit, whatever its value. */
  ref: string;
  /** A commit; a position in the same list, from 0; or "previous", the one before. `undefined` for a root commit. */
  parent: string | number | undefined;
  /** Further parents: commits, or positions in the same list. */
  merged?: readonly (string | number)[];
  ident: Ident;
  /** Text. */
  message: string;
  /** Starts from an empty tree instead of the parent's tree. */
  emptied?: boolean;
  /** Applied to the parent's tree; only path and `to` matter. */
  entries: readonly DiffEntry[];
  /** Paths (bytes) to remove from the parent's tree, if present. */
  without?: readonly string[];
  files?: readonly ImportedFile[];
}

/** Makes commits, then moves all of their refs or none; returns the commits. Starts one process. */
export async function importAll<const Commits extends readonly ImportedCommit[]>(
  place: GitPlace,
  commits: Commits,
): Promise<{ [At in keyof Commits]: string }> {
  const input = importStream(commits, Math.floor(place.ports.clock.now() / 1000));
  const { out } = await runGit(place, ["fast-import", "--quiet", "--force", "--done"], { input });
  const made = out.split("\n").slice(0, -1);
  if (made.length !== commits.length) throw new GitError("git fast-import", "answered too little");
  return made as { [At in keyof Commits]: string };
}

/** Makes a commit and moves its ref. Starts one process. */
export async function importCommit(place: GitPlace, commit: ImportedCommit): Promise<string> {
  const [made] = await importAll(place, [commit]);
  return made;
}

/** The input for `git fast-import`; it requests the id of each commit, in order. */
export function importStream(commits: readonly ImportedCommit[], seconds: number): string {
  return `${commits.map((commit, at) => commitStream(commit, at, seconds)).join("")}done\n`;
}

function commitStream(commit: ImportedCommit, at: number, seconds: number): string {
  const markOf = (place: number): string => `:${String(place + 1)}`;
  const nameOf = (parent: string | number): string => (typeof parent === "number" ? markOf(parent) : parent);
  const parent = commit.parent === "previous" ? at - 1 : commit.parent;
  const lines: string[] = [];
  // Without a parent git would continue from an earlier commit of the same stream on this ref.
  if (at > 0 && parent === undefined) lines.push(`reset ${commit.ref}`);
  lines.push(`commit ${commit.ref}`, `mark ${markOf(at)}`);
  const stamp = toBytes(`${commit.ident.who} ${String(seconds)} ${commit.ident.zone}`);
  lines.push(`author ${stamp}`, `committer ${stamp}`);
  lines.push(dataBlock(toBytes(commit.message)));
  if (parent !== undefined) lines.push(`from ${nameOf(parent)}`);
  for (const other of commit.merged ?? []) lines.push(`merge ${nameOf(other)}`);
  if (commit.emptied === true) lines.push("deleteall");
  for (const path of commit.without ?? []) lines.push(`D ${quotePath(path)}`);
  for (const { path, to } of sortRemovalsFirst(commit.entries)) {
    lines.push(exists(to) ? `M ${to.mode} ${to.oid} ${quotePath(path)}` : `D ${quotePath(path)}`);
  }
  for (const { path, mode, content } of commit.files ?? [])
    lines.push(`M ${mode} inline ${quotePath(path)}`, dataBlock(Buffer.from(content).toString("latin1")));
  lines.push(`get-mark ${markOf(at)}`);
  return `${lines.join("\n")}\n`;
}

function dataBlock(bytes: string): string {
  return `data ${String(bytes.length)}\n${bytes}`;
}
