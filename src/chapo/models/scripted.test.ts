// Tests the scripted model with requests as the engine sends them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { ModelRequest } from "../model.js";
import { openModel } from "./open-model.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function play(script: unknown, env: Record<string, string> = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "script-"));
  folders.push(folder);
  const file = path.join(folder, "play.json");
  writeFileSync(file, typeof script === "string" ? script : JSON.stringify(script));
  const settings = { model: "scripted", fallback: [], script: file, stream: true, maxToolRetries: 3 };
  const prices = { script: { input: 1_000_000, cached_input: 1, output: 2_000_000 } };
  return openModel({ ...settings, prices }, { ...nodePorts(), env });
}

function request(who: string, turn: number, more: Partial<ModelRequest> = {}): ModelRequest {
  const { signal } = new AbortController();
  return { who, turn, system: "", messages: [], tools: [], signal, ...more };
}

async function textOf(asked: Promise<Awaited<ReturnType<Awaited<ReturnType<typeof play>>["ask"]>>>) {
  const answer = await asked;
  return "reply" in answer ? answer.reply.text : `${answer.failure.reason}: ${answer.failure.message}`;
}

test("each turn gets the entry of its number, an entry may answer several turns, and a turn after the end fails", async () => {
  const model = await play({
    turns: [{ say: "a" }, { say: "b", times: 2 }, { call: { name: "fs_readFile", args: { path: "x" } } }],
  });
  const texts = [0, 1, 2].map((turn) => textOf(model.ask(request("looper", turn))));
  expect(await Promise.all(texts)).toEqual(["a", "b", "b"]);
  expect(await model.ask(request("looper", 3))).toEqual({
    reply: {
      text: "",
      calls: [{ id: "call_looper_4_1", name: "fs_readFile", args: { path: "x" } }],
      finish: "calls",
      model: "scripted/script",
    },
  });
  expect(await textOf(model.ask(request("looper", 4)))).toBe(
    'bad-request: scripted/script: "turns" has no entry for turn 5: it ends after 4 in play.json',
  );
});

test("tasks, sub-agents, validation, summary and compaction have lists of their own", async () => {
  const script = {
    tasks: { T1: [{ say: "one" }], "T1#2": [{ say: "again" }] },
    default: [{ say: "other" }],
    turns: [{ say: "talk" }],
    agents: { explore: [{ say: "found" }] },
  };
  expect(await textOf((await play(script, { LOOPER_TASK_ID: "T1" })).ask(request("looper", 0)))).toBe("one");
  for (const [attempt, text] of [
    ["1", "one"],
    ["2", "again"],
    ["3", "one"],
  ] as const) {
    const model = await play(script, { LOOPER_TASK_ID: "T1", LOOPER_ATTEMPT: attempt });
    expect(await textOf(model.ask(request("looper", 0)))).toBe(text);
  }
  expect(await textOf((await play(script, { LOOPER_TASK_ID: "toString" })).ask(request("looper", 0)))).toBe(
    "other",
  );
  const model = await play(script);
  expect(await textOf(model.ask(request("looper", 0)))).toBe("talk");
  expect(await textOf(model.ask(request("explore", 0)))).toBe("found");
  expect(await textOf(model.ask(request("plan", 0)))).toMatch(/"agents.plan" is missing in play.json/);
  expect(JSON.parse(await textOf(model.ask(request("validation", 7))))).toEqual({
    isComplete: true,
    confidence: 0.9,
    issues: [],
  });
  for (const who of ["summary", "compaction"])
    expect(await textOf(model.ask(request(who, 3)))).toMatch(/what is done/);
});

test("a turn succeeds after its scripted failures, with the waits reported and its usage priced", async () => {
  const usage = { input: 3, output: 2, cached: 1 };
  const model = await play({ turns: [{ fail: ["rate-limited", "network"], say: "a long answer", usage }] });
  const waits: string[] = [];
  const pieces: string[] = [];
  const answer = await model.ask(
    request("looper", 0, { onWait: ({ why }) => waits.push(why), onText: (text) => pieces.push(text) }),
  );
  expect(answer).toMatchObject({
    reply: { text: "a long answer", usage: { ...usage, cacheWrite: 0 }, costUsd: 7.000001 },
  });
  expect(waits).toEqual([
    "scripted/script: rate-limited, as scripted in play.json",
    "scripted/script: network, as scripted in play.json",
  ]);
  expect(pieces.join("")).toBe("a long answer");
});

test("an entry without an answer always fails, and calls, a cut answer and arguments that are not an object stay unchanged", async () => {
  const model = await play({
    turns: [
      { fail: "overloaded" },
      { fail: "context-full" },
      { call: [{ name: "a", args: "{broken" }, { name: "b" }], cut: true },
    ],
  });
  expect(await textOf(model.ask(request("looper", 0)))).toMatch(/^overloaded/);
  expect(await textOf(model.ask(request("looper", 1)))).toMatch(/^context-full/);
  expect(await model.ask(request("looper", 2))).toMatchObject({
    reply: {
      finish: "cut",
      calls: [
        { name: "a", args: "{broken" },
        { name: "b", args: {} },
      ],
    },
  });
});

test("a delay ends when the request is aborted", async () => {
  const model = await play({ turns: [{ say: "late", delay_ms: 3_600_000 }] });
  const stop = new AbortController();
  const asked = model.ask(request("looper", 0, { signal: stop.signal }));
  stop.abort();
  expect(await textOf(asked)).toBe("interrupted: scripted/script: interrupted");
});

test.each([
  ["{", /play\.json: not JSON/],
  [{ turns: [{ sya: "a" }] }, /play\.json is not valid at turns\.0: .*sya/],
  [{ turns: [{ times: 0 }] }, /at turns\.0\.times/],
  [{ tasks: { T1: [{ fail: "sometimes" }] } }, /at tasks\.T1\.0\.fail/],
])("an invalid script is reported with the place: %j", async (script, problem) => {
  await expect(play(script)).rejects.toThrow(problem);
});

test("a missing script setting and a missing file are errors", async () => {
  const settings = { model: "scripted/x", fallback: [], stream: false, maxToolRetries: 0 };
  const deps = { ...nodePorts(), env: {} };
  await expect(openModel(settings, deps)).rejects.toThrow(
    "cannot open scripted/x: its script file is not set",
  );
  await expect(openModel({ ...settings, script: "/nowhere/x.json" }, deps)).rejects.toThrow("does not exist");
});
