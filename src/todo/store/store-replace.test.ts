// The whole file replaced, put back, copied aside, and caught half saved. Leaves changes to store.test.ts.
import { execFileSync } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { Ports } from "../../system/ports.js";
import { listBackups } from "./backlog-file.js";
import type { Change } from "../model/changes/change.js";
import { openStore, type Store } from "./store.js";
import { backlog, id, task } from "../testing/testing.js";
import type { Backlog } from "../model/task.js";

const ports = nodePorts();

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "store-replace-")));
  path = join(folder, "to-do.json");
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function open(withPorts: Ports = ports): Store {
  return openStore(withPorts, path, { lockFolder: join(folder, "lock"), run: "r1" });
}

async function save(content: Backlog | string): Promise<void> {
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
}

async function copies(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith("to-do.json."));
}

/** Has the store replace the file, with a copy of this kind; returns the copy. */
async function aside(kind: "edited" | "broken", store = open()): Promise<string | undefined> {
  const make = (): Uint8Array => Buffer.from("-");
  return (await store.rewrite(make, () => kind))?.copy;
}

test("only a valid backlog with tasks is adopted, and the old file is kept as a copy", async () => {
  const good = Buffer.from(JSON.stringify(backlog(task("T1"), task("T2"))));
  const store = open();
  expect(await store.adopt(Buffer.from("{"))).toMatchObject({
    ok: false,
    error: { kind: "invalid", problems: [{ rule: "syntax" }] },
  });
  expect((await store.adopt(Buffer.from(JSON.stringify(backlog())))).ok).toBe(false);
  expect(await readdir(folder)).toEqual(["lock"]);

  await save("{ broken");
  const adopted = await store.adopt(good);
  expect(adopted).toMatchObject({ ok: true, value: { index: { rows: [{ id: "T1" }, { id: "T2" }] } } });
  expect(await readFile(path)).toEqual(good);
  const copy = adopted.ok ? adopted.value.copy : undefined;
  expect(await readFile(copy ?? "", "utf8")).toBe("{ broken");
  expect(copy).toMatch(/\.broken-/);

  const small = Buffer.from(JSON.stringify(backlog(task("T1"))));
  expect(await store.adopt(small)).toMatchObject({
    ok: true,
    value: { copy: /\.broken-/ },
  });
  const claimed = await store.change([{ op: "claim", id: id("T1"), expect: "todo" }], {
    while: "idle",
    finished: new Set(),
  });
  expect(claimed).toMatchObject({ ok: true, value: { applied: { refused: [] } } });
  expect(claimed).not.toHaveProperty("value.edits");
});

test("copies never overwrite each other, and those with tasks are found again", async () => {
  expect(await aside("edited")).toBeUndefined();
  await save(backlog(task("T1"), task("T2")));
  const first = await aside("broken");
  await save("{");
  const clock = { ...ports.clock, now: () => Date.UTC(2020, 0, 2, 3, 4, 5) };
  const second = await aside("edited", open({ ...ports, clock }));
  await save('{"tasks":[{"id":"T1","title":"x","priority":1,"status":"todo","x":1}]}');
  const third = await aside("edited", open({ ...ports, clock }));
  expect([second, third]).toEqual([
    `${path}.edited-2020-01-02_03-04-05`,
    `${path}.edited-2020-01-02_03-04-05-2`,
  ]);
  await writeFile(`${path}.edited-by-me`, JSON.stringify(backlog(task("T1"))));
  expect(await listBackups(ports.files, path)).toEqual([
    { path: first, tasks: 2 },
    { path: third, tasks: 1 },
  ]);
});

test("adopting the same file makes no copy", async () => {
  const good = Buffer.from(JSON.stringify(backlog(task("T1"))));
  await save(good.toString());
  const before = await stat(path);
  expect(await open().adopt(good)).toEqual({
    ok: true,
    value: expect.not.objectContaining({ copy: expect.anything() as unknown }) as unknown,
  });
  expect((await stat(path)).ino).toBe(before.ino);
  expect(await copies()).toEqual([]);
  await save(" ");
  await open().adopt(good);
  expect(await copies()).toHaveLength(1);
});

