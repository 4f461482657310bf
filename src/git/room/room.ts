// Rooms: fresh working trees outside the project. Their git folder borrows the project's objects, so that commands
// in a room cannot move refs or change the index of the project. The callers decide on the content.
import { basename, isAbsolute, join, relative, sep } from "node:path";
import { errorCode, UserError } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import { digest } from "../../system/text/digest.js";
import { toBytes, toText } from "../base/bytes.js";
import type { DiffEntry } from "../base/read/diff.js";
import { importCommit, OWN_IDENT } from "../base/fast-import.js";
import { explainForged, GitError, runGit, type GitPlace } from "../base/git.js";
import type { Repository } from "../base/repository/repository.js";
import { hasObject } from "../base/objects.js";

/** The place for rooms, and the git settings they are made with. */
export interface Rooms {
  repo: Repository;
  /** Absolute: the folder of the rooms, whose names begin with `prefix`. */
  parent: string;
  prefix: string;
  /** Settings that decide which bytes a checkout writes, as `git config` prints them. */
  settings: readonly (readonly [key: string, value: string])[];
  /** The checked-out branch; `undefined` if HEAD is detached. */
  branch: string | undefined;
  /** The tags, as `packed-refs` has them. Bytes. */
  tags: string;
  /** `info/attributes`, `info/sparse-checkout` and `shallow` of the project's git folder. */
  own: readonly { path: string; content: Uint8Array }[];
}

/** A room that is open. */
export interface GitRoom extends GitPlace {
  /** Absolute: the folder to remove with its content. */
  folder: string;
  /** The top of the working tree, inside `folder`, with the same name as the project's. */
  cwd: string;
  /** HEAD, on a branch of the same name as the project's. */
  commit: string;
  /** The index right after the checkout. */
  index: Uint8Array;
}

/** The content of a room: a commit of the project, changed by entries whose blobs the project has, and by texts. */
export interface RoomContent {
  commit: string;
  entries: readonly DiffEntry[];
  /** Paths and texts in bytes. They replace the versions in the entries. */
  texts: readonly { path: string; mode: string; text: string }[];
}

const MODE = 0o700;

/**
 * Settings that decide on the bytes of a checkout, and on the author. Never an alias or a credential helper.
 */
const COPIED =
  /^(?:core\.(?:autocrlf|eol|symlinks|filemode|ignorecase|precomposeunicode|attributesfile|sparsecheckout|sparsecheckoutcone)|extensions\.objectformat|filter\..+\.(?:clean|smudge|process|required)|user\.(?:name|email))$/;

const REMOTE = /^remote\..+\.url$/;

/**
 * Reads the settings and names for the rooms of this repository. Called once, before any agent runs: what an agent
 * changes later does not affect a room. Starts three processes.
 */
export async function prepareRooms(repo: Repository): Promise<Rooms> {
  const { out } = await runGit(repo, ["config", "--list", "--show-scope", "-z"]);
  const settings = pickSettings(readSettings(out));
  const own = [];
  for (const [folder, path] of [
    [repo.commonDir, "info/attributes"],
    [repo.gitDir, "info/sparse-checkout"],
    [repo.commonDir, "shallow"],
  ] as const) {
    const content = await repo.ports.files.read(join(folder, path));
    if (content !== undefined) own.push({ path, content });
  }
  // Tools find out a version or a branch by these names.
  const head = await runGit(repo, ["symbolic-ref", "-q", "HEAD"], { answers: [1] });
  const branch = /^refs\/heads\/(.+)\n$/.exec(head.out)?.[1];
  const tags = (await runGit(repo, ["for-each-ref", "--format=%(objectname) %(refname)", "refs/tags"])).out;
  return { repo, ...(await placeOfRooms(repo)), branch, tags, settings, own };
}

/** The settings of a room: those that decide on bytes, and the addresses of remotes without their passwords. */
function pickSettings(settings: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  return settings.flatMap(([key, value]): (readonly [string, string])[] => {
    if (COPIED.test(key)) return [[key, value]];
    return REMOTE.test(key) ? [[key, withoutSecrets(value)]] : [];
  });
}

