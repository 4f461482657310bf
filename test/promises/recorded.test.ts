// Runs of earlier versions, in test/recorded: each must be decided today as it was then. A difference that is wanted is
// blessed with `UPDATE_RECORDED=1 npx vitest run test/promises/recorded.test.ts`, and read in review like any other change.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readRecorded, RECORDED, RECORDED_RUNS, unpackRecorded } from "../rig/recorded.js";
import { replayRun } from "../../src/loop/replay/replay.js";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import { decideAgain, type DecidedAgain } from "../rig/decide-again.js";

const BLESS = process.env["UPDATE_RECORDED"] === "1";

/** Unpacks a recorded run into a temporary folder while `use` runs. */
async function withRun<T>(text: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), "looper-recorded-"));
  try {
    unpackRecorded(text, folder);
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const decided = (text: string): Promise<DecidedAgain> => withRun(text, decideAgain);

/** The same run with other lines of the log. */
function withLines(text: string, lines: readonly string[]): string {
  const before = text.split("\n").filter((line) => line !== "" && !line.startsWith('{"seq":'));
  return [...before, ...lines].map((line) => `${line}\n`).join("");
}

describe("recorded runs", () => {
  test.each(RECORDED_RUNS)("%s is decided today as it was then", async (name) => {
    const text = readRecorded(name);
    const { lines, differences } = await decided(text);
    if (BLESS && differences.length > 0) writeFileSync(path.join(RECORDED, name), withLines(text, lines));
    else expect(differences.join("\n\n")).toBe("");
    const replayed = await withRun(readRecorded(name), (folder) => replayRun(nodePorts(), folder));
    expect(replayed).toMatchObject({ decisions: expect.any(Number) as number });
  });

  test("there are some of each kind", () => {
    const all = RECORDED_RUNS.map(readRecorded).join("");
    expect(RECORDED_RUNS.length).toBeGreaterThanOrEqual(6);
    for (const said of [
      "attempt_failed",
      "gate_finished",
      "run_interrupted",
      "took_over",
      "restored",
      "reviewed",
    ])
      expect(all).toContain(said);
  });

  test("another decision is shown, and blessing writes what is decided now", async () => {
    const text = readRecorded("plain.jsonl");
    const other = text
      .replace('"rule":"select-todo"', '"rule":"select-chance"')
      .replace('"claim","id":"T2"', '"claim","id":"T3"');
    expect(other).not.toBe(text);
    const { lines, differences } = await decided(other);
    expect(differences.join("\n")).toMatch(/^line \d+:\nthen: .*"T3".*\nnow: {2}.*"T2"/m);
    expect(withLines(other, lines)).toBe(text);
  });

  test("a run that cannot be followed any more is cut off there", async () => {
    const text = readRecorded("plain.jsonl");
    const lines = text.split("\n").filter((line) => !line.includes('"type":"checkpoint"'));
    const again = await decided(lines.join("\n"));
    expect(again.differences.at(-1)).toMatch(/^line \d+: .*nothing after it can be compared$/);
    expect(again.lines.length).toBeLessThan(lines.length / 2);
    const unknown = await decided(text.replace('"git":true', '"git":"yes"'));
    expect(unknown.lines).toEqual([]);
    expect(unknown.differences.join("")).toMatch(/^line 1: its run_started cannot be read any more/);
  });
});
