import { mkdtemp, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { digest } from "../../system/text/digest.js";
import { acquireLock } from "../../system/files/lock.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { openStore } from "./store.js";
import { backlog, task } from "../testing/testing.js";

const ports = nodePorts();

test("the remains of a killed process's lock are removed when the store tidies, and the task file stays", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tidy-")));
  const path = join(folder, "to-do.json");
  const text = JSON.stringify(backlog(task("T1")));
  await writeFile(path, text);
  const lockFolder = join(folder, "lock");
  const lock = join(lockFolder, `backlog-${digest([path])}`);
  const taken = await acquireLock(ports, lock, {}, { waitMs: 0 });
  if ("heldBy" in taken) throw new Error("nobody holds it");
  const gone = {
    ...JSON.parse(await readFile(lock, "utf8")),
    pid: 4_000_000,
    token: "0123456789abcdef",
  } as object;
  await taken.held.release();
  await writeFile(lock, JSON.stringify(gone));
  await writeFile(join(lockFolder, `.${basename(lock)}.0123456789ab.tmp`), "{");
  await openStore(ports, path, { lockFolder }).tidy();
  expect(await readdir(lockFolder)).toEqual([]);
  expect(await readFile(path, "utf8")).toBe(text);
});
