// How often an iteration reads and writes a large file as a whole.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { Files } from "../../system/ports.js";
import type { Change } from "../model/changes/change.js";
import { openStore, type Store } from "./store.js";
import { backlog, id, task } from "../testing/testing.js";

const RULES = { while: "idle", finished: new Set<never>() } as const;
const FINISH: Change = { op: "finish", id: id("T1"), result: "ok", files: [], verdict: "unverified" };

/** Counts what is done to the whole file; `later`: so many ms the file system takes to put a file in its place. */
function counted(files: Files, file: string, later: number): { files: Files; done: string[] } {
  const done: string[] = [];
  const isIt = (path: string): boolean => path === file;
  return {
    done,
    files: {
      ...files,
      read: (path) => {
        if (isIt(path)) done.push("read");
        return files.read(path);
      },
      writeAtomic: (path, ...rest) => {
        if (isIt(path)) done.push("write");
        return files.writeAtomic(path, ...rest);
      },
      stat: async (...args) => {
        const stat = await files.stat(...args);
        return stat && { ...stat, ctimeMs: stat.mtimeMs + later };
      },
    },
  };
}

async function largeFile(later: number): Promise<{ store: Store; file: string; done: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "large-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "to-do.json");
  const tasks = Array.from({ length: 3_000 }, (_, n) => task(`T${n}`, { details: "é".repeat(200) }));
  await writeFile(file, JSON.stringify(backlog(...tasks), null, 2));
  const ports = nodePorts();
  const { files, done } = counted(ports.files, file, later);
  return { store: openStore({ ...ports, files }, file, { lockFolder: join(folder, "lock") }), file, done };
}

test("a large file that no other process wrote is not read again", async () => {
  const { store, file, done } = await largeFile(50);
  await store.read();
  await store.change([{ op: "claim", id: id("T1"), expect: "todo" }], RULES);
  done.length = 0;
  await store.change([], RULES);
  await store.change([FINISH], RULES);
  await store.change([{ op: "claim", id: id("T2"), expect: "todo" }], RULES);
  expect(done).toEqual(["write", "write"]);
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace("Title of T5", "Title by me"));
  const seen = await store.change([], RULES);
  expect(seen).toMatchObject({ ok: true, value: { edits: { changed: ["T5"] }, saved: true } });
  expect(done).toEqual(["write", "write", "read"]);
});

test("the file is read if its stamp would not show a write in the same tick", async () => {
  const { store, file, done } = await largeFile(19);
  await store.change([{ op: "claim", id: id("T1"), expect: "todo" }], RULES);
  done.length = 0;
  await store.change([], RULES);
  await writeFile(file, (await readFile(file, "utf8")).replace("Title of T5", "Title by me"));
  expect(await store.change([FINISH], RULES)).toMatchObject({ value: { edits: { changed: ["T5"] } } });
  expect(done.slice(0, 2)).toEqual(["read", "read"]);
});
