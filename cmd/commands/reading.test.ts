// The commands that only read, in a project of their own. The run itself is told by the stories.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UserError } from "../../src/system/errors.js";
import { LsAnswer, ValidateAnswer } from "../../src/ui/shapes/backlog.js";
import { DoctorAnswer } from "../../src/ui/shapes/project.js";
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

const call = (...words: string[]) => callIn(contextIn(root, { PATH: process.env["PATH"] ?? "" }), ...words);

const TASKS = [
  { id: "T10", title: "last", priority: 3, status: "todo", depends_on: ["T2", "T1"] },
  { id: "T2", title: "second \u001b[31mred", priority: 3, status: "todo", tags: ["ui"] },
  { id: "T1", title: "first", priority: 1, status: "done" },
  { id: "T3", title: "stuck", priority: 1, status: "blocked" },
];

function writeBacklog(tasks: unknown[] = TASKS): void {
  write("to-do.json", { schema_version: 1, source_files: [], tasks });
}

const RUN = "2026-01-02_03-04-05";
const OLDER = "2025-12-31_23-59-59";

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

test("ls groups the tasks, each group in the order they are taken, and says what each waits for", async () => {
  writeBacklog();
  const { end, out } = await call("ls");
  expect(end).toBe("ok");
  expect(out.split("\n")).toEqual([
    "todo (2)",
    "  T2   p3  second red",
    "  T10  p3  last  waits for T2",
    "blocked (1)",
    "  T3   p1  stuck",
    "done (1)",
    "  T1   p1  first  unverified",
    "",
  ]);
});

test.each([
  [["todo"], ["T2", "T10"]],
  [["--status=done"], ["T1"]],
  [["--tag=ui"], ["T2"]],
  [["--ready"], ["T2", "T3"]],
  [["to-do.json"], ["T2", "T10", "T3", "T1"]],
  [["blocked", "to-do.json"], ["T3"]],
])("ls %j", async (words, ids) => {
  writeBacklog();
  const { out } = await call("ls", ...words, "--json");
  const answer = LsAnswer.parse(JSON.parse(out));
  expect(answer.tasks.map(({ id }) => id)).toEqual(ids);
  expect(answer.file).toBe(path.join(root, "project", "to-do.json"));
});

test("ls --json adds to each task whether it is ready and what it waits for", async () => {
  writeBacklog();
  const { tasks } = LsAnswer.parse(JSON.parse((await call("ls", "--json")).out));
  expect(tasks.map(({ id, ready, waits_for: waits }) => [id, ready, waits])).toEqual([
    ["T2", true, []],
    ["T10", false, ["T2"]],
    ["T3", true, []],
    ["T1", false, []],
  ]);
});

test("ls --json has the evidence of a verified task by the newest log; ls itself does not read it", async () => {
  const [, , first] = TASKS;
  writeBacklog([
    { ...first, meta: { verdict: "verified" } },
    { ...first, id: "T4", meta: { verdict: "unbroken" } },
  ]);
  const project = path.join(root, "project");
  const turned = { fail_to_pass: [{ command: "npm test", name: "adds" }], new_tests: [] };
  const gate = { type: "gate_finished", job: 1, phase: "iteration", iteration: 1, agent: "a", attempt: 1 };
  const report = { cold: true, commands: [], tampered: [], evidence: "", warnings: [], duration_ms: 1 };
  writeLog(RUN, [
    { type: "run_started", project, todo_file: path.join(project, "to-do.json") },
    { ...gate, ...report, task_id: "T1", verdict: "passed", proof: { ...turned, pass_to_pass: 1 } },
    { ...gate, ...report, task_id: "T4", verdict: "unbroken", because: "nothing-changed" },
  ]);
  const { tasks } = LsAnswer.parse(JSON.parse((await call("ls", "--json")).out));
  expect(tasks).toMatchObject([
    { id: "T1", verdict: "verified", verified: true, evidence: turned, because: null },
    { id: "T4", verdict: "unbroken", verified: false, evidence: null, because: "nothing-changed" },
  ]);
  expect((await call("ls")).out.split("\n")).toEqual([
    ...["done (2, 1 unbroken)", "  T1  p1  first", "  T4  p1  first  unbroken: nothing was changed", ""],
  ]);
});

