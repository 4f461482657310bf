// The output people read about tasks and runs: without the completion marker, in local time, of this project's runs, with an
// agent's words.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { LsAnswer } from "../../src/ui/shapes/backlog.js";
import { LogsAnswer, RunsAnswer, ShowAnswer } from "../../src/ui/shapes/runs.js";
import { type Rig, story } from "../rig/rig.js";

const MARKER = {
  id: "PROJECT-DONE",
  title: "Every task is done",
  status: "done",
  priority: 5,
  tags: ["project-done"],
};

exhaustively(
  "the completion marker is not counted or listed as a task; JSON keeps it and names it",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1", status: "done" }, { id: "T2", status: "done" }, MARKER]);
    const list = await rig.run(["ls"]);
    expect(list.stdout).toBe(
      "done (2)\n  T1  p3  Do T1  unverified\n  T2  p3  Do T2  unverified\ncomplete\n",
    );
    expect((await rig.run(["ls", "todo"])).stdout).toBe("no such tasks\n");
    const { tasks } = LsAnswer.parse(JSON.parse((await rig.run(["ls", "--json"])).stdout));
    expect(tasks.map(({ id, marker }) => [id, marker])).toEqual([
      ["T1", undefined],
      ["T2", undefined],
      ["PROJECT-DONE", true],
    ]);
    const shown = ShowAnswer.parse(JSON.parse((await rig.run(["show", "PROJECT-DONE", "--json"])).stdout));
    expect(shown.task.marker).toBe(true);
    expect((await rig.run(["validate"])).stdout).toContain("is valid: 2 tasks");
    expect((await rig.run(["doctor"])).stdout).toContain("to-do.json: 2 tasks");
    expect((await rig.run(["status"])).stdout).toContain("2 of 2 tasks done");
    expect((await rig.run(["__complete", "zsh", "--", "show", ""])).stdout).not.toContain("PROJECT-DONE");
    // Work is left: the marker is still there, and says nothing true.
    rig.writeBacklog([{ id: "T1" }, MARKER]);
    expect((await rig.run(["ls"])).stdout).toBe("todo (1)\n  T1  p3  Do T1\n");
  }),
);

/** Logs that were made up cannot be replayed, which every story does at its end. */
function dropLogs(rig: Rig): void {
  rmSync(path.join(rig.project, "looper-logs"), { recursive: true });
}

