import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { expect } from "vitest";
import { test, type Scratch } from "../testing/scratch.js";
import { openRoom, prepareRooms, type Rooms } from "./room.js";

async function prepare(scratch: Scratch): Promise<Rooms> {
  const parent = join(dirname(scratch.top), "tmp");
  mkdirSync(parent, { recursive: true });
  scratch.env.TMPDIR = parent;
  return await prepareRooms(await scratch.open());
}

const fileOf = (objects: string, oid: string): string => join(objects, oid.slice(0, 2), oid.slice(2));

/** Replaces a loose object by another content under the same id. */
function forge(objects: string, oid: string, change: (content: Buffer) => Buffer): void {
  const file = fileOf(objects, oid);
  const old = inflateSync(readFileSync(file));
  const end = old.indexOf(0);
  const content = change(old.subarray(end + 1));
  const kind = old.subarray(0, old.indexOf(32)).toString();
  chmodSync(file, 0o644);
  writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content])));
}

const replaceOid = (from: string, to: string) => (content: Buffer) =>
  Buffer.from(content.toString("hex").replace(from, to), "hex");

const forgeries: Record<
  string,
  (
    ids: Record<"commit" | "tree" | "folder" | "a" | "b", string>,
  ) => [oid: string, (content: Buffer) => Buffer]
> = {
  "a file": ({ a }) => [a, () => Buffer.from("two\n")],
  "a file in a folder": ({ b }) => [b, () => Buffer.from("2\n")],
  "the top folder": ({ tree, a, b }) => [tree, replaceOid(a, b)],
  "a folder": ({ folder, a, b }) => [folder, replaceOid(b, a)],
  "a commit": ({ commit, tree, folder }) => [
    commit,
    (content) => Buffer.from(content.toString().replace(tree, folder)),
  ],
};

test.for(Object.entries(forgeries))(
  "a room refuses a forged object: %s",
  async ([, forgery], { scratch }) => {
    const { top, git } = scratch;
    const rooms = await prepare(scratch);
    const [commit, tree, folder, a, b] = (
      await git("rev-parse", "HEAD", "HEAD^{tree}", "HEAD:dir", "HEAD:a.txt", "HEAD:dir/b.txt")
    ).split("\n") as [string, string, string, string, string];
    const [oid, change] = forgery({ commit, tree, folder, a, b });
    forge(join(top, ".git/objects"), oid, change);
    const opening = openRoom(rooms, { commit, entries: [], texts: [] });
    await expect(opening).rejects.toMatchObject({ kind: "environment" });
    await expect(opening).rejects.toThrow(new RegExp(`tampered: .*object ${oid}`));
    expect(await rooms.repo.ports.files.list(rooms.parent)).toEqual([]);
  },
);

test("a forged object that another object store brings is refused", async ({ scratch }) => {
  const { top, git } = scratch;
  const rooms = await prepare(scratch);
  const [commit = "", a = ""] = (await git("rev-parse", "HEAD", "HEAD:a.txt")).split("\n");
  const objects = join(top, ".git/objects");
  const other = join(dirname(top), "other");
  mkdirSync(dirname(fileOf(other, a)), { recursive: true });
  writeFileSync(fileOf(other, a), readFileSync(fileOf(objects, a)));
  rmSync(fileOf(objects, a));
  forge(other, a, () => Buffer.from("two\n"));
  writeFileSync(join(objects, "info/alternates"), `${other}\n`);
  await expect(openRoom(rooms, { commit, entries: [], texts: [] })).rejects.toThrow(`tampered: object ${a} `);
});

test("files that a filter does not give back as they were are not forged", async ({ scratch }) => {
  const { top, git } = scratch;
  await git("config", "core.autocrlf", "false");
  writeFileSync(join(top, "crlf.txt"), "one\r\ntwo\r\n");
  await scratch.commitAll("line ends");
  writeFileSync(join(top, ".gitattributes"), "*.txt text eol=lf\n*.up filter=up\n");
  writeFileSync(join(top, "x.up"), "abc\n");
  const commit = await scratch.commitAll("attributes");
  await git("config", "filter.up.smudge", "tr a-z A-Z");
  const rooms = await prepare(scratch);
  const room = await openRoom(rooms, { commit, entries: [], texts: [] });
  expect(readFileSync(join(room.cwd, "x.up"), "utf8")).toBe("ABC\n");
});