test("ls and doctor find the problems that validate finds: unknown agents, the user's own schema", async () => {
  writeBacklog([{ ...TASKS[2], agent: "cluade" }]);
  const listed = await call("ls", "to-do.json");
  expect(listed.end).toBe("no");
  expect(listed.err).toBe("looper: to-do.json has 1 problem: looper validate to-do.json shows them\n");
  expect((await call("ls")).err).toContain(": looper validate shows them");
  expect((await call("doctor")).out).toContain("✗ backlog");
  writeBacklog();
  expect((await call("ls")).end).toBe("ok");
  write("named.json", { required: ["project"] });
  write(".looper/config.json", { schema_file: "named.json" });
  expect(await call("ls")).toMatchObject({ end: "no", err: expect.stringContaining("1 problem") as unknown });
  expect((await call("doctor")).out).toMatch(/✗ backlog +to-do\.json has 1 problem/);
  write("named.json", "{");
  await expect(call("ls")).rejects.toMatchObject({ kind: "usage" });
});

test("ls says in which order its words come", async () => {
  writeBacklog();
  await expect(call("ls", "to-do.json", "todo")).rejects.toMatchObject({
    kind: "usage",
    message: "the status comes before the file",
    hint: "looper ls todo to-do.json",
  });
});

test("a file called like a status is the file", async () => {
  writeBacklog();
  write("done", { schema_version: 1, source_files: [], tasks: [] });
  expect(await call("ls", "done")).toMatchObject({ end: "ok", out: "no tasks\n" });
});

test("ls shows what is readable of a broken file, and is a no", async () => {
  writeBacklog([...TASKS.slice(1), { id: "T9" }]);
  const { end, out, err } = await call("ls", "--json");
  expect(end).toBe("no");
  expect(LsAnswer.parse(JSON.parse(out)).tasks).toHaveLength(3);
  expect(err).toContain("looper validate");
});

test.each<[string, string[], string]>([
  ["ls", [], "no task file"],
  ["ls", ["tdo"], "tdo is neither a status nor an existing file"],
  ["ls", ["."], "is a folder, not a file"],
  ["validate", ["nowhere.json"], "no task file"],
  ["validate", ["."], "is a folder, not a file"],
  ["tail", ["-n", "x"], "-n is x"],
  ["replay", ["--at=0"], "--at is 0"],
])("an impossible request is a usage error", async (command, words, message) => {
  const failing = call(command, ...words);
  await expect(failing).rejects.toThrow(message);
  await expect(failing).rejects.toMatchObject({ kind: "usage" });
});

test("a symlink to nothing is called that", async () => {
  symlinkSync("gone.json", path.join(root, "project", "to-do.json"));
  for (const command of ["ls", "validate"])
    await expect(call(command)).rejects.toHaveProperty(
      "hint",
      expect.stringMatching(/symlink.*does not exist/),
    );
});

test("the place of a problem that is nested deeply is cut", async () => {
  write("to-do.json", "[".repeat(900) + "]".repeat(900));
  const { out } = await call("validate");
  expect(out).toContain("nested more than");
  for (const line of out.split("\n")) expect(line.length).toBeLessThan(200);
});

test("validate says every problem with its place, and is a no", async () => {
  writeBacklog([{ ...TASKS[1], priority: 9, depends_on: ["T1"] }]);
  const plain = await call("validate");
  expect(plain.end).toBe("no");
  expect(plain.out).toMatch(
    /^to-do\.json:1:\d+ priority must be 5 or less; it is 9 \(bad-value at \/tasks\/0\/priority\)\n/,
  );
  expect(plain.out).toMatch(/\n2 problems in to-do\.json\n$/);
  const answer = ValidateAnswer.parse(JSON.parse((await call("validate", "--json")).out));
  expect(answer.ok).toBe(false);
  expect(answer.problems.map(({ rule }) => rule).sort()).toEqual(["bad-value", "unknown-dependency"]);
});

test("validate takes another schema as well, from the flag and from the settings", async () => {
  writeBacklog();
  expect(await call("validate")).toMatchObject({ end: "ok", out: "to-do.json is valid: 4 tasks\n" });
  write("few.json", { properties: { tasks: { maxItems: 2 } } });
  write("named.json", { required: ["project"] });
  expect(await call("validate", "--schema=few.json")).toMatchObject({ end: "no" });
  write(".looper/config.json", { schema_file: "named.json" });
  const both = await call("validate", "--schema=few.json", "--json");
  expect(ValidateAnswer.parse(JSON.parse(both.out)).problems).toHaveLength(2);
});

