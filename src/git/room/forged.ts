// Finds objects of the repository whose content is not the one that their ids name. Git does not check this when it reads: a
// program that can write to the git folder could give a room another test than the commit has. room.ts makes rooms.
import { join } from "node:path";
import { UserError } from "../../system/errors.js";
import { gitHash } from "../../system/text/git-hash.js";
import { parseBatch } from "../base/batch.js";
import { toText } from "../base/bytes.js";
import { filesOf } from "../base/objects.js";
import { runGit, type GitPlace } from "../base/git.js";

/** A room whose files were just checked out. */
export interface CheckedOut extends GitPlace {
  /** The commit that the room is made from; the room's own commit may have changes on top of it. */
  from: string;
  /** The room's own commit. */
  commit: string;
  sha256: boolean;
  /** Absolute: where an index may be written. */
  folder: string;
}

/** An object to look at. */
interface Wanted {
  /** Its id, or a name that git resolves. */
  name: string;
  kind: "commit" | "tree" | "blob";
  /** Text. */
  path: string;
}

/** Throws a `UserError` of the environment that names a forged object. Contract: no command has run in the room yet. */
export async function refuseForged(room: CheckedOut): Promise<void> {
  const forged = (await findForgedTree(room)) ?? (await findForgedFile(room));
  if (forged === undefined) return;
  const { oid, kind, path } = forged;
  const what = path === "" ? kind : `${kind} of ${path}`;
  throw new UserError(
    "environment",
    `tampered: the ${what} in the repository (object ${oid}) does not have the content that its id names`,
    "a program changed the objects in the git folder: see git fsck, and restore them from another clone",
  );
}

/** An object whose content is another's. */
type Forged = Pick<Wanted, "kind" | "path"> & { oid: string };

/** The commit and its trees: they name all other objects. */
async function findForgedTree(room: CheckedOut): Promise<Forged | undefined> {
  const { out } = await runGit(room, ["ls-tree", "-r", "-d", "-z", "--full-tree", room.from]);
  const folders = out.split("\0").flatMap((line): Wanted[] => {
    const [, oid, path] = /^040000 tree ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? [];
    return oid === undefined || path === undefined ? [] : [{ name: oid, kind: "tree", path: toText(path) }];
  });
  const commit = { name: room.from, kind: "commit", path: "" } as const;
  const top = { name: `${room.from}^{tree}`, kind: "tree", path: "" } as const;
  return findForgedAmong(room, [commit, top, ...folders]);
}

/** A blob whose content was checked out: only files that differ from their ids are looked at. */
async function findForgedFile(room: CheckedOut): Promise<Forged | undefined> {
  // An index without the stamps of files makes git read and hash each of them.
  const index = join(room.folder, "hashed-index");
  await runGit(room, ["read-tree", room.commit], { index });
  await runGit(room, ["update-index", "-q", "--refresh"], { index, answers: [1] });
  const args = ["diff-files", "--name-only", "--ignore-submodules=all", "-z"];
  const { out } = await runGit(room, args, { index });
  await room.ports.files.remove(index);
  const different = out.split("\0").filter((path) => path !== "");
  if (different.length === 0) return undefined;
  const files = await filesOf(room, room.commit);
  const wanted = different.flatMap((path): Wanted[] => {
    const oid = files.get(path)?.oid;
    return oid === undefined ? [] : [{ name: oid, kind: "blob", path: toText(path) }];
  });
  // Others differ because a filter does not give back what it got, or because a sparse checkout leaves them out.
  return findForgedAmong(room, wanted);
}

async function findForgedAmong(room: CheckedOut, wanted: readonly Wanted[]): Promise<Forged | undefined> {
  const input = wanted.map(({ name }) => `${name}\n`).join("");
  const objects = parseBatch((await runGit(room, ["cat-file", "--batch"], { input })).out);
  for (const [at, { kind, path }] of wanted.entries()) {
    const object = objects[at];
    if (object === undefined) continue;
    const { oid, content } = object;
    const hash = gitHash(room.sha256 ? "sha256" : "sha1", kind, Buffer.from(content, "latin1"));
    if (hash !== oid) return { oid, kind, path };
  }
  return undefined;
}
