// A task file begun anew: what may go, what is copied aside, what is not written.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { openStore } from "./store.js";
import { backlog, task } from "../testing/testing.js";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "store-begin-"));
  path = join(folder, "to-do.json");
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const bytes = (value: unknown): Uint8Array =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const EMPTY = backlog();

const begin = (make: () => Uint8Array | undefined) =>
  openStore(nodePorts(), path, { lockFolder: join(folder, "lock") }).begin(make);

const copies = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith("to-do.json."));

test.each([
  ["nothing", undefined, 0],
  ["nothing but space", " \n", 0],
  ["a valid file without tasks", EMPTY, 0],
  ["tasks", backlog(task("T1")), 1],
  ["a broken file", "{", 1],
  ["a file that is not a backlog, without tasks", '{"meta":{"mine":1},"tasks":[]}', 1],
])("over %s: the old file is copied aside where it says something", async (_what, old, copied) => {
  if (old !== undefined) await writeFile(path, bytes(old));
  const fresh = bytes(backlog(task("T9")));
  expect(await begin(() => fresh)).toMatchObject({ ok: true, value: { written: true } });
  expect(await readFile(path)).toEqual(Buffer.from(fresh));
  const names = await copies();
  expect(names).toHaveLength(copied);
  for (const name of names) expect(await readFile(join(folder, name))).toEqual(Buffer.from(bytes(old)));
});

test("begin does not write without bytes, without a difference, or an invalid file", async () => {
  const old = bytes(backlog(task("T1")));
  await writeFile(path, old);
  expect(await begin(() => undefined)).toMatchObject({
    ok: true,
    value: { written: false, found: { kind: "ok" } },
  });
  expect(await begin(() => old)).toMatchObject({ ok: true, value: { written: false } });
  expect(await begin(() => bytes("{}"))).toMatchObject({ ok: false, error: { kind: "invalid" } });
  expect(await begin(() => bytes({ ...EMPTY, tasks: [{ id: "T1" }] }))).toMatchObject({ ok: false });
  expect([await readFile(path), await copies()]).toEqual([Buffer.from(old), []]);
});
