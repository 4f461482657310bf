import { asResult } from "../base/git.js";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { toBytes } from "../base/bytes.js";
import type { DiffEntry } from "../base/read/diff.js";
import { filesOf, readBlobs } from "../base/objects.js";
import {
  closeRoom,
  openRoom,
  prepareRooms,
  removeStaleRooms,
  usualTop,
  type RoomContent,
  type Rooms,
} from "./room.js";
import { runAs, test, type Scratch } from "../testing/scratch.js";

async function prepare(scratch: Scratch): Promise<Rooms> {
  const parent = join(dirname(scratch.top), "tmp");
  mkdirSync(parent, { recursive: true });
  scratch.env.TMPDIR = parent;
  return await prepareRooms(await scratch.open());
}

const at = (commit: string, more: Partial<RoomContent> = {}): RoomContent => ({
  commit,
  entries: [],
  texts: [],
  ...more,
});

test("a room holds a commit and changes on top of it, with bytes, modes, links and odd names", async ({
  scratch,
}) => {
  const { top, git } = scratch;
  writeFileSync(join(top, "run.sh"), "#!/bin/sh\n");
  chmodSync(join(top, "run.sh"), 0o755);
  symlinkSync("dir/b.txt", join(top, "link"));
  writeFileSync(join(top, "ü\nx"), "odd\n");
  const commit = await scratch.commitAll("more");
  const rooms = await prepare(scratch);
  const oid = await git("rev-parse", "HEAD:a.txt");
  const entries: DiffEntry[] = [
    { path: "dir/b.txt", from: { mode: "100644", oid }, to: { mode: "000000", oid: "" } },
    { path: "copy", from: { mode: "000000", oid: "" }, to: { mode: "100755", oid } },
  ];
  const texts = [{ path: "package.json", mode: "100644", text: toBytes("ä\n") }];
  const room = await openRoom(rooms, at(commit, { entries, texts }));
  expect(room.cwd).toBe(usualTop(rooms));
  expect(readFileSync(join(room.cwd, "copy"), "utf8")).toBe("one\n");
  expect(lstatSync(join(room.cwd, "run.sh")).mode & 0o777).toBe(0o755);
  expect(readlinkSync(join(room.cwd, "link"))).toBe("dir/b.txt");
  expect(readFileSync(join(room.cwd, "ü\nx"), "utf8")).toBe("odd\n");
  expect(readFileSync(join(room.cwd, "package.json"), "utf8")).toBe("ä\n");
  expect(existsSync(join(room.cwd, "dir"))).toBe(false);
  const env = scratch.env;
  const inside = (...args: string[]): Promise<string> => runAs(scratch.ports, { cwd: room.cwd, env }, args);
  expect(await inside("status", "--porcelain")).toBe("");
  expect(await inside("log", "--format=%s")).toBe("looper: what the gate looks at\nmore\nbegin");
  expect(await inside("for-each-ref", "--format=%(refname)", "refs/heads")).toBe("refs/heads/main");
  await inside("commit", "--allow-empty", "-qm", "in the room");
  await inside("update-ref", "refs/heads/main", "HEAD");
  expect(await git("rev-parse", "HEAD")).toBe(commit);
  expect(await git("status", "--porcelain")).toBe("");
  expect(await git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  expect(await closeRoom(scratch.ports, room.folder)).toBe(true);
  expect(readdirSync(rooms.parent)).toEqual([]);
});

test("a room runs no hooks, and ignores settings changed after the start", async ({ scratch }) => {
  const { top, git } = scratch;
  await git("config", "filter.up.smudge", "tr a-z A-Z");
  writeFileSync(join(top, ".gitattributes"), "a.txt filter=up\ndir/b.txt filter=late\n");
  const commit = await scratch.commitAll("attributes");
  const rooms = await prepare(scratch);
  await git("config", "filter.late.smudge", "echo forged");
  await git("config", "core.autocrlf", "true");
  mkdirSync(join(top, ".git", "hooks"), { recursive: true });
  writeFileSync(join(top, ".git", "hooks", "post-checkout"), "#!/bin/sh\ntouch hooked\n", { mode: 0o755 });
  const room = await openRoom(rooms, at(commit));
  expect(readFileSync(join(room.cwd, "a.txt"), "utf8")).toBe("ONE\n");
  expect(readFileSync(join(room.cwd, "dir", "b.txt"), "utf8")).toBe("two\n");
  expect(readdirSync(room.cwd).sort()).toEqual([".git", ".gitattributes", "a.txt", "dir", "to-do.json"]);
});

test("a room has the project's branch, tags and remotes, and no passwords", async ({ scratch }) => {
  const { git, ports, env } = scratch;
  await git("checkout", "-qb", "topic/ü");
  await git("tag", "light");
  await git("tag", "-am", "first", "v1.0.0");
  const remotes = {
    a: ["https://ada:secret@example.org/a.git?token=1", "https://example.org/a.git"],
    b: ["https://token@example.org/b.git", "https://example.org/b.git"],
    c: ["ssh://git:secret@example.org/c.git", "ssh://git@example.org/c.git"],
    d: ["git@example.org:d.git", "git@example.org:d.git"],
    e: ["/srv/e.git", "/srv/e.git"],
  };
  for (const [name, [url = ""]] of Object.entries(remotes)) await git("remote", "add", name, url);
  await git("config", "remote.a.pushurl", "https://x:y@example.org/p.git");
  const rooms = await prepare(scratch);
  await git("tag", "by-an-agent");
  const room = await openRoom(rooms, at(await git("rev-parse", "HEAD")));
  const inside = (...args: string[]) => runAs(ports, { cwd: room.cwd, env }, args);
  expect(await inside("symbolic-ref", "--short", "HEAD")).toBe("topic/ü");
  expect(await inside("tag")).toBe("light\nv1.0.0");
  expect(await inside("describe")).toBe("v1.0.0");
  for (const [name, [, url = ""]] of Object.entries(remotes))
    expect(await inside("remote", "get-url", name)).toBe(url);
  expect(await inside("config", "--local", "--list")).not.toMatch(/secret|token|x:y/);
  expect(await inside("status", "--porcelain")).toBe("");
});

test("a room of a detached HEAD is detached, and a commit that is gone is named", async ({ scratch }) => {
  const { git, ports, env } = scratch;
  await git("checkout", "-q", "--detach");
  const rooms = await prepare(scratch);
  const commit = await git("rev-parse", "HEAD");
  const room = await openRoom(rooms, at(commit));
  expect(await runAs(ports, { cwd: room.cwd, env }, ["rev-parse", "--abbrev-ref", "HEAD"])).toBe("HEAD");
  await closeRoom(ports, room.folder);
  const gone = commit.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
  await expect(openRoom(rooms, at(gone))).rejects.toThrow(`object ${gone} is not in the repository any more`);
  await expect(filesOf(rooms.repo, gone)).rejects.toThrow(`object ${gone} is not in the repository any more`);
});

test("a room has the real object in place of one replaced in the project", async ({ scratch }) => {
  const { top, git, ports, env } = scratch;
  const rooms = await prepare(scratch);
  const commit = await git("rev-parse", "HEAD");
  const [real, other] = [await git("rev-parse", "HEAD:a.txt"), await git("rev-parse", "HEAD:dir/b.txt")];
  await git("replace", real, other);
  expect(await runAs(ports, { cwd: top, env }, ["cat-file", "blob", real])).toBe("two");
  const room = await openRoom(rooms, at(commit));
  expect(readFileSync(join(room.cwd, "a.txt"), "utf8")).toBe("one\n");
  expect(await readBlobs(rooms.repo, [real, other, "0".repeat(40)], 100)).toEqual(
    new Map([
      [real, "one\n"],
      [other, "two\n"],
    ]),
  );
  expect((await readBlobs(rooms.repo, [real], 3)).size).toBe(0);
});

test("a room of a sparse checkout is sparse, and one of a shallow clone has its history", async ({
  scratch,
}) => {
  const { top, git } = scratch;
  await git("sparse-checkout", "set", "--no-cone", "/*", "!/dir/");
  const commit = await scratch.commitAll("x").catch(() => git("rev-parse", "HEAD"));
  const room = await openRoom(await prepare(scratch), at(commit));
  expect(existsSync(join(room.cwd, "dir"))).toBe(false);
  await git("commit", "--allow-empty", "-qm", "second");
  const clone = join(dirname(top), "clone");
  await git("clone", "-q", "--depth=1", `file://${top}`, clone);
  const repo = await scratch.open({ projectDir: clone, todoFile: join(clone, "to-do.json") });
  const head = await runAs(scratch.ports, { cwd: clone, env: scratch.env }, ["rev-parse", "HEAD"]);
  const shallow = await openRoom(await prepareRooms(repo), at(head));
  expect(await runAs(scratch.ports, { cwd: shallow.cwd, env: scratch.env }, ["log", "--format=%s"])).toBe(
    "second",
  );
});

test("a room has a submodule as the project has it, without a fetch", async ({ scratch }) => {
  const { top, git, ports, env } = scratch;
  const other = join(dirname(top), "other");
  mkdirSync(other);
  await runAs(ports, { cwd: other, env }, ["init", "-q"]);
  writeFileSync(join(other, "s.txt"), "sub\n");
  await runAs(ports, { cwd: other, env }, ["add", "."]);
  await runAs(ports, { cwd: other, env }, [
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@b",
    "commit",
    "-qm",
    "s",
  ]);
  await git("-c", "protocol.file.allow=always", "submodule", "add", "-q", other, "sub");
  const commit = await scratch.commitAll("with a submodule");
  const room = await openRoom(await prepare(scratch), at(commit));
  expect(readFileSync(join(room.cwd, "sub", "s.txt"), "utf8")).toBe("sub\n");
  await git("submodule", "deinit", "-f", "--all");
  const second = await openRoom(await prepare(scratch), at(commit));
  expect(readdirSync(join(second.cwd, "sub"))).toEqual([]);
});

test("rooms of killed runs are removed, those of other projects stay, and an open one has another path", async ({
  scratch,
}) => {
  const rooms = await prepare(scratch);
  const commit = await scratch.git("rev-parse", "HEAD");
  const first = await openRoom(rooms, at(commit));
  const second = await openRoom(rooms, at(commit));
  expect(second.folder).not.toBe(first.folder);
  mkdirSync(join(first.cwd, "locked"));
  writeFileSync(join(first.cwd, "locked", "x"), "");
  chmodSync(join(first.cwd, "locked"), 0o500);
  const others = join(rooms.parent, "looper-room-0123456789abcdef-1");
  mkdirSync(others);
  expect(await removeStaleRooms(rooms.repo)).toEqual([first.folder, second.folder]);
  expect(readdirSync(rooms.parent)).toEqual(["looper-room-0123456789abcdef-1"]);
});

test("a room is always outside the project, and one that cannot be made leaves no files", async ({
  scratch,
}) => {
  mkdirSync(join(scratch.top, "tmp"));
  scratch.env.TMPDIR = join(scratch.top, "tmp");
  expect((await prepareRooms(await scratch.open())).parent).not.toContain(scratch.top);
  const rooms = await prepare(scratch);
  expect(await asResult(() => openRoom(rooms, at("0".repeat(40))))).toMatchObject({ ok: false });
  expect(readdirSync(rooms.parent)).toEqual([]);
});
