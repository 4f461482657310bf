import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodePorts } from "../system/processes/node-ports.js";
import type { Files } from "../system/ports.js";
import { createRunLog } from "./run-log.js";

const ports = nodePorts();

/** A log whose n-th append writes half of what it is given and fails. */
async function failingAt(n: number) {
  const folder = mkdtempSync(join(tmpdir(), "looper-log-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  let appends = 0;
  const openAppend: Files["openAppend"] = async (path, options) => {
    const file = await ports.files.openAppend(path, options);
    return {
      ...file,
      append: async (content) => {
        if (++appends !== n) return file.append(content);
        await file.append(content.slice(0, content.length / 2));
        throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      },
    };
  };
  const files = { ...ports.files, openAppend };
  const shown: number[] = [];
  const log = await createRunLog({ ...ports, files }, folder, {
    redact: (text) => text,
    onLine: ({ seq }) => shown.push(seq),
  });
  return { log, shown };
}

test("after a line that could not be written whole every append fails and writes nothing", async () => {
  const { log, shown } = await failingAt(2);
  const tell = (message: string) => log.tell({ type: "warning", message });
  // The third append begins before the second has failed.
  const told = await Promise.allSettled([tell("one"), tell("two"), tell("three")]);
  expect(told.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  await expect(tell("four")).rejects.toThrow(/cannot write the log in .*: ENOSPC/);
  await expect(log.sync()).rejects.toThrow(/ENOSPC/);
  await log.close();
  const lines = readFileSync(join(log.folder, "events.jsonl"), "utf8").split("\n");
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ seq: 1, message: "one" });
  expect(lines[1]).toMatch(/^\{"seq":2,/);
  expect(shown).toEqual([1]);
});
