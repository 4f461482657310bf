// The edits people make by commands, through a store of their own: whole or not at all, and known to a run in progress.
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { PersonChange, TimedChanges } from "../model/changes/person-change.js";
import { openStore, type Store } from "./store.js";
import { backlog, id, task } from "../testing/testing.js";
import type { Backlog, Task } from "../model/task.js";

const ports = nodePorts();
const RULES = { while: "agent", finished: new Set<never>() } as const;

let folder: string;
let path: string;
let told: TimedChanges[];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "store-edit-")));
  path = join(folder, "to-do.json");
  told = [];
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** One that hears what is told. */
function open(): Store {
  const heard = (): Promise<TimedChanges[]> => Promise.resolve(told.splice(0));
  return openStore(ports, path, { lockFolder: join(folder, "lock"), heard });
}

const save = (content: Backlog | string): Promise<void> =>
  writeFile(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
const read = (): Promise<string> => readFile(path, "utf8");
const tasks = async (): Promise<Task[]> => (JSON.parse(await read()) as Backlog).tasks;

function edit(...changes: PersonChange[]): ReturnType<Store["edit"]> {
  return openStore(ports, path, { lockFolder: join(folder, "lock") }).edit(
    () => changes,
    (line) => {
      told.push(line);
      return Promise.resolve();
    },
  );
}

const change = (name: string, set: Extract<PersonChange, { op: "edit" }>["set"]): PersonChange => ({
  op: "edit",
  id: id(name),
  set,
  clear: [],
});

test("an edit changes only its keys, and is sent to the run before it is written", async () => {
  const text =
    '{ "schema_version": 1, "source_files": [],\n "tasks": [ {"id": "T1","title":"a", "priority": 2, "status":"todo"} ]}';
  await save(text);
  let before = "";
  const store = openStore(ports, path, { lockFolder: join(folder, "lock") });
  const edited = await store.edit(
    () => [change("T1", { priority: 1 })],
    async () => {
      before = await read();
    },
  );
  expect(edited).toMatchObject({ ok: true, value: { updated: [{ id: "T1", from: "todo", to: "todo" }] } });
  expect(before).toBe(text);
  expect(await read()).toContain('{"id": "T1","title":"a", "priority": 1, "status":"todo",');
});

test.each<[string, PersonChange[], object]>([
  ["an id that is taken", [{ op: "insert", task: task("T1") }], { kind: "refused" }],
  [
    "a task that is not there",
    [change("T9", { priority: 1 })],
    { kind: "refused", refusals: [{ why: "no such task" }] },
  ],
  ["one of two", [change("T1", { priority: 1 }), change("T9", { priority: 1 })], { kind: "refused" }],
  ["a cycle", [change("T1", { depends_on: [id("T2")] })], { kind: "invalid", problems: [{ rule: "cycle" }] }],
  [
    "a dependency on nothing",
    [change("T1", { depends_on: [id("T9")] })],
    { kind: "invalid", problems: [{ rule: "unknown-dependency" }] },
  ],
  ["an empty title", [change("T1", { title: "" })], { kind: "invalid" }],
])("%s: nothing is changed, and no run is told", async (_what, changes, error) => {
  await save(backlog(task("T1"), task("T2", { depends_on: [id("T1")] })));
  const before = await read();
  expect(await edit(...changes)).toMatchObject({ ok: false, error });
  expect(await read()).toBe(before);
  expect(told).toEqual([]);
});

test.each([
  ["missing", undefined, { kind: "missing" }],
  ["broken", "{", { kind: "invalid" }],
  ["empty", "", { kind: "empty" }],
])("a file that is %s is left as it is", async (_what, content, look) => {
  if (content !== undefined) await save(content);
  expect(await edit({ op: "insert", task: task("T1") })).toMatchObject({
    ok: false,
    error: { kind: "unusable", read: look },
  });
  expect(await readdir(folder)).toEqual(content === undefined ? ["lock"] : ["lock", "to-do.json"]);
});

test("removing the last task keeps a copy of the file, and removing a task removes edges to it", async () => {
  await save(backlog(task("T1"), task("T2", { depends_on: [id("T1")] })));
  expect((await edit({ op: "remove", id: id("T1") })).ok).toBe(true);
  expect(await tasks()).toMatchObject([{ id: "T2", depends_on: [] }]);
  const last = await read();
  expect((await edit({ op: "remove", id: id("T2") })).ok).toBe(true);
  expect(await tasks()).toEqual([]);
  const [copy = ""] = (await readdir(folder)).filter((name) => name.startsWith("to-do.json.edited-"));
  expect(await readFile(join(folder, copy), "utf8")).toBe(last);
});

test("a reopened or new task removes the completion marker and the gate's mark", async () => {
  const marker = task("PROJECT-DONE", { status: "done", tags: ["project-done"] });
  await save(backlog(task("T1", { status: "done", meta: { verdict: "verified" } }), marker));
  expect((await edit(change("T1", { status: "todo" }))).ok).toBe(true);
  expect(await tasks()).toMatchObject([{ id: "T1", status: "todo" }]);
  expect((await tasks())[0]).not.toHaveProperty("meta");
  expect(await edit(change("T1", { status: "done" }))).toMatchObject({ ok: true });
});

test("a run accepts changes through other stores and reverts changes past them", async () => {
  await save(backlog(task("T1", { status: "doing" }), task("T2"), task("T3"), task("T4")));
  const run = open();
  await run.read();
  await edit(change("T2", { status: "done" }), { op: "insert", task: task("T5") });
  await edit({ op: "remove", id: id("T3") });
  // And an agent, past every store.
  const now = JSON.parse(await read()) as Backlog;
  await save({ ...now, tasks: now.tasks.map((one) => (one.id === "T4" ? { ...one, status: "done" } : one)) });
  const changed = await run.change([{ op: "block", id: id("T1"), blockers: ["x"] }], RULES);
  expect(changed).toMatchObject({
    ok: true,
    value: {
      edits: { added: ["T5"], changed: ["T2", "T4"], putBack: ["status of T4"] },
      removed: ["T3"],
      saved: true,
    },
  });
  expect((await tasks()).map(({ id: name, status }) => [name, status])).toEqual([
    ["T1", "blocked"],
    ["T2", "done"],
    ["T4", "todo"],
    ["T5", "todo"],
  ]);
});

test("an agent that saves an old version over a person's changes does not undo them", async () => {
  await save(backlog(task("T1", { status: "doing" }), task("T2")));
  const old = await read();
  const run = open();
  await run.read();
  await edit(change("T2", { status: "blocked" }));
  await save(old);
  const changed = await run.change([], RULES);
  expect(changed).toMatchObject({ ok: true, value: { edits: { putBack: ["status of T2"] } } });
  expect((await tasks())[1]).toMatchObject({ id: "T2", status: "blocked" });
});

test("many adds at once are all kept, each with its own id", async () => {
  await save(backlog(task("T1")));
  const adding = Array.from({ length: 12 }, (_, at) =>
    openStore(ports, path, { lockFolder: join(folder, "lock") }).edit(
      ({ tasks: there }) => [
        { op: "insert", task: task(`T${String(there.length + 1)}`, { title: `n${String(at)}` }) },
      ],
      () => Promise.resolve(),
    ),
  );
  const done = await Promise.all(adding);
  expect(done.every(({ ok }) => ok)).toBe(true);
  const titles = (await tasks()).map(({ title }) => title);
  expect(new Set(titles).size).toBe(13);
});