test("an invalid file is not adopted, its problems are returned, and the old file stays", async () => {
  await save("mine");
  for (const [text, rules] of [
    ["{", ["syntax"]],
    ["", ["syntax"]],
    ["{}", ["missing-key", "missing-key", "missing-key"]],
    [JSON.stringify(backlog()), []],
  ] as const) {
    const refused = await open().adopt(Buffer.from(text));
    expect(refused).toMatchObject({
      ok: false,
      error: { kind: "invalid", problems: rules.map((rule) => ({ rule })) },
    });
  }
  expect(await readFile(path, "utf8")).toBe("mine");
  expect(await copies()).toEqual([]);
});

test("a file that an agent wrote in the wrong place is restored byte for byte, and its bytes are kept beside it", async () => {
  const before = Buffer.from("{ broken, and to be repaired elsewhere");
  await writeFile(path, before);
  expect(await open().putBack(before)).toEqual(undefined);
  expect(await copies()).toEqual([]);
  await save("by the agent");
  expect(await open().putBack(before)).toEqual(Buffer.from("by the agent"));
  expect(await readFile(path)).toEqual(before);
  const [copy = ""] = await copies();
  expect(copy).toMatch(/\.edited-/);
  expect(await readFile(join(folder, copy), "utf8")).toBe("by the agent");
});

test("a new file is removed again, a removed file is restored, and an empty one is not copied", async () => {
  expect(await open().putBack(undefined)).toEqual(undefined);
  await save("by the agent");
  expect(await open().putBack(undefined)).toEqual(Buffer.from("by the agent"));
  expect(await readdir(folder)).not.toContain("to-do.json");
  expect(await copies()).toHaveLength(1);
  expect(await open().putBack(Buffer.from("mine"))).toEqual(undefined);
  expect(await readFile(path, "utf8")).toBe("mine");
  await save("");
  expect(await open().putBack(Buffer.from("mine"))).toEqual(Buffer.from(""));
  expect(await copies()).toHaveLength(1);
});

test("a copy has the permissions of its file", async () => {
  await save("mine");
  await chmod(path, 0o640);
  const copy = (await aside("edited")) ?? "";
  expect((await stat(copy)).mode & 0o777).toBe(0o640);
});

test("a file that cannot be read or written is a user error, and an unforeseen error an internal one", async () => {
  const full = Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
  const { files } = ports;
  const unreadable = { ...files, read: () => Promise.reject(full) };
  const unwritable: Ports["files"] = {
    ...files,
    remove: (name) => (name === path ? Promise.reject(full) : files.remove(name)),
    writeNew: (name, ...rest) =>
      name.startsWith(path) ? Promise.reject(full) : files.writeNew(name, ...rest),
  };
  await save(backlog(task("T1")));
  await expect(open({ ...ports, files: unreadable }).read()).rejects.toMatchObject({
    kind: "usage",
    message: `cannot read ${path}: ENOSPC: no space left`,
    hint: "name a file that can be read",
    cause: full,
  });
  for (const attempt of [
    () => aside("edited", open({ ...ports, files: unwritable })),
    () => open({ ...ports, files: unwritable }).putBack(undefined),
  ])
    await expect(attempt()).rejects.toMatchObject({
      kind: "environment",
      message: expect.stringMatching(/^cannot write .*to-do\.json.*: ENOSPC: no space left$/) as unknown,
      hint: "free some space or fix its permissions; the file is unchanged",
    });
  const bug = new TypeError("not foreseen");
  const wrong = { ...files, read: () => Promise.reject(bug) };
  await expect(open({ ...ports, files: wrong }).read()).rejects.toBe(bug);
});

