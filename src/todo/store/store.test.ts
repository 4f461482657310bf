import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UserError } from "../../system/errors.js";
import { acquireLock } from "../../system/files/lock.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { Ports } from "../../system/ports.js";
import type { Change } from "../model/changes/change.js";
import { openStore, type Store, type Changed, type ChangeOptions } from "./store.js";
import { backlog, id, task } from "../testing/testing.js";
import type { Backlog } from "../model/task.js";

const ports = nodePorts();
const agent: ChangeOptions = { while: "agent", finished: new Set() };
const idle: ChangeOptions = { while: "idle", finished: new Set() };
const claim: Change = { op: "claim", id: id("T1"), expect: "todo" };
const addOne: Change = { op: "add", tasks: [{ title: "n" }], keepVerify: false };
const finish: Change = { op: "finish", id: id("T1"), result: "ok", files: [], verdict: "unverified" };

let [folder, path] = ["", ""];
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "store-")));
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

async function onDisk(): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}

async function copies(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith("to-do.json."));
}

async function change(store: Store, changes: Change[], options: ChangeOptions): Promise<Changed> {
  const result = await store.change(changes, options);
  if (!result.ok) throw new Error(result.error.kind);
  return result.value;
}

/** A store that has seen these tasks; T1 is in hand. */
async function atWork(...tasks: Backlog["tasks"]): Promise<{ store: Store; held: Backlog }> {
  await save(backlog(task("T1"), ...tasks));
  const store = open();
  await store.read();
  const { backlog: held } = await change(store, [claim], idle);
  return { store, held };
}

/** Ports whose clock moves forward at each sleep; `atSleep` receives the number of sleeps. */
function withQuickClock(atSleep: (times: number) => Promise<void>): Ports {
  let ms = 0;
  let times = 0;
  const sleep = async (wait: number): Promise<void> => {
    ms += wait;
    await atSleep(++times);
  };
  return { ...ports, clock: { ...ports.clock, monotonic: () => ms, sleep } };
}

test("a claim and its end are on disk and in the result", async () => {
  const text =
    '\ufeff{"schema_version":1,\r\n"source_files":[],"tasks":[{"id":"T1","title":"x","priority":1,"status":"todo"}]}';
  await save(text);
  const store = open();
  expect(await store.read()).toMatchObject({ kind: "ok", index: { rows: [{ id: "T1", status: "todo" }] } });
  const seen: string[] = [];
  const beforeWrite = async (bytes: Uint8Array): Promise<void> => {
    seen.push(Buffer.from(bytes).toString());
    expect(await readFile(path, "utf8")).toBe(text);
  };
  const claimed = await change(store, [claim], { ...idle, beforeWrite });
  expect(claimed.applied.updated).toEqual([{ id: "T1", from: "todo", to: "doing" }]);
  expect(claimed.changedRows).toEqual([{ id: "T1", status: "doing", priority: 1, depends_on: [] }]);
  expect(claimed.edits).toBeUndefined();
  expect(seen).toEqual([await readFile(path, "utf8")]);
  expect(seen[0]).toMatch(
    /^\ufeff\{"schema_version":1,\r\n.*"status":"doing","attempts":1,"updated_at":"20.*Z"\}\]\}$/s,
  );
  const read = await store.read();
  expect(read).toMatchObject({ kind: "ok", backlog: claimed.backlog, index: claimed.index });
  expect((await change(store, [finish], agent)).index.rows[0]?.status).toBe("done");
});

test("a change without a difference is not written", async () => {
  const { store } = await atWork();
  const before = await stat(path);
  const beforeWrite = (): Promise<void> => Promise.reject(new Error("nothing to write"));
  const refused = await change(store, [claim], { ...idle, beforeWrite });
  expect(refused.applied.refused).toEqual([{ change: claim, why: "it is doing, not todo" }]);
  expect((await change(store, [], idle)).changedRows).toEqual([]);
  const after = await stat(path);
  expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
});

test("a missing, an empty and a broken file are told apart", async () => {
  const store = open();
  const kinds: string[] = [];
  kinds.push((await store.read()).kind);
  for (const content of [" \n", "{", JSON.stringify(backlog()), JSON.stringify(backlog(task("T1")))]) {
    await save(content);
    kinds.push((await open().read()).kind);
  }
  expect(kinds).toEqual(["missing", "empty", "invalid", "empty", "ok"]);
  await save('{"tasks":[{"id":"T1"}]}');
  const failed = await open().change([], idle);
  expect(failed).toMatchObject({ ok: false, error: { kind: "unusable", read: { kind: "invalid" } } });
  await expect(openStore(ports, folder, { lockFolder: join(folder, "lock") }).read()).rejects.toThrow(
    UserError,
  );
});

