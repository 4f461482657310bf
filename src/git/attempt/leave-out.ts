// New files of an attempt that no commit should hold: secrets, dependencies that nothing ignores, huge files. They stay in the
// folder, and no commit and no room has them.
import { join } from "node:path";
import { findKeys, findSecretValues } from "../../system/text/secrets/redact.js";
import { hasSecretName } from "../../system/text/secrets/secret-names.js";
import { quoteWord } from "../../shell/quote.js";
import { sizeText } from "../checkpoint/large.js";
import { toBytes, toText } from "../base/bytes.js";
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

/** So many bytes of the new files are read for keys, in so many files, the smallest first. */
const MOST_READ = 64 * 1024 * 1024;
const MOST_FILES = 5000;

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
  // Under the policy "agent", or by a person.
  const inHead = await filesOf(repo, await treeish(repo, taken.head.commit));
  const warnings = [...found].flatMap(([path, why]) => {
    if (!inHead.has(path)) return [];
    found.delete(path);
    return `${toText(path)} (${why}) is in a commit that was made during the attempt, and not by the runner; look before you push: git log -p -- ${quoteWord(`:(top,literal)${toText(path)}`)}`;
  });
  const told = { warnings: [...taken.warnings, ...warnings], told: [...taken.told, ...warnings] };
  if (found.size === 0) return { ...taken, ...told };
  const isOut = ({ path }: DiffEntry): boolean => found.has(path) || inFolder(path) !== undefined;
  const out = taken.changes.filter(isOut);
  const input = indexInfo(turnBack(out));
  await runGit(repo, ["update-index", "-z", "--index-info"], { index: ownIndex(repo), input });
  await unstage(repo, await treeish(repo, taken.head.commit), out);
  // A file that the person had keeps its place in checkpoints.
  const had = new Set(out.filter(({ from }) => exists(from)).map(({ path }) => path));
  for (const path of found.keys()) if (!had.has(path)) repo.unwanted.add(path);
  const leftOut = [...found].map(([path, why]) => `${toText(path)} (${why})`);
  return { ...taken, ...told, changes: taken.changes.filter((entry) => !isOut(entry)), leftOut };
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
  const holdsKey = findKeys(findSecretValues(repo.places.env).map(toBytes));
  const looks = await repo.ports.files.tree(repo.cwd).look(fresh.map(({ path }) => path));
  const files = fresh.flatMap(({ path }, at) => {
    const look = looks[at];
    return look?.kind === "file" ? [{ path, size: look.size }] : [];
  });
  let left = MOST_READ;
  const smallest = files.toSorted((one, other) => one.size - other.size).slice(0, MOST_FILES);
  const isRead = new Set(smallest.filter(({ size }) => (left -= size) >= 0).map(({ path }) => path));
  for (const { path, size } of files) {
    if (hasSecretName(toText(path))) found.set(path, "by its name a secret");
    else if (isRead.has(path) && holdsKey(await readPlain(repo, path))) found.set(path, "holds a key");
    else if (repo.mostUntracked > 0 && size > repo.mostUntracked)
      found.set(path, `${sizeText(size)}, above git.max_untracked_bytes`);
  }
  return found;
}

/** The bytes of a file, one character each; without the zeros between the letters of UTF-16. */
async function readPlain(repo: Repository, path: string): Promise<string> {
  const bytes = await repo.ports.files.read(join(repo.cwd, toText(path)));
  return Buffer.from(bytes ?? [])
    .toString("latin1")
    .replaceAll("\0", "");
}