/** A log as another run left it, which the reader has nothing but its lines of. */
function writeLog(folder: string, project: string, lines: readonly Record<string, unknown>[]): void {
  mkdirSync(folder, { recursive: true });
  const first = {
    type: "run_started",
    run: path.basename(folder),
    project,
    todo_file: `${project}/to-do.json`,
  };
  const whole = [first, ...lines].map((line, at) => ({
    seq: at + 1,
    timestamp: `2026-01-02T03:04:0${at}.000Z`,
    ...line,
  }));
  writeFileSync(path.join(folder, "events.jsonl"), whole.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const attempt = (job: number, more: Record<string, unknown>): Record<string, unknown> => ({
  ...{ job, iteration: job, phase: "iteration", task_id: "T1", agent: "fake", attempt: job },
  ...more,
});

test(
  "times are local on a terminal for people, and UTC in JSON",
  story(async (rig) => {
    const run = "2026-01-02_03-04-00";
    writeLog(path.join(rig.project, "looper-logs/runs", run), rig.project, [
      attempt(1, { type: "message", role: "assistant", content: "hello" }),
      { type: "waiting", reason: "rate-limited", agent: "fake", until: "2026-01-02T05:00:00.000Z" },
    ]);
    rig.writeBacklog([{ id: "T1" }]);
    const env = { TZ: "America/New_York" };
    const tail = (await rig.run(["tail"], { env })).stdout;
    expect(tail).toMatch(/^22:04:00 run_started /);
    expect(tail).toContain("until 2026-01-02 00:00:00: rate-limited");
    expect((await rig.run(["tail", "--raw"], { env })).stdout).toContain("2026-01-02T03:04:00.000Z");
    expect((await rig.run(["runs"], { env })).stdout).toContain(`${run}  2026-01-01 22:04:00  killed`);
    const { runs } = RunsAnswer.parse(JSON.parse((await rig.run(["runs", "--json"], { env })).stdout));
    expect(runs[0]?.started).toBe("2026-01-02T03:04:00.000Z");
    expect((await rig.run(["logs", "T1"], { env })).stdout).toContain(" 2026-01-01 22:04:01 ");
    const killed = await rig.run(["status"], { env });
    expect(killed.stdout).toMatch(/was killed after at least [12]\.0s; last event 2026-01-01 22:04:02 \(/);
    dropLogs(rig);
  }),
);

exhaustively(
  "projects that share a log folder each sees its own runs",
  story(async (rig) => {
    const logs = path.join(rig.root, "shared-logs");
    rig.settings({ log_dir: logs });
    rig.writeBacklog([{ id: "T1" }]);
    const [own, other] = ["2026-01-02_03-00-00", "2026-01-02_04-00-00"];
    const elsewhere = path.join(rig.root, "elsewhere");
    writeLog(path.join(logs, "runs", other), elsewhere, [{ type: "warning", message: "of another project" }]);
    expect((await rig.run(["runs"])).stdout).toBe("no runs yet\n");
    expect((await rig.run(["status"])).stdout).toMatch(/^no runs yet\n/);
    const none = await rig.run(["tail"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("no runs of this project")]);
    writeLog(path.join(logs, "runs", own), rig.project, [{ type: "warning", message: "of this one" }]);
    for (const words of [["runs"], ["status"], ["tail"]]) {
      const mine = (await rig.run(words)).stdout;
      expect([mine.includes(own), mine.includes(other)], words[0]).toEqual([true, false]);
    }
    expect((await rig.run(["status"])).stdout).toMatch(/\n0 of 1 task done · 1 left\n/);
    expect((await rig.run(["runs", "-n", "1"])).stdout).toContain(own);
    // A run that is named is meant, whosever it is.
    expect((await rig.run(["tail", other])).stdout).toContain("of another project");
  }),
);

test(
  "logs leaves out an attempt or a review that names the task only in its summary",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const of = (job: number, task?: string): object => ({
      job,
      agent: "fake",
      attempt: 1,
      ...(task && { task_id: task }),
    });
    const said = (job: number, task?: string): Record<string, unknown>[] => [
      { type: "message", role: "assistant", content: `words ${job}`, ...of(job, task) },
      { type: "summary", status: "done", summary: "done", ...of(job, "T1") },
    ];
    const folder = path.join(rig.project, "looper-logs/runs/2026-01-02_03-00-00");
    writeLog(folder, rig.project, [...said(1, "T1"), ...said(2, "T2"), ...said(3)]);
    const answer = LogsAnswer.parse(JSON.parse((await rig.run(["logs", "T1", "--json"])).stdout));
    expect(answer.attempts.map(({ messages }) => messages.map(({ text }) => text))).toEqual([["words 1"]]);
    dropLogs(rig);
  }),
);

test(
  "tail leaves out decisions unless they are asked for",
  story(async (rig) => {
    writeLog(path.join(rig.project, "looper-logs/runs/2026-01-02_03-04-00"), rig.project, [
      { type: "decided", of: 1, effects: [], because: { rule: "run-started" } },
      { type: "recovered", killed: 0, left: [], locks_removed: [] },
      { type: "backlog_read", digest: "x", tasks: 1 },
    ]);
    const types = async (...words: string[]): Promise<string[]> => {
      const { stdout } = await rig.run(["tail", ...words]);
      return stdout.split("\n").flatMap((line) => /\b(?:decided|recovered|backlog_read)\b/.exec(line) ?? []);
    };
    expect(await types()).toEqual(["recovered", "backlog_read"]);
    expect(await types("--decisions")).toEqual(["decided", "recovered", "backlog_read"]);
    expect(await types("--raw")).toEqual(["decided", "recovered", "backlog_read"]);
    expect(await types("--type", "decided")).toEqual(["decided"]);
    expect(await types("-n", "2")).toEqual(["recovered", "backlog_read"]);
    const { stdout } = await rig.run(["tail"]);
    expect(stdout).toMatch(/recovered +nothing was left over\n/);
    expect(stdout).toMatch(/backlog_read +1 task\n/);
    dropLogs(rig);
  }),
);

async function play(rig: Rig): Promise<void> {
  const puppet = await rig.agent();
  rig.writeBacklog([{ id: "T1", title: "Dates" }, { id: "T2" }]);
  const program = rig.start(["run", "--no-review", "--task", "T1"]);
  const first = await puppet.next();
  await first.say("I look at the dates.");
  await first.exit(1, "");
  const second = await puppet.next();
  await second.say("Two lines:\nthe second \u001b]52;c;x\u0007 one");
  await second.report();
  expect((await program.ended).code).toBe(0);
}

test(
  "logs prints what the agent said on a task in every attempt of its newest run",
  story(async (rig) => {
    await play(rig);
    const { stdout, code } = await rig.run(["logs", "T1"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^T1 Dates · attempt 1 · fake · [\d: -]+ · run \S+\nI look at the dates\.\n/);
    expect(stdout).toMatch(/\n\nT1 Dates · attempt 2 · fake · .*\nTwo lines:\nthe second /);
    expect(stdout).not.toContain("\u001b");
    expect((await rig.run(["logs", "T1", "--file", "to-do.json"])).stdout).toBe(stdout);
    const json = await rig.run(["logs", "T1", "--json"]);
    const answer = LogsAnswer.parse(JSON.parse(json.stdout));
    expect(answer.attempts.map((one) => [one.attempt, one.messages[0]?.text.split("\n")[0]])).toEqual([
      [1, "I look at the dates."],
      [2, "Two lines:"],
    ]);
    expect(answer.run).toBe(rig.runs()[0]);
    expect((await rig.run(["logs", "T1", answer.run ?? ""])).stdout).toBe(stdout);
    expect(await rig.run(["logs", "T2"])).toMatchObject({ code: 0, stdout: "no run has worked on T2 yet\n" });
    expect(await rig.run(["logs", "T99"])).toMatchObject({ code: 2, stdout: "" });
    expect(await rig.run(["logs", "T1", "--file", "nosuch.json"])).toMatchObject({ code: 2, stdout: "" });
    // A task that was removed is still in the log.
    await rig.run(["rm", "T1"]);
    expect((await rig.run(["logs", "T1"])).stdout).toMatch(/^T1 · attempt 1 /);
  }),
);

test(
  "status outside any project is the error of ls",
  story(async (rig) => {
    const [list, state] = [await rig.run(["ls"]), await rig.run(["status"])];
    expect([state.code, state.stdout, state.stderr]).toEqual([2, "", list.stderr]);
    expect((await rig.run(["status", "--json"])).code).toBe(2);
  }),
);

test(
  "config cuts a long value on a terminal only, pads no other line to it, and prints sizes as the docs do",
  story(async (rig) => {
    const hook = `echo ${"x".repeat(300)}`;
    rig.settings({ hooks: { post_iteration: [hook] } });
    const { stdout } = await rig.run(["config"]);
    const lines = stdout.split("\n");
    expect(stdout).toContain(hook);
    expect(lines.filter((line) => !line.includes("xxx")).every((line) => line.length < 150)).toBe(true);
    expect(stdout).toMatch(/log\.max_bytes +2GB +default/);
    expect((await rig.run(["config", "get", "log.max_bytes"])).stdout).toBe("2GB\n");
    expect((await rig.run(["config", "--json"])).stdout).toContain(hook);
  }),
);