test("an agent's new tasks and texts stay, and the rest is reverted with a copy", async () => {
  const { store, held } = await atWork(task("T2"));
  const [t1, t2] = held.tasks as [Backlog["tasks"][0], Backlog["tasks"][0]];
  const saved = backlog({ ...t1, status: "done", details: "mine" }, task("T3", { status: "done" }));
  await save(saved);
  const { edits, ...changed } = await change(store, [finish], agent);
  expect(edits).toMatchObject({
    added: ["T3"],
    changed: ["T1"],
    putBack: ["status of T1", "status of T3, which is new", "T2, which was deleted"],
  });
  expect(await onDisk()).toEqual(changed.backlog);
  expect(changed.backlog.tasks.map((one) => [one.id, one.status])).toEqual([
    ["T1", "done"],
    ["T2", "todo"],
    ["T3", "todo"],
  ]);
  expect(changed.backlog.tasks[0]).toMatchObject({ details: "mine", result: "ok", attempts: 1 });
  expect(changed.backlog.tasks[1]).toEqual(t2);
  expect(changed.changedRows.map((row) => row.id)).toEqual(["T1", "T3"]);
  expect(JSON.parse(await readFile(edits?.copy ?? "", "utf8"))).toEqual(saved);
  expect(edits?.copy).toMatch(/to-do\.json\.edited-\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$/);
  expect((await change(store, [], idle)).edits).toBeUndefined();
});

test.each([
  ["broken", "{", "the whole file, which was not a valid backlog"],
  ["emptied", "", "the whole file, which was emptied"],
  ["deleted", undefined, "the whole file, which was deleted"],
])(
  "while an agent works the file is %s: the last good one is restored at once",
  async (_, content, words) => {
    const { store, held } = await atWork();
    await (content === undefined ? rm(path) : save(content));
    const { edits } = await change(store, [], agent);
    expect(edits?.putBack).toEqual([words]);
    expect(await onDisk()).toEqual(held);
    expect(edits?.copy === undefined ? undefined : await readFile(edits.copy, "utf8")).toBe(content);
  },
);

test("tasks that an agent deletes are all restored", async () => {
  const { store, held } = await atWork(task("T2"));
  await save(backlog());
  await change(store, [], agent);
  expect(await onDisk()).toEqual(held);
  expect(await copies()).toHaveLength(1);
});

test("a broken file between attempts is moved aside after two seconds", async () => {
  const { held } = await atWork();
  const half = JSON.stringify(backlog(task("T1", { title: "whole" }))).slice(0, -9);
  const mended = backlog(task("T1", { title: "whole" }));
  const patient = open(withQuickClock((times) => (times === 19 ? save(mended) : Promise.resolve())));
  await patient.read();
  await save(half);
  const taken = await change(patient, [], idle);
  expect(taken.edits).toEqual({ added: [], changed: ["T1"], removed: [], putBack: [] });
  expect(taken.backlog).toEqual(mended);

  await save(held);
  let slept = 0;
  const robbed = open(withQuickClock((times) => Promise.resolve(void (slept = times))));
  await robbed.read();
  await save(half);
  const kept = await change(robbed, [], idle);
  expect(slept).toBe(20);
  expect(kept.edits?.putBack).toEqual(["the whole file, which was not a valid backlog"]);
  expect(await readFile(kept.edits?.copy ?? "", "utf8")).toBe(half);
  expect(await onDisk()).toEqual(held);
});

test("a person's save between attempts is accepted with its order and spacing", async () => {
  const { store } = await atWork(task("T2"));
  await save(JSON.stringify(backlog(task("T3"), task("T2", { priority: 1 })), null, 7));
  const text = await readFile(path, "utf8");
  const look = await change(store, [], idle);
  expect(look).toMatchObject({ edits: { added: ["T3"], changed: ["T2"], putBack: [] }, removed: ["T1"] });
  expect(look.changedRows.map((row) => row.id)).toEqual(["T3", "T2"]);
  expect(await readFile(path, "utf8")).toBe(text);
  await change(store, [{ op: "claim", id: id("T2"), expect: "todo" }], idle);
  const written = await readFile(path, "utf8");
  expect(written).toBe(JSON.stringify(JSON.parse(written), null, 7));
});

