// Lists tags, makes one, and restores tags that an agent changed. Keeps every tag that it deletes.
import { toBytes, toText } from "../base/bytes.js";
import { runGit } from "../base/git.js";
import { zeroLike } from "../base/repository/head.js";
import type { Repository } from "../base/repository/repository.js";
import { freeRescueRef } from "../rescue/rescue.js";

/** A tag. */
export interface Tag {
  /** Without `refs/tags/`. */
  name: string;
  /** The object of the ref: a tag object, or the commit itself. */
  oid: string;
  /** The commit that the tag names in the end. */
  commit: string;
  /** Whether HEAD has the commit in its history. */
  merged: boolean;
}

const TAGS = "refs/tags/";

/** Every tag. Starts two processes. */
export async function listTags(repo: Repository): Promise<readonly Tag[]> {
  const merged = new Set(
    lines(await runGit(repo, ["for-each-ref", "--format=%(refname)", "--merged=HEAD", TAGS])),
  );
  const format = "--format=%(refname)%00%(objectname)%00%(*objectname)";
  return lines(await runGit(repo, ["for-each-ref", format, TAGS])).map((line) => {
    const [ref = "", oid = "", peeled = ""] = line.split("\0");
    return {
      name: toText(ref.slice(TAGS.length)),
      oid,
      commit: peeled === "" ? oid : peeled,
      merged: merged.has(ref),
    };
  });
}

function lines({ out }: { out: string }): string[] {
  return out.split("\n").slice(0, -1);
}

/** Makes an annotated tag; fails if one of that name exists. Starts two processes. */
export async function makeTag(
  repo: Repository,
  tag: { name: string; commit: string; message: string },
): Promise<string> {
  const { who, zone } = await repo.identity();
  const seconds = Math.floor(repo.ports.clock.now() / 1000);
  const name = toBytes(tag.name);
  const head = `object ${tag.commit}\ntype commit\ntag ${name}\ntagger ${toBytes(who)} ${String(seconds)} ${zone}\n`;
  const input = `${head}\n${toBytes(tag.message)}`;
  const oid = (await runGit(repo, ["mktag"], { input })).out.trimEnd();
  await runGit(repo, ["update-ref", "-m", "looper: release", `${TAGS}${tag.name}`, oid, zeroLike(oid)]);
  return oid;
}

/**
 * Restores changed tags, and keeps the agent's versions under a rescue ref. Returns one warning for each. Starts one
 * process, and two for each changed tag.
 */
export async function putTagsBack(
  repo: Repository,
  before: readonly Tag[],
  keep: { run: string; label: string },
): Promise<readonly string[]> {
  const old = new Map(before.map(({ name, oid }) => [TAGS + name, oid]));
  const format = "--format=%(refname)%00%(objectname)";
  const found = lines(await runGit(repo, ["for-each-ref", format, TAGS])).map((line) => line.split("\0"));
  const now = new Map(found.map(([ref = "", oid = ""]) => [toText(ref), oid]));
  const warnings: string[] = [];
  for (const ref of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(ref), now.get(ref)];
    if (was === is) continue;
    const name = ref.slice(TAGS.length);
    const moves: string[] = [];
    const kept =
      is === undefined ? undefined : await freeRescueRef(repo, keep.run, `${keep.label}-tag-${name}`);
    if (is !== undefined && kept !== undefined) moves.push(`create ${kept} ${is}`);
    if (was === undefined) moves.push(`delete ${ref} ${is ?? ""}`);
    else moves.push(`update ${ref} ${was} ${is ?? zeroLike(was)}`);
    await runGit(repo, ["update-ref", "--stdin"], { input: toBytes(`${moves.join("\n")}\n`) });
    const where = kept === undefined ? "" : `; kept: ${kept}`;
    warnings.push(`the agent ${was === undefined ? "made" : "changed"} the tag ${name}: put back${where}`);
  }
  return warnings;
}
