import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunsAnswer } from "../../src/ui/shapes/runs.js";
import { callIn, contextIn } from "../testing/testing.js";

let root = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "runs-"));
  for (const name of ["project", "home"]) mkdirSync(path.join(root, name));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

interface Line {
  type: string;
  timestamp: string;
  [more: string]: unknown;
}

function log(run: string, lines: readonly Line[], between = ""): void {
  const folder = path.join(root, "project/looper-logs/runs", run);
  mkdirSync(folder, { recursive: true });
  const texts = lines.map((line, at) => `${JSON.stringify({ seq: at + 1, ...line })}\n`);
  writeFileSync(path.join(folder, "events.jsonl"), texts.join(between));
}

const started = (at: string): Line => ({ type: "run_started", timestamp: `2026-01-02T${at}.000Z` });
const ended = (at: string, totals: Record<string, number>): Line => ({
  type: "run_ended",
  timestamp: `2026-01-02T${at}.000Z`,
  ending: "blocked",
  totals: {
    done: 2,
    tasks: 3,
    iterations: 4,
    duration_ms: 65_000,
    input_tokens: 1000,
    output_tokens: 200,
    ...totals,
  },
});

async function ask(...words: string[]) {
  const { end, out } = await callIn(contextIn(root), "runs", ...words);
  expect(end).toBe("ok");
  return out;
}

const answer = async (): Promise<RunsAnswer["runs"]> =>
  RunsAnswer.parse(JSON.parse(await ask("--json"))).runs;

test("how each run ended, what it did and used; the newest first, whatever stands between both ends of its log", async () => {
  log("2026-01-02_03-00-00", [
    started("03:00:00"),
    ended("03:02:00", { cached_input_tokens: 300, cost_usd: 0.5 }),
  ]);
  const noise = `${JSON.stringify({ seq: 2, type: "message", timestamp: "x", content: "y".repeat(1000) })}\n`;
  log("2026-01-02_04-00-00", [started("04:00:00"), ended("04:01:00", {})], noise.repeat(600));
  expect((await answer()).map(({ folder: _folder, ...one }) => one)).toEqual([
    {
      ...{
        run: "2026-01-02_04-00-00",
        started: "2026-01-02T04:00:00.000Z",
        state: "ended",
        ending: "blocked",
      },
      ...{
        done: 2,
        tasks: 3,
        iterations: 4,
        duration_ms: 65_000,
        tokens: 1200,
        cost_usd: null,
        cost_partly: false,
      },
    },
    {
      ...{
        run: "2026-01-02_03-00-00",
        started: "2026-01-02T03:00:00.000Z",
        state: "ended",
        ending: "blocked",
      },
      ...{
        done: 2,
        tasks: 3,
        iterations: 4,
        duration_ms: 65_000,
        tokens: 1500,
        cost_usd: 0.5,
        cost_partly: false,
      },
    },
  ]);
  const [header = "", first = "", second = ""] = (await ask()).split("\n");
  expect(header.split(/ +/)).toEqual(["run", "started", "ending", "done", "took", "tokens", "cost"]);
  expect(first).toMatch(/^2026-01-02_04-00-00 .* blocked +2 of 3 +1m05s +1\.2k$/);
  expect(second).toMatch(/1\.5k +\$0\.50$/);
  expect((await ask("-n", "1")).split("\n")).toHaveLength(3);
});

test("a run that was killed, one that was killed before its first line, one with a torn end", async () => {
  log("2026-01-02_03-00-00", [
    started("03:00:00"),
    { type: "message", timestamp: "2026-01-02T03:00:09.000Z" },
  ]);
  log("2026-01-02_04-00-00", []);
  log("2026-01-02_05-00-00", [started("05:00:00")]);
  writeFileSync(
    path.join(root, "project/looper-logs/runs/2026-01-02_05-00-00/events.jsonl"),
    '{"seq":2,"ty',
    { flag: "a" },
  );
  mkdirSync(path.join(root, "project/looper-logs/runs/2026-01-02_06-00-00"));
  const told = (await answer()).map(({ started: at, state, ending, duration_ms: ms }) => [
    at,
    state,
    ending,
    ms,
  ]);
  expect(told).toEqual([
    [null, "killed", null, null],
    ["2026-01-02T05:00:00.000Z", "killed", null, 0],
    [null, "killed", null, null],
    ["2026-01-02T03:00:00.000Z", "killed", null, 9000],
  ]);
});

test("runs succeeds without any run, and refuses a count that is not a number", async () => {
  expect(await ask()).toBe("no runs yet\n");
  expect(await answer()).toEqual([]);
  await expect(ask("-n", "few")).rejects.toMatchObject({ kind: "usage" });
});

test("runs says that a run was refused when it ended before any work", async () => {
  const end = (ending: string, totals: Record<string, number>): Line => ({
    ...ended("03:00:01", { done: 0, tasks: 0, iterations: 0, input_tokens: 0, output_tokens: 0, ...totals }),
    ending,
  });
  log("2026-01-02_03-00-00", [started("03:00:00"), end("environment", {})]);
  log("2026-01-02_03-00-01", [started("03:00:00"), end("unusable-backlog", { input_tokens: 9 })]);
  log("2026-01-02_03-00-02", [started("03:00:00"), end("blocked", {})]);
  log("2026-01-02_03-00-03", [started("03:00:00"), end("complete", {})]);
  log("2026-01-02_03-00-04", [started("03:00:00"), end("blocked", { tasks: 1 })]);
  const [, ...lines] = (await ask()).trimEnd().split("\n");
  expect(lines.map((line) => line.trim().split(/ {2,}/).slice(2, -1).join(" "))).toEqual([
    "blocked 0 of 1",
    "complete",
    "blocked refused",
    "unusable-backlog 1m05s",
    "environment refused",
  ]);
});
