// New files of an attempt that no commit should hold: secrets, dependencies that nothing ignores, huge files. They stay in the
// folder, and no commit and no room has them.
import { join } from "node:path";
import { findKeys, findSecretValues } from "../../system/text/secrets/redact.js";
import { hasSecretName } from "../../system/text/secrets/secret-names.js";
import { sizeText } from "../checkpoint/large.js";
import { toText } from "../base/bytes.js";
import { exists, type DiffEntry, turnBack } from "../base/read/diff.js";
import { runGit } from "../base/git.js";
import { treeish } from "../base/repository/head.js";
import type { Repository } from "../base/repository/repository.js";
import { indexInfo, ownIndex, unstage } from "../index/index-file.js";
import type { Snapshot } from "./snapshot.js";
import { filesOf } from "../base/objects.js";

/** The manifest that a folder of dependencies is beside, and the folder. */
const DEPENDENCIES: readonly (readonly [manifest: string, folder: string])[] = [
  ["package.json", "node_modules"],
  ["bower.json", "bower_components"],
  ["composer.json", "vendor"],
  ["Gemfile", "vendor/bundle"],
  ["Podfile", "Pods"],
  ["mix.exs", "deps"],
  ["pyproject.toml", ".venv"],
  ["requirements.txt", ".venv"],
  ["pyproject.toml", "venv"],
  ["requirements.txt", "venv"],
];

/** In bytes: a larger file is not read for keys. */
const MOST_READ = 64 * 1024;
/** New files whose content is looked at. */
const MOST_FILES = 1000;

/** Takes such files out of a snapshot; `leftOut` names each, with the reason. Starts no process if there are none. */
export async function leaveOutUnwanted(repo: Repository, taken: Snapshot): Promise<Snapshot> {
  const fresh = await listUntracked(repo, taken);
  const folders = await findDependencies(repo, fresh);
  const found = new Map(folders.map((folder) => [folder, "dependencies that nothing ignores"]));
  const inFolder = (path: string): string | undefined =>
    folders.find((folder) => path.startsWith(`${folder}/`));
  const rest = fresh.filter(({ path }) => inFolder(path) === undefined);
  for (const [path, why] of await findFiles(repo, rest)) found.set(path, why);
  if (found.size === 0) return taken;
  const isOut = ({ path }: DiffEntry): boolean => found.has(path) || inFolder(path) !== undefined;
  const out = taken.changes.filter(isOut);
  const input = indexInfo(turnBack(out));
  await runGit(repo, ["update-index", "-z", "--index-info"], { index: ownIndex(repo), input });
  await unstage(repo, await treeish(repo, taken.head.commit), out);
  // A file that the person had keeps its place in checkpoints.
  const had = new Set(out.filter(({ from }) => exists(from)).map(({ path }) => path));
  for (const path of found.keys()) if (!had.has(path)) repo.unwanted.add(path);
  const leftOut = [...found].map(([path, why]) => `${toText(path)} (${why})`);
  return { ...taken, changes: taken.changes.filter((entry) => !isOut(entry)), leftOut };
}

/** The changed files that HEAD does not have. */
async function listUntracked(repo: Repository, { changes, head }: Snapshot): Promise<DiffEntry[]> {
  const fresh = changes.filter(({ from, to }) => exists(to) && !exists(from));
  const changed = changes.filter(
    ({ path, from, to }) => exists(to) && exists(from) && hasSecretName(toText(path)),
  );
  if (changed.length === 0) return fresh;
  const names = changed.map(({ path }) => toText(path));
  const tracked = await filesOf(repo, await treeish(repo, head.commit), ...names);
  return [...fresh, ...changed.filter(({ path }) => !tracked.has(path))];
}

/** The folders of dependencies with new files: each is beside its manifest, and git tracks nothing in it. */
async function findDependencies(repo: Repository, fresh: readonly DiffEntry[]): Promise<string[]> {
  const places = new Set<string>();
  for (const { path } of fresh)
    for (const [manifest, folder] of DEPENDENCIES) {
      const at = `/${path}`.indexOf(`/${folder}/`);
      if (at !== -1) places.add([path.slice(0, at) + manifest, path.slice(0, at) + folder].join("\0"));
    }
  const pairs = [...places].map((place) => place.split("\0"));
  const looks = await repo.ports.files.tree(repo.cwd).look(pairs.map(([manifest = ""]) => manifest));
  const beside = pairs.flatMap(([, folder], at) => (looks[at]?.kind === "file" ? (folder ?? []) : []));
  const found: string[] = [];
  for (const folder of new Set(beside)) {
    const { out } = await runGit(repo, ["ls-files", "-z", "--", `:(top,literal)${toText(folder)}`]);
    if (out === "") found.push(folder);
  }
  return found;
}

async function findFiles(repo: Repository, fresh: readonly DiffEntry[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const holdsKey = findKeys(findSecretValues(repo.places.env));
  const looks = await repo.ports.files.tree(repo.cwd).look(fresh.map(({ path }) => path));
  for (const [at, { path }] of fresh.entries()) {
    const look = looks[at];
    if (look?.kind !== "file") continue;
    const isRead = at < MOST_FILES && look.size <= MOST_READ;
    const text = isRead ? await repo.ports.files.read(join(repo.cwd, toText(path))) : undefined;
    if (hasSecretName(toText(path))) found.set(path, "by its name a secret");
    else if (text !== undefined && holdsKey(Buffer.from(text).toString("latin1")))
      found.set(path, "holds a key");
    else if (repo.mostUntracked > 0 && look.size > repo.mostUntracked)
      found.set(path, `${sizeText(look.size)}, above git.max_untracked_bytes`);
  }
  return found;
}