test("a save of the same length is seen even right after a write", async () => {
  const { store } = await atWork();
  const text = await readFile(path, "utf8");
  await save(text.replace("Title", "title"));
  expect((await change(store, [], agent)).edits).toMatchObject({ changed: ["T1"] });
});

test("an editor with an old version does not undo tasks that this run finished", async () => {
  const { store } = await atWork();
  const stale = await readFile(path, "utf8");
  await change(store, [finish], agent);
  await save(stale);
  const { edits, backlog: after } = await change(store, [], { while: "idle", finished: new Set([id("T1")]) });
  expect(edits?.putBack).toEqual(["the status of T1, which this run finished"]);
  expect(after.tasks[0]).toMatchObject({ status: "done", result: "ok" });
  expect(await onDisk()).toEqual(after);
});

test("a save during the commit is not lost", async () => {
  const { store } = await atWork();
  let calls = 0;
  let last: Uint8Array | undefined;
  const beforeWrite = async (bytes: Uint8Array): Promise<void> => {
    last = bytes;
    if (++calls === 1) await save(backlog(task("T1", { status: "doing", attempts: 1 }), task("T2")));
  };
  const { edits } = await change(store, [finish], { ...agent, beforeWrite });
  expect(calls).toBe(2);
  expect(edits?.added).toEqual(["T2"]);
  expect(Buffer.from(last ?? []).toString()).toBe(await readFile(path, "utf8"));
  expect(await onDisk()).toMatchObject({ tasks: [{ id: "T1", status: "done" }, { id: "T2" }] });
});

test("a change fails after too many saves instead of hanging", async () => {
  const { store } = await atWork();
  let n = 0;
  const beforeWrite = (): Promise<void> => save(backlog(task("T1", { status: "doing" }), task(`N${++n}`)));
  await expect(store.change([finish], { ...agent, beforeWrite })).rejects.toThrow("changes faster");
});

test("a failed commit or a full disk leaves the file unchanged and the store usable", async () => {
  const { store, held } = await atWork();
  const beforeWrite = (): Promise<void> => Promise.reject(new Error("no commit"));
  await expect(store.change([finish], { ...agent, beforeWrite })).rejects.toThrow("no commit");
  expect(await onDisk()).toEqual(held);
  const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  const files = { ...ports.files, writeAtomic: () => Promise.reject(full) };
  const stuck = open({ ...ports, files });
  await expect(stuck.change([finish], agent)).rejects.toMatchObject({
    name: "UserError",
    kind: "environment",
  });
  expect(await onDisk()).toEqual(held);
  await change(store, [finish], agent);
  expect(await onDisk()).toMatchObject({ tasks: [{ status: "done" }] });
});

test("only temporary files of a killed writer are removed", async () => {
  const others = [".to-do.json.0123456789ab.tmp.bak", ".to-do.json.mine.tmp", ".other.json.0123456789ab.tmp"];
  const left = [".to-do.json.0123456789ab.tmp", ".to-do.json.ba9876543210.tmp"];
  for (const name of [...others, ...left]) await writeFile(join(folder, name), "half");
  await save(backlog(task("T1")));
  await change(open(), [claim], idle);
  expect((await readdir(folder)).sort()).toEqual([...others, "lock", "to-do.json"].sort());
});

test("many writers at once lose no change", async () => {
  await save(backlog(task("T1")));
  const stores = Array.from({ length: 8 }, () => open());
  const writes = stores.flatMap((store, s) =>
    Array.from({ length: 5 }, (_, n) =>
      change(store, [{ op: "add", tasks: [{ title: `${s} ${n}` }], keepVerify: false }], idle),
    ),
  );
  await Promise.all(writes);
  const { tasks } = (await onDisk()) as Backlog;
  expect(tasks.map((one) => one.id)).toEqual(Array.from({ length: 41 }, (_, n) => `T${n + 1}`));
  expect(await readdir(join(folder, "lock"))).toEqual([]);
});

test("all names of a file share one lock, and the error names its holder", async () => {
  const { store } = await atWork();
  await mkdir(join(folder, "elsewhere"));
  const other = join(folder, "elsewhere", "link.json");
  await symlink(path, other);
  const lockFolder = join(folder, "lock");
  let refused = "";
  const beforeWrite = async (): Promise<void> => {
    let ms = 0;
    const clock = { ...ports.clock, monotonic: () => (ms += 3_000) };
    const linked = openStore({ ...ports, clock }, other, { lockFolder });
    refused = await linked.change([], idle).then(() => "not refused", String);
  };
  await change(store, [finish], { ...agent, beforeWrite });
  expect(refused).toContain(`is kept locked by pid ${process.pid} on `);
  const added: Change = { op: "add", tasks: [{ title: "n" }], keepVerify: false };
  await openStore(ports, other, { lockFolder }).change([added], idle);
  expect((await stat(other)).ino).toBe((await stat(path)).ino);
});

