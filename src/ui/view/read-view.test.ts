import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Files } from "../../system/ports.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { readViews } from "./read-view.js";
import type { View } from "./view.js";

const ports = nodePorts();
const RECORDED = fileURLToPath(new URL("../../../test/recorded", import.meta.url));
/** In make proof after each line. */
const STEP = process.env["EXHAUSTIVE"] === undefined ? 4 : 1;
const RUN = "2026-11-20_00-00-00";

/** A log folder with one run in it, and the lines of its log. */
function unpacked(name: string): { logDir: string; log: string; lines: string[] } {
  const logDir = mkdtempSync(join(tmpdir(), "looper-views-"));
  const folder = join(logDir, "runs", RUN);
  mkdirSync(folder, { recursive: true });
  const log = join(folder, "events.jsonl");
  const lines = readFileSync(join(RECORDED, name), "utf8")
    .split("\n")
    .filter((line) => line.startsWith('{"seq":'));
  writeFileSync(log, `${lines.join("\n")}\n`);
  return { logDir, log, lines };
}

function todoFileOf(lines: readonly string[]): string {
  const file = (JSON.parse(lines[0] ?? "") as Record<string, unknown>)["todo_file"];
  return typeof file === "string" ? file : "";
}

/** The attempts of a task, without the current action. */
async function attempts(logDir: string, todoFile: string, task: string, only: boolean): Promise<unknown> {
  const found: unknown[] = [];
  for await (const { run, finished, current } of readViews(
    ports,
    { folder: logDir, logDir, todoFile },
    only ? task : undefined,
  )) {
    const { doing: _now, ...open } = current ?? { doing: "" };
    const over = finished.filter(({ taskId }) => taskId === task);
    const inHand = "taskId" in open && open.taskId === task;
    if (over.length > 0 || inHand) found.push([run, over, inHand ? open : undefined]);
  }
  return found;
}

test.each(readdirSync(RECORDED))(
  "%s: what tells of a task tells of its attempts all there is, wherever the log breaks off",
  async (name) => {
    const { logDir, log, lines } = unpacked(name);
    const todoFile = todoFileOf(lines);
    for (let count = 1; count <= lines.length; count += STEP) {
      writeFileSync(log, `${lines.slice(0, count).join("\n")}\n`);
      for (const task of ["T1", "T2", "T3"])
        expect(await attempts(logDir, todoFile, task, true)).toEqual(
          await attempts(logDir, todoFile, task, false),
        );
    }
  },
);

test("a log is read in pieces, however long", async () => {
  const { logDir, log, lines } = unpacked("plain.jsonl");
  const todoFile = todoFileOf(lines);
  const said = `{"seq":1,"timestamp":"t","type":"message","content":"${"x".repeat(100_000)}"}\n`;
  writeFileSync(log, `${lines.join("\n")}\n${said.repeat(50)}`);
  const reads: number[] = [];
  const readRange: Files["readRange"] = (file, from, length) => {
    reads.push(length);
    return ports.files.readRange(file, from, length);
  };
  const views: View[] = [];
  for await (const view of readViews(
    { files: { ...ports.files, readRange } },
    { folder: logDir, logDir, todoFile },
    "T1",
  ))
    views.push(view);
  expect(views).toMatchObject([{ todoFile, finished: [{ taskId: "T1" }] }]);
  expect(Math.max(...reads)).toBeLessThanOrEqual(1 << 20);
});

test("an attempt that was cut off lasted until the last line of the log, whatever that tells", async () => {
  const { logDir, log, lines } = unpacked(readdirSync(RECORDED)[0] ?? "");
  const started = lines.findIndex((line) => line.includes('"type":"agent_started"'));
  const begun = JSON.parse(lines[started] ?? "") as { seq: number; job: number; timestamp: string };
  const last = Date.parse(begun.timestamp) + 40_000;
  const said = {
    seq: begun.seq + 1,
    timestamp: new Date(last).toISOString(),
    type: "message",
    text: "Still here.",
  };
  const told = JSON.stringify({ ...begun, ...said });
  writeFileSync(log, `${[...lines.slice(0, started + 1), told].join("\n")}\n`);
  for await (const view of readViews(ports, { folder: logDir, logDir, todoFile: todoFileOf(lines) }))
    expect(view.at).toBe(last);
  expect.assertions(1);
});
