import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ReplayAnswer, ReplayAtAnswer } from "../../src/ui/shapes/runs.js";
import { callIn, contextIn, typeLine } from "../testing/testing.js";

let root = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "reading-"));
  for (const name of ["project", "home"]) mkdirSync(path.join(root, name));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(name: string, content: unknown): void {
  const file = path.join(root, "project", name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

const call = (...words: string[]) =>
  callIn(contextIn(root, { PATH: process.env["PATH"] ?? "" }), "replay", ...words);

function writeBacklog(): void {
  write("to-do.json", { schema_version: 1, source_files: [], tasks: [] });
}

const RUN = "2026-01-02_03-04-05";

function writeLog(run: string, events: readonly Record<string, unknown>[]): void {
  const stamped = events.map((event, at) => ({
    seq: at + 1,
    timestamp: `2026-01-02T03:04:${String(5 + at).padStart(2, "0")}.000Z`,
    ...event,
  }));
  write(
    `looper-logs/runs/${run}/events.jsonl`,
    `${stamped.map((one) => JSON.stringify(one)).join("\n")}\n{"seq":`,
  );
}

const RULES = {
  ...{ max_iterations: 5, max_attempts: 2, max_reviews: 3, delay_ms: 0, workers: 1 },
  ...{ apply_summary: true, review: true, completion_marker: true, verify_from_agents: false },
  ...{ schedule: ["claude"], roles: {}, commit: "runner", bootstrap: "allowed" },
  hooks: { pre_iteration: [], post_iteration: [], on_blocked: [], on_run_end: [] },
};
const STARTED = {
  ...{
    type: "run_started",
    run: RUN,
    version: "0.0.0",
    project: "/p",
    todo_file: "/p/to-do.json",
    rules: RULES,
  },
  ...{ agents: [], git: false, warnings: [] },
};

test("replay compares, and explains one line", async () => {
  writeBacklog();
  writeLog(RUN, [STARTED, { type: "decided", of: 1, effects: [], because: { rule: "run-started" } }]);
  const same = await call("--json");
  expect(ReplayAnswer.parse(JSON.parse(same.out))).toEqual({ same: true, run: RUN, decisions: 1 });
  const at = ReplayAtAnswer.parse(JSON.parse((await call("--at=2", "--json")).out));
  expect(at).toMatchObject({ seq: 1, event: "run_started", because: { rule: "run-started" }, effects: [] });
  expect(at.state.phase).toBe("opening");
  writeLog(RUN, [STARTED, { type: "decided", of: 1, effects: [], because: { rule: "another" } }]);
  const differs = await call("--json");
  expect(differs.end).toBe("no");
  expect(ReplayAnswer.parse(JSON.parse(differs.out))).toMatchObject({ same: false, seq: 2 });
});

test("a log of another version and one of a release are refused", async () => {
  writeBacklog();
  writeLog(RUN, [{ ...STARTED, version: "1" }]);
  await expect(call()).rejects.toMatchObject({
    kind: "usage",
    message: `looper 1 made run ${RUN}, and this is 0.0.0: decisions may differ`,
  });
  writeLog(RUN, [{ ...STARTED, rules: { ...RULES, release: {} } }]);
  await expect(call()).rejects.toMatchObject({
    kind: "usage",
    message: `run ${RUN} is a release, which makes no decisions to repeat`,
  });
});

test("an event of another version, or one that cannot have come, is a difference and no bug", async () => {
  writeBacklog();
  const decided = { type: "decided", of: 1, effects: [], because: { rule: "run-started" } };
  writeLog(RUN, [{ ...STARTED, git: "perhaps" }, decided]);
  expect((await call()).out).toContain("then: an event run_started\nnow:  it cannot be read as one");
  writeLog(RUN, [STARTED, decided, { type: "backlog_read", digest: "x", tasks: 1, index: "index-1.json" }]);
  expect(await call()).toMatchObject({
    end: "no",
    out: expect.stringContaining("then: an event backlog_read") as string,
  });
  writeLog(RUN, [STARTED, decided, { ...STARTED }]);
  expect(await call()).toMatchObject({
    end: "no",
    out: expect.stringContaining("line 3 differs") as string,
  });
});

test("replay reports every line that is missing or broken", async () => {
  writeBacklog();
  const decided = { type: "decided", of: 1, effects: [], because: { rule: "run-started" } };
  writeLog(RUN, [STARTED, decided, { type: "message", content: "x", seq: 4 }]);
  const gap = await call("--json");
  expect(gap.end).toBe("no");
  expect(ReplayAnswer.parse(JSON.parse(gap.out))).toMatchObject({ same: false, seq: 3 });
  writeLog(RUN, [STARTED, decided, { type: "message", content: "x" }, { type: "message", content: "y" }]);
  const log = path.join(root, "project", "looper-logs/runs", RUN, "events.jsonl");
  const lines = readFileSync(log, "utf8").split("\n");
  writeFileSync(log, lines.with(2, "{garbage").join("\n"));
  expect((await call()).out).toContain("line 3 is missing or cannot be read");
  writeFileSync(log, lines.join("\n"));
  expect((await call()).end).toBe("ok");
});

test("replay has nothing to do with an empty log, and explains no line beyond the last", async () => {
  writeBacklog();
  writeLog(RUN, [STARTED]);
  await expect(call("--at=2")).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringContaining("its last is 1") as unknown,
  });
  for (const [text, ...words] of [[""], ["", "--at=1"], ['{"seq":1,']] as const) {
    write(`looper-logs/runs/${RUN}/events.jsonl`, text);
    await expect(call(...words)).rejects.toMatchObject({
      kind: "no",
      message: expect.stringContaining("nothing to replay") as unknown,
    });
  }
});

test.each(["", " \n"])("an idea of nothing (%j) is a slip of the finger", async (idea) => {
  await expect(typeLine(contextIn(root).context, "run", `--prompt=${idea}`)).rejects.toMatchObject({
    kind: "usage",
    message: "--prompt is empty",
  });
});

test("a task file that may not be read is a usage error for run as well", async () => {
  writeBacklog();
  const { context } = contextIn(root);
  const denied = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
  const files = { ...context.ports.files, readRange: () => Promise.reject(denied) };
  const refused = typeLine({ ...context, ports: { ...context.ports, files } }, "run");
  await expect(refused).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringContaining("cannot be read") as unknown,
  });
});
