// Keeps and restores the files in the git folder that control git here: settings, attributes, excludes, sparse
// patterns and hooks. They are in no tree and no commit, and an attempt may change them like any file; its versions
// are put aside. checkpoint.ts keeps the working tree.
import { basename, dirname, join, relative } from "node:path";
import { digest } from "../../../system/text/digest.js";
import type { Files } from "../../../system/ports.js";
import { toBytes } from "../bytes.js";
import { encodeId } from "../names.js";
import type { Repository } from "./repository.js";

/** One of these files. `at` changes whenever the file does. */
type Kept = { at: string; mode: number; bytes: Uint8Array } | { at: string; link: string } | { at: string };

/** All of these files, by absolute path. */
export type KeptSettings = ReadonlyMap<string, Kept>;

const NAMES = ["config", "config.worktree", "info/attributes", "info/exclude", "info/sparse-checkout"];

/** Reads all of these files, including those of submodules. Starts no process. */
export async function readSettings(repo: Repository): Promise<KeptSettings> {
  const { files } = repo.ports;
  const kept = new Map<string, Kept>();
  const folders = new Set([repo.gitDir, repo.commonDir, ...(await findModules(files, repo.commonDir))]);
  for (const folder of folders) {
    for (const path of await pathsIn(files, folder)) {
      const found = await readOne(files, path);
      if (found !== undefined) kept.set(path, found);
    }
  }
  return kept;
}

/** The git folders of submodules, whose names may be paths. */
async function findModules(files: Files, commonDir: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [join(commonDir, "modules")];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const names = await files.list(folder);
    const isModule = names.includes("HEAD");
    if (isModule) found.push(folder);
    for (const name of isModule ? ["modules"] : names) folders.push(join(folder, name));
  }
  return found;
}

async function pathsIn(files: Files, folder: string): Promise<string[]> {
  const hooks = join(folder, "hooks");
  // Hooks in the tree are ordinary files of it.
  const own = (await files.stat(hooks, { link: true }))?.kind === "folder";
  const names = own ? (await files.list(hooks)).filter((name) => !name.endsWith(".sample")) : [];
  return [...NAMES, ...names.map((name) => join("hooks", name))].map((name) => join(folder, name));
}

async function readOne(files: Files, path: string): Promise<Kept | undefined> {
  const stat = await files.stat(path, { link: true });
  if (stat === undefined || stat.kind === "folder") return undefined;
  const { kind, size, mode, mtimeMs, ctimeMs, inode } = stat;
  const at = [kind, size, mode, mtimeMs, ctimeMs, inode].join(" ");
  if (kind === "symlink") return { at, link: (await files.readLink(path)) ?? "" };
  // Reading a pipe never ends.
  return kind === "file" ? { at, mode, bytes: (await files.read(path)) ?? new Uint8Array() } : { at };
}

/** Digests by path from the git folder, to find out later whether a file changed. */
export function digestSettings(repo: Repository, kept: KeptSettings): Record<string, string> {
  return Object.fromEntries(
    [...kept].map(([path, one]) => [relative(repo.commonDir, path), digest([textOf(path, one)])]),
  );
}

/** The absolute paths whose digests changed since; empty without digests. */
export function findChangedSettings(
  repo: Repository,
  before: Readonly<Record<string, string>> | undefined,
  kept: KeptSettings,
): string[] {
  if (before === undefined) return [];
  const now = digestSettings(repo, kept);
  const paths = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return paths.filter((path) => before[path] !== now[path]).map((path) => join(repo.commonDir, path));
}

/** Everything about a file that matters. */
function textOf(path: string, kept: Kept | undefined): string {
  if (kept === undefined) return "";
  if ("link" in kept) return `link ${kept.link}`;
  if (!("bytes" in kept)) return "other";
  const text = Buffer.from(kept.bytes).toString("latin1");
  return `${kept.mode.toString(8)} ${/(?:^|\/)config$/.test(path) ? withoutNotes(text) : text}`;
}

/** Settings that git and editors write for branches at any time, and that start no program and redirect no push. */
const NOTE =
  /^\s*(?:(?:vscode-merge-base|github-pr-[\w-]+|description|merge)\s*=.*|remote\s*=\s*[\w.-]+\s*)$/;

function withoutNotes(config: string): string {
  let inBranch = false;
  const lines = config.split("\n").filter((line) => {
    if (/^\s*\[/.test(line)) inBranch = /^\[branch "[^"\\]*"\]$/.test(line);
    else return !(inBranch && NOTE.test(line));
    return !inBranch;
  });
  return lines.join("\n");
}

/**
 * Restores the changed files; keeps their versions below `looper-put-aside` in the git folder. Returns warnings.
 * Contract: called before any git command, because these files control git.
 */
export async function putSettingsBack(
  repo: Repository,
  before: KeptSettings,
  { run, label }: { run: string; label: string },
): Promise<string[]> {
  const { files } = repo.ports;
  const now = await readSettings(repo);
  const aside = join(repo.commonDir, "looper-put-aside", encodeId(run), encodeId(label));
  const warnings: string[] = [];
  for (const path of new Set([...before.keys(), ...now.keys()])) {
    const was = before.get(path);
    const is = now.get(path);
    if (was?.at === is?.at || textOf(path, was) === textOf(path, is)) continue;
    const copy = await freePath(files, join(aside, relative(repo.commonDir, path)));
    if (is !== undefined) await putAside(files, path, { is, was, copy });
    if (was !== undefined) await putBack(files, path, was);
    warnings.push(warnOf(path, was, is, copy));
  }
  return warnings;
}

async function freePath(files: Files, path: string): Promise<string> {
  for (let count = 1; ; count++) {
    const free = count === 1 ? path : `${path}-${String(count)}`;
    if ((await files.stat(free, { link: true })) === undefined) return free;
  }
}

/** A file that will be rewritten is not removed first: a kill must not leave git without settings. */
async function putAside(
  files: Files,
  path: string,
  { is, was, copy }: { is: Kept; was: Kept | undefined; copy: string },
): Promise<void> {
  await files.makeFolder(dirname(copy), 0o700);
  const stays = was !== undefined && "bytes" in was && "bytes" in is;
  if (stays) await files.writeNew(copy, is.bytes, { mode: 0o600 });
  else await files.rename(path, copy);
}

async function putBack(files: Files, path: string, was: Kept): Promise<void> {
  await files.makeFolder(dirname(path));
  if ("link" in was) await files.symlink(was.link, path);
  if (!("bytes" in was)) return;
  // Writing keeps the mode of an existing file.
  await files.writeAtomic(path, was.bytes, { mode: was.mode });
  await files.tree(dirname(path)).setMode(toBytes(basename(path)), was.mode);
}

function warnOf(path: string, was: Kept | undefined, is: Kept | undefined, copy: string): string {
  const how = is === undefined ? "removed" : was === undefined ? "made" : "changed";
  const kept = is === undefined ? "" : `; the attempt's version: ${copy}`;
  return `${path} was ${how} during the attempt; it controls git, so it was restored${kept}`;
}