test("only files with the names of copies are listed, the newest first", async () => {
  const text = JSON.stringify(backlog(task("T1"), task("T2")));
  const names = [
    "to-do.json.edited-2020-01-02_03-04-05",
    "to-do.json.broken-2021-01-02_03-04-05-12",
    "to-do.json.edited-2020-01-02_03-04-06",
  ];
  const others = [
    "to-do.json.lost-2020-01-02_03-04-05",
    "to-do.json.edited-2020-01-02",
    "to-do.json.edited-2020-01-02_03-04-05.bak",
    "to-do.json.edited-2020-01-02_03-04-05-x",
    "to-do.json.my-edited-2020-01-02_03-04-05",
    "to-do.jsonxedited-2020-01-02_03-04-05",
    "mine.json.edited-2020-01-02_03-04-05",
  ];
  for (const name of [...names, ...others]) await writeFile(join(folder, name), text);
  await writeFile(join(folder, "to-do.json.broken-2022-01-02_03-04-05"), "{");
  await writeFile(join(folder, "to-do.json.broken-2023-01-02_03-04-05"), JSON.stringify(backlog()));
  expect(await listBackups(ports.files, path)).toEqual(
    [names[1], names[2], names[0]].map((name) => ({ path: join(folder, name ?? ""), tasks: 2 })),
  );
});

test.each(["pipe", "folder", "link"] as const)(
  "a %s that took the place of the file is put aside, and the backlog the run knows is restored",
  async (what) => {
    await save(backlog(task("T1"), task("T2")));
    const store = open();
    expect((await store.read()).kind).toBe("ok");
    const elsewhere = join(folder, "elsewhere.json");
    await rm(path);
    if (what === "pipe") execFileSync("mkfifo", [path]);
    if (what === "folder") await mkdir(path);
    if (what === "link") {
      await writeFile(elsewhere, JSON.stringify(backlog(task("T1", { status: "done" }), task("T2"))));
      await symlink(elsewhere, path);
    }
    const claim: Change = { op: "claim", id: id("T1"), expect: "todo" };
    const changed = await store.change([claim], { while: "agent", finished: new Set() });
    expect(changed.ok && changed.value.applied.refused).toEqual([]);
    expect((await lstat(path)).isFile()).toBe(true);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
      tasks: [
        { id: "T1", status: "doing" },
        { id: "T2", status: "todo" },
      ],
    });
    const [aside = ""] = await copies();
    const found = await lstat(join(folder, aside));
    expect([found.isFIFO(), found.isDirectory(), found.isSymbolicLink()].indexOf(true)).toBe(
      ["pipe", "folder", "link"].indexOf(what),
    );
  },
);

test("a link that existed from the start stays a link", async () => {
  const real = join(folder, "real.json");
  await writeFile(real, JSON.stringify(backlog(task("T1"))));
  await symlink(real, path);
  const store = open();
  await store.read();
  const claim: Change = { op: "claim", id: id("T1"), expect: "todo" };
  await store.change([claim], { while: "agent", finished: new Set() });
  expect((await lstat(path)).isSymbolicLink()).toBe(true);
  expect(await readFile(real, "utf8")).toContain("doing");
});

test("a read waits for a file that is being saved, but not for one that was broken before", async () => {
  const whole = backlog(task("T1"));
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    if (slept.length === 2) await save(whole);
  };
  const saving: Ports = { ...ports, clock: { ...ports.clock, sleep } };
  await save('{ "tasks": [');
  expect((await open(saving).readSaved()).kind).toBe("ok");
  expect(slept).toHaveLength(2);
  for (const seconds of [2, -3600]) {
    await save('{ "tasks": [');
    const then = Date.now() / 1000 - seconds;
    await utimes(path, then, then);
    expect((await open(saving).readSaved()).kind).toBe("invalid");
  }
  expect(slept).toHaveLength(2);
});
