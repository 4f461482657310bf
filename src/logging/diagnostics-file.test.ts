// The diagnostics file of a run: its contents, and that a full disk does not stop the run.
import { expect, test } from "vitest";
import type { AppendFile } from "../system/ports.js";
import { nodePorts } from "../system/processes/node-ports.js";
import { openDiagnosticsFile } from "./diagnostics-file.js";

const real = nodePorts();

/** Opens a diagnostics file on a disk with `room` free bytes. */
async function open(room: number, level: "info" | "debug" = "info") {
  let text = "";
  const file: AppendFile = {
    append: (content) => {
      if (text.length + content.length > room) return Promise.reject(new Error("ENOSPC"));
      text += String(content);
      return Promise.resolve();
    },
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
    size: () => text.length,
  };
  const ports = {
    clock: { ...real.clock, now: () => Date.UTC(2026, 0, 31) },
    files: { ...real.files, openAppend: () => Promise.resolve(file) },
  };
  const redact = (line: string): string => line.replaceAll("secret", "[redacted]");
  const log = await openDiagnosticsFile(ports, "/run", { level, redact });
  return { log, text: () => text };
}

test("a line has its level, its time, its facts and its message, and no secret", async () => {
  const { log, text } = await open(1000);
  log.write({ level: "warn", message: 'a "secret" key', facts: { type: "warning", task_id: undefined } });
  log.write({ level: "debug", message: "not wanted" });
  await log.close();
  expect(text()).toBe(
    '{"level":"warn","time":"2026-01-31T00:00:00.000Z","type":"warning","msg":"a \\"[redacted]\\" key"}\n',
  );
});

test("a full disk ends the file, and writing to it does not fail", async () => {
  const { log, text } = await open(100);
  for (const message of ["one", "two", "three"]) {
    log.write({ level: "info", message });
    await Promise.resolve();
  }
  await log.close();
  expect(text().split("\n")).toEqual([expect.stringContaining("one"), ""]);
});