test("validate knows the agents a task may name", async () => {
  writeBacklog([{ ...TASKS[2], agent: "cluade" }]);
  expect((await call("validate")).out).toContain('did you mean "claude"?');
});

const EVENTS = [
  { type: "message", role: "assistant", content: "one\nline\u001b[2J", task_id: "T1", agent: "claude" },
  { type: "command", command: "npm test", exit_code: 1, task_id: "T1", agent: "claude" },
  { type: "message", role: "assistant", content: "two", task_id: "T2", agent: "codex" },
  { type: "brand_new", answer: 42 },
];

test("tail shows each event in one line, exactly as many as were asked for, a torn one left out", async () => {
  writeBacklog();
  writeLog(RUN, EVENTS);
  expect((await call("tail")).out.split("\n")).toEqual([
    "03:04:05 message           T1 claude  one line",
    "03:04:06 command           T1 claude  npm test → exit 1",
    "03:04:07 message           T2 codex  two",
    '03:04:08 brand_new         {"answer":42}',
    "",
  ]);
  for (const n of [0, 1, 3, 4, 99]) {
    const { out } = await call("tail", "-n", String(n), "--raw");
    expect(out.split("\n").length - 1).toBe(Math.min(n, EVENTS.length));
  }
});

test("tail --task and --type choose, before -n counts", async () => {
  writeBacklog();
  writeLog(RUN, EVENTS);
  expect((await call("tail", "--task=T1", "-n", "1")).out).toContain("npm test");
  expect((await call("tail", "--type=message", "--task=T2")).out.trim().split("\n")).toHaveLength(1);
  expect((await call("tail", RUN, "--type=message", "--json")).out.trim().split("\n")).toHaveLength(2);
});

test("tail -f of a run that is over, named, ends with it", async () => {
  writeBacklog();
  writeLog(RUN, [...EVENTS, { type: "run_ended", ending: "complete" }]);
  expect((await call("tail", RUN, "--follow", "-n", "1")).out).toBe("03:04:09 run_ended         complete\n");
});

test("tail -f follows new events and the next run", async () => {
  writeBacklog();
  writeLog(RUN, EVENTS);
  const started = contextIn(root);
  const { context } = started;
  const clock = context.ports.clock;
  let naps = 0;
  const gone = new Error("the reader is gone");
  const sleep = (): Promise<void> => {
    naps++;
    if (naps === 1) writeLog(RUN, [...EVENTS, { type: "run_ended", ending: "limit" }]);
    if (naps === 2) writeLog("2026-01-02_03-04-05-2", [{ type: "warning", message: "the next run" }]);
    return naps < 4 ? Promise.resolve() : Promise.reject(gone);
  };
  // Each nap is long enough to look again without a report of the system.
  const monotonic = (): number => naps * 10_000;
  const watching = { ...context, ports: { ...context.ports, clock: { ...clock, sleep, monotonic } } };
  await expect(typeLine(watching, "tail", "--follow", "-n", "0")).rejects.toBe(gone);
  expect(started.out().split("\n")).toEqual([
    "03:04:09 run_ended         limit",
    "03:04:05 warning           the next run",
    "",
  ]);
});

test("tail -f shows every new run, also after the followed one is removed", async () => {
  writeBacklog();
  writeLog(OLDER, [{ type: "warning", message: "long ago" }]);
  writeLog(RUN, EVENTS);
  const started = contextIn(root);
  const { context } = started;
  let naps = 0;
  const gone = new Error("the reader is gone");
  const sleep = (): Promise<void> => {
    naps++;
    if (naps === 1) rmSync(path.join(root, "project/looper-logs/runs", RUN), { recursive: true });
    if (naps === 3)
      for (const n of [2, 3]) writeLog(`${RUN}-${n}`, [{ type: "warning", message: `run ${n}` }]);
    return naps < 5 ? Promise.resolve() : Promise.reject(gone);
  };
  const clock = { ...context.ports.clock, sleep, monotonic: () => naps * 10_000 };
  const watching = { ...context, ports: { ...context.ports, clock } };
  await expect(typeLine(watching, "tail", "--follow", "-n", "0")).rejects.toBe(gone);
  expect(started.out()).toBe("03:04:05 warning           run 2\n03:04:05 warning           run 3\n");
  writeLog(RUN, EVENTS);
  naps = 0;
  expect(await typeLine(watching, "tail", RUN, "--follow", "-n", "0")).toBe("ok");
  expect(started.err()).toContain(`the log of run ${RUN} was removed`);
});