/** An address without the name and password, or the token, of a user. A name alone is part of an address of ssh. */
function withoutSecrets(url: string): string {
  const [, scheme = "", user, rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?(.*)$/is.exec(url) ?? [];
  if (scheme === "") return url;
  const isSsh = /^(?:git\+)?ssh/i.test(scheme);
  const kept = isSsh ? (user ?? "").replace(/:.*@$/s, "@") : "";
  return scheme + kept + (isSsh ? rest : rest.replace(/[?#].*$/s, ""));
}

/** The settings of the project; those of the user and the system apply in a room as well. */
function readSettings(listed: string): [string, string][] {
  const fields = listed.split("\0");
  return fields.flatMap((scope, at): [string, string][] => {
    if (at % 2 === 1 || (scope !== "local" && scope !== "worktree")) return [];
    const line = fields[at + 1] ?? "";
    const end = line.indexOf("\n");
    return [end < 0 ? [line, "true"] : [line.slice(0, end), line.slice(end + 1)]];
  });
}

/**
 * Makes a room. The path is always the same unless another room is open, so that paths in the output of tests and
 * tools can be compared. Starts six git processes, and one for each text. Throws a `UserError` if an object of the
 * project was forged.
 */
export async function openRoom(rooms: Rooms, content: RoomContent): Promise<GitRoom> {
  const { repo } = rooms;
  let folder: string | undefined;
  try {
    folder = await takeFolder(rooms);
    const top = topIn(rooms, folder);
    const gitDir = join(top, ".git");
    await repo.ports.files.makeFolder(top);
    const env = {
      ...repo.env,
      GIT_DIR: gitDir,
      GIT_WORK_TREE: top,
      GIT_LFS_SKIP_SMUDGE: "1",
      GIT_DEFAULT_REF_FORMAT: "files",
    };
    const place = { ports: repo.ports, cwd: top, env };
    await makeGitFolder(rooms, place, gitDir);
    if (rooms.tags !== "")
      await repo.ports.files.writeNew(join(gitDir, "packed-refs"), Buffer.from(rooms.tags, "latin1"));
    const commit = await makeCommit(place, content);
    const on = rooms.branch === undefined ? ["--detach"] : ["-B", toText(rooms.branch)];
    const checkout = ["checkout", "--quiet", ...on, "--force", commit];
    await runGit(place, ["-c", "checkout.workers=0", ...checkout]);
    await refuseForged(place, content.commit, commit);
    await fillSubmodules(place, repo.cwd);
    const index = (await repo.ports.files.read(join(gitDir, "index"))) ?? new Uint8Array();
    return { ...place, folder, commit, index };
  } catch (error) {
    const isFull = error instanceof GitError && (await isDiskFull(rooms));
    if (folder !== undefined) await closeRoom(repo.ports, folder);
    if (!isFull) throw error;
    const why = `cannot be made in ${rooms.parent}: no space left on device; free some, or set TMPDIR to another disk`;
    throw new GitError("the cold room", why, error);
  }
}

const ALMOST_NOTHING = 64 * 1024;

/** Git does not always name a full disk as the reason of its failure. */
async function isDiskFull({ repo, parent }: Rooms): Promise<boolean> {
  const free = await repo.ports.files.freeBytes(parent);
  return free !== undefined && free < ALMOST_NOTHING;
}

/**
 * The files of the commit (bytes) that differ from the checkout, each with whether it lost lines; `undefined` if the whole tree is
 * gone. Does not use the room's own git folder, which commands in the room may have changed. Starts three git processes.
 */
export async function findChangedInRoom(
  rooms: Rooms,
  room: GitRoom,
): Promise<ReadonlyMap<string, boolean> | undefined> {
  const { files } = room.ports;

  if ((await files.stat(room.cwd, { link: true }))?.kind !== "folder") return undefined;
  const gitDir = join(room.folder, `look-${room.ports.random.hex(8)}`);
  const place = { ...room, env: { ...room.env, GIT_DIR: gitDir } };
  await makeGitFolder(rooms, place, gitDir);
  await files.writeNew(join(gitDir, "index"), room.index);
  await runGit(place, ["update-index", "-q", "--refresh"], { answers: [1] });
  const counted = ["--numstat", "--text", "--no-textconv", "--no-ext-diff", "--no-renames"];
  const { out } = await runGit(place, ["diff-files", ...counted, "--ignore-submodules=all", "-z"]);
  const changed = out.split("\0").flatMap((line) => (line === "" ? [] : [line.split("\t")]));
  return new Map(changed.map(([, lost, ...path]) => [path.join("\t"), lost !== "0"]));
}

/** Removes a room. Returns false if a part cannot be removed; the next start tries again. */
export async function closeRoom(ports: Ports, folder: string): Promise<boolean> {
  const { files, processes } = ports;
  const env = { PATH: "/usr/bin:/bin" };
  // One process is several times faster than a call of Node for each file.
  await processes.run({ command: "rm", args: ["-rf", "--", folder], cwd: "/", env });
  const isRemoved = (): Promise<boolean> =>
    files.removeTree(folder).then(
      () => true,
      (error: unknown) => {
        if (errorCode(error) === undefined) throw error;
        return false;
      },
    );
  if (await isRemoved()) return true;
  // Folders without write permission, as some tools make for their caches, cannot be emptied.
  await processes.run({ command: "chmod", args: ["-R", "u+rwx", folder], cwd: "/", env });
  return isRemoved();
}

/**
 * Removes the rooms of killed runs in this working tree; returns their paths. Contract: no other run works in this
 * working tree.
 */
export async function removeStaleRooms(repo: Repository): Promise<string[]> {
  const { parent, prefix } = await placeOfRooms(repo);
  const gone: string[] = [];
  for (const name of await repo.ports.files.list(parent)) {
    const folder = join(parent, name);
    if (name.startsWith(prefix) && (await closeRoom(repo.ports, folder))) gone.push(folder);
  }
  return gone;
}

/** Temp folders are normally outside the project; if TMPDIR is inside, the system's temp folder is used. */
async function placeOfRooms({ cwd, env, ports }: GitPlace): Promise<Pick<Rooms, "parent" | "prefix">> {
  const wished = [env.TMPDIR, env.TMP, env.TEMP].find((folder) => folder !== undefined && isAbsolute(folder));
  const real = wished === undefined ? undefined : await ports.files.realPath(wished);
  const parent =
    real === undefined || isInside(cwd, real) ? ((await ports.files.realPath("/tmp")) ?? "/tmp") : real;
  return { parent, prefix: `looper-room-${digest([cwd])}-` };
}

/** Whether a path is the folder or below it. */
export function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/** The top of a room's working tree while no other room is open. */
export function usualTop(rooms: Rooms): string {
  return topIn(rooms, slotOf(rooms, 1));
}

function slotOf({ parent, prefix }: Rooms, slot: number): string {
  return join(parent, `${prefix}${String(slot)}`);
}

function topIn({ repo }: Rooms, folder: string): string {
  return join(folder, basename(repo.cwd) || "project");
}

async function takeFolder(rooms: Rooms): Promise<string> {
  for (let slot = 1; ; slot++) {
    const folder = slotOf(rooms, slot);
    try {
      await rooms.repo.ports.files.makeNewFolder(folder, MODE);
      return folder;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

async function makeGitFolder(rooms: Rooms, place: GitPlace, gitDir: string): Promise<void> {
  const { repo, settings, own } = rooms;
  const { files } = repo.ports;
  const format = settings.find(([key]) => key === "extensions.objectformat")?.[1] ?? "sha1";
  await initBorrowing(place, { gitDir, format, from: repo.commonDir });
  if (own.length > 0) await files.makeFolder(join(gitDir, "info"));
  for (const { path, content } of own) await files.writeNew(join(gitDir, path), content);
  const lfs = join(repo.commonDir, "lfs");
  const storage = (await files.stat(lfs)) === undefined ? [] : [["lfs.storage", toBytes(lfs)] as const];
  const set = [...settings.filter(([key]) => !key.startsWith("extensions.")), ...storage];
  if (set.length === 0) return;
  const config = Buffer.from((await files.read(join(gitDir, "config"))) ?? []);
  const more = Buffer.from(set.map(formatSetting).join(""), "latin1");
  await files.writeAtomic(join(gitDir, "config"), Buffer.concat([config, more]));
}

/** A setting in the format of a config file; key and value in bytes. */
function formatSetting([key, value]: readonly [string, string]): string {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  const quoted = (text: string): string =>
    `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`;
  const section = key.slice(0, first) + (last > first ? ` ${quoted(key.slice(first + 1, last))}` : "");
  return `[${section}]\n\t${key.slice(last + 1)} = ${quoted(value)}\n`;
}

async function makeCommit(place: GitPlace, { commit, entries, texts }: RoomContent): Promise<string> {
  if (entries.length === 0 && texts.length === 0) return commit;
  const written: DiffEntry[] = [];
  for (const { path, mode, text } of texts) {
    const { out } = await runGit(place, ["hash-object", "-w", "--stdin"], { input: text });
    written.push({ path, from: { mode: "000000", oid: "" }, to: { mode, oid: out.trimEnd() } });
  }
  const replaced = new Set(texts.map(({ path }) => path));
  return importCommit(place, {
    ref: "refs/looper/room",
    parent: commit,
    ident: OWN_IDENT,
    message: "looper: what the gate looks at\n",
    entries: [...entries.filter(({ path }) => !replaced.has(path)), ...written],
  });
}

// Working trees that borrow the objects of another repository: the room's own, and those of its submodules. Nothing
// is fetched. room.ts makes the room itself.

/** Makes a git folder that borrows the objects of another (`from`, absolute). `format`: "sha1" or "sha256". One process. */
async function initBorrowing(
  place: GitPlace,
  { gitDir, format, from }: Record<"gitDir" | "format" | "from", string>,
): Promise<void> {
  const { files } = place.ports;
  await runGit(place, ["init", "--quiet", "--template=", `--object-format=${format}`]);
  const info = join(gitDir, "objects", "info");
  await files.makeFolder(info);
  await files.writeNew(join(info, "alternates"), `${join(from, "objects")}\n`);
}

/**
 * Checks out the project's submodules at the commits of the room; a submodule without its commit stays an empty
 * folder. Starts no process without submodules.
 */
async function fillSubmodules(place: GitPlace, projectTop: string): Promise<void> {
  const { files } = place.ports;
  if ((await files.stat(join(place.cwd, ".gitmodules"))) === undefined) return;
  const { out } = await runGit(place, ["ls-files", "--stage", "-z"]);
  for (const line of out.split("\0")) {
    const [, commit, bytes] = /^160000 ([0-9a-f]+) 0\t([\s\S]+)$/.exec(line) ?? [];
    if (commit === undefined || bytes === undefined) continue;
    const path = toText(bytes);
    const from = join(projectTop, path);
    if ((await files.stat(join(from, ".git"))) === undefined) continue;
    await fillSubmodule(place, { commit, path, from });
  }
}

async function fillSubmodule(
  room: GitPlace,
  { commit, path, from }: { commit: string; path: string; from: string },
): Promise<void> {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, ...env } = room.env;
  const source: GitPlace = { ports: room.ports, cwd: from, env };
  const asked = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-object-format"];
  const [commonDir = "", format = ""] = toText((await runGit(source, asked)).out).split("\n");
  if (!(await hasObject(source, `${commit}^{commit}`))) return;
  const top = join(room.cwd, path);
  const gitDir = join(top, ".git");
  const place = { ports: room.ports, cwd: top, env: { ...env, GIT_DIR: gitDir, GIT_WORK_TREE: top } };
  await initBorrowing(place, { gitDir, format, from: commonDir });
  await runGit(place, ["checkout", "--quiet", "--detach", "--force", commit]);
  await fillSubmodules(place, from);
}

/**
 * Throws a `UserError` of the environment that names a forged object: one whose content is not the one that its id names. Git does
 * not check this when it reads, and a program that can write to the git folder could give a room another test than the commit has.
 * Objects that are not here are passed over: a sparse checkout may do without them.
 */
async function refuseForged(room: GitPlace, from: string, commit: string): Promise<void> {
  const names = new Set([from, `${from}^{tree}`]);
  for (const one of new Set([from, commit])) {
    const { out } = await runGit(room, ["ls-tree", "-r", "-t", "-z", "--full-tree", one]);
    for (const [, oid = ""] of out.matchAll(/(?:^|\0)\d{6} (?:tree|blob) ([0-9a-f]+)\t/g)) names.add(oid);
  }
  const missing = ["--ignore-missing", "--missing=allow-any"];
  const args = ["rev-list", "--quiet", "--verify-objects", ...missing, "--no-walk", "--stdin"];
  const { err } = await runGit(room, args, { input: `${[...names].join("\n")}\n` });
  const forged = explainForged(err);
  if (forged === undefined) return;
  const hint = "a program changed the objects in the git folder: restore them from another clone";
  throw new UserError("environment", forged, hint);
}