test("a lock folder that cannot be created is a user error", async () => {
  await save(backlog(task("T1")));
  await writeFile(join(folder, "lock"), "");
  await expect(open().change([], idle)).rejects.toMatchObject({ name: "UserError", kind: "environment" });
  await rm(join(folder, "lock"));
  expect(await acquireLock(ports, join(folder, "lock", "x"), {}, { waitMs: 0 })).toHaveProperty("held");
});

test("two files that share a lock folder do not wait for each other", async () => {
  const { store } = await atWork();
  const other = openStore(ports, join(folder, "other.json"), { lockFolder: join(folder, "lock") });
  await writeFile(join(folder, "other.json"), JSON.stringify(backlog(task("T1"))));
  let inside: unknown;
  await change(store, [finish], {
    ...agent,
    beforeWrite: async () => {
      inside = await other.change([claim], idle);
    },
  });
  expect(inside).toMatchObject({ ok: true });
});

test("a file that appears or disappears during the commit is read again", async () => {
  const { store, held } = await atWork();
  await rm(path);
  const came = await change(store, [finish], { ...agent, beforeWrite: onceOnly(() => save(held)) });
  expect(came.edits).toBeUndefined();
  expect(came.applied.updated).toEqual([{ id: "T1", from: "doing", to: "done" }]);
  const gone = await change(store, [addOne], { ...idle, beforeWrite: onceOnly(() => rm(path)) });
  expect(gone.edits?.putBack).toEqual(["the whole file, which was deleted"]);
  expect(gone.edits?.copy).toBeUndefined();
  expect(await onDisk()).toEqual(gone.backlog);
});

test("a broken save is copied once, even if it is saved again", async () => {
  const { store } = await atWork();
  await save("{ broken");
  const { edits } = await change(store, [finish], { ...agent, beforeWrite: onceOnly(() => save("{ worse")) });
  expect((await copies()).length).toBe(2);
  expect(await readFile(edits?.copy ?? "", "utf8")).toBe("{ worse");
  await save("{ broken");
  await change(store, [addOne], {
    ...agent,
    beforeWrite: onceOnly(() => rm(path).then(() => save("{ broken"))),
  });
  expect((await copies()).length).toBe(3);
});

test("a change returns the rows that differ, the tasks that are gone, and whether others saved", async () => {
  await save(backlog(task("T1"), task("T2"), task("T3")));
  const store = open();
  const first = await change(store, [], idle);
  expect(first).toMatchObject({ saved: false, changedRows: [], removed: [] });
  await save(backlog(task("T1", { details: "new" }), task("T3"), task("T4")));
  const second = await change(store, [claim], idle);
  expect(second.saved).toBe(true);
  expect(second.changedRows.map((row) => row.id)).toEqual(["T1", "T4"]);
  expect(second.removed).toEqual(["T2"]);
  expect(second.sha256).toBe(
    createHash("sha256")
      .update(await readFile(path))
      .digest("hex"),
  );
  const third = await change(store, [{ op: "return", id: id("T1"), to: "todo" }], idle);
  expect(third).toMatchObject({ saved: false, removed: [] });
  expect(third.changedRows.map((row) => row.id)).toEqual(["T1"]);
});

test("a change does not wait for a file that was broken from the start", async () => {
  await save("{");
  let slept = 0;
  const store = open(withQuickClock((times) => Promise.resolve(void (slept = times))));
  expect(await store.change([], idle)).toMatchObject({ ok: false, error: { kind: "unusable" } });
  expect(slept).toBe(0);
});

test("a half-written file of a dead writer is removed by the first change", async () => {
  await save(backlog(task("T1")));
  const store = open();
  await change(store, [claim], idle);
  await writeFile(join(folder, ".to-do.json.0123456789ab.tmp"), "another's, who is still writing");
  await change(store, [finish], agent);
  expect(await readdir(folder)).toContain(".to-do.json.0123456789ab.tmp");
});

function onceOnly(act: () => Promise<void>): () => Promise<void> {
  let calls = 0;
  return () => (++calls === 1 ? act() : Promise.resolve());
}