test("a run may be named by the beginning of its id, where only one has it; a type that no event has is refused", async () => {
  writeBacklog();
  writeLog(OLDER, EVENTS);
  writeLog(RUN, EVENTS);
  expect((await call("tail", RUN.slice(0, -1), "--raw", "-n", "1")).out).toContain("brand_new");
  await expect(call("tail", "202")).rejects.toThrow(`202 may be ${RUN}, ${OLDER}`);
  await expect(call("tail", "")).rejects.toMatchObject({ kind: "usage" });
  await expect(call("tail", "--type=mesage")).rejects.toMatchObject({ hint: "did you mean message?" });
});

test("without any run the answer is no; a run that is not there is a slip of the finger", async () => {
  writeBacklog();
  await expect(call("tail")).rejects.toMatchObject({ kind: "no" });
  await expect(call("replay")).rejects.toMatchObject({ kind: "no" });
  await expect(call("tail", "nope")).rejects.toMatchObject({ kind: "usage" });
  await expect(call("replay", "nope")).rejects.toMatchObject({ kind: "usage" });
  writeLog(RUN, EVENTS);
  await expect(call("tail", "2026-01-02_03-04-06")).rejects.toMatchObject({
    kind: "usage",
    hint: `did you mean ${RUN}?`,
  });
});

test("doctor looks at everything, and starts nothing the project names", async () => {
  writeBacklog();
  write("agent.sh", "#!/bin/sh\ntouch started\n");
  const script = path.join(root, "project", "agent.sh");
  chmodSync(script, 0o755);
  write(".looper/config.json", {
    schedule: { agent: "mine" },
    agents: {
      other: { kind: "command", binary: "./agent.sh" },
      mine: { kind: "command", binary: "./missing" },
      spare: { kind: "command", binary: "./gone" },
    },
    roles: { review: "other" },
  });
  const { end, out } = await call("doctor", "--json");
  expect(end).toBe("no");
  const { ok, checks } = DoctorAnswer.parse(JSON.parse(out));
  const statuses = Object.fromEntries(checks.map(({ name, status }) => [name, status]));
  expect(ok).toBe(false);
  expect(statuses).toMatchObject({
    node: "ok",
    config: "ok",
    "agent mine": "error",
    "agent other": "ok",
    "agent spare": "warning",
    backlog: "ok",
    "log folder": "ok",
    lock: "ok",
    leftovers: "ok",
  });
  expect(existsSync(path.join(root, "project", "started"))).toBe(false);
  expect(checks.filter(({ status, remedy }) => status !== "ok" && remedy === undefined)).toEqual([]);
});

test("doctor reports settings that are wrong instead of stopping at them", async () => {
  write(".looper/config.json", { looop: {} });
  const { end, out } = await call("doctor");
  expect(end).toBe("no");
  expect(out).toContain("✗ config");
  expect(out).toContain("did you mean loop?");
});

test("doctor --fix removes a lock whose owner is gone, and no other", async () => {
  writeBacklog();
  const { context } = contextIn(root);
  const self = await context.ports.processes.identity();
  const owner = { token: "0123456789abcdef", ...self, since: "2026-01-02T03:04:05.000Z", run: RUN };
  write(".looper/lock/to-do.json.run", { ...owner, boot: "another boot" });
  write(".looper/lock/tree.run", owner);
  const lockOf = async (...words: string[]) =>
    DoctorAnswer.parse(JSON.parse((await call("doctor", "--json", ...words)).out))
      .checks.filter(({ name }) => name === "lock")
      .map(({ status }) => status);
  expect(await lockOf()).toEqual(["warning", "ok"]);
  expect((await call("doctor")).out).toMatch(/! lock +backlog to-do\.json: .+\n.+\n✓ lock +tree: held/);
  expect(await lockOf("--fix")).toEqual(["ok", "ok"]);
  expect(await context.ports.files.list(path.join(root, "project", ".looper", "lock"))).toEqual(["tree.run"]);
});

test("every error of a command says what to do", async () => {
  const error = await call("validate", "nowhere.json").then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  expect(error).toHaveProperty("hint", expect.stringMatching(/\S/));
});
