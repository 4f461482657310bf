import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { Project } from "../../config/project/open-project.js";
import { given } from "../../system/given.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { TaskId } from "../../todo/model/task.js";
import { warnOfEdits } from "./edited-while-dead.js";

const RUN = "2026-11-20_10-00-00";
const AT = "2026-11-20T10:00:00.000Z";

type Fields = Record<string, unknown>;

const row = (id: string, status = "todo"): Fields => ({ id, status, priority: 3, depends_on: [] });
const task = (id: string, status = "todo", more: Fields = {}): Fields => ({
  ...{ id, title: `Do ${id}`, priority: 3, status },
  ...more,
});

/** The log of a run that was killed, its project's task file, and messages that it was sent. */
interface Left {
  lines?: readonly Fields[];
  tasks?: readonly Fields[];
  control?: readonly Fields[];
  /** The task file as the log names it. */
  logged?: string;
  committed?: string;
  /** The project's folder of logs, relative to it. */
  logDir?: string;
}

const WORKING: Fields = { type: "agent_started", agent: "a" };

async function warningsOf({
  lines = [WORKING],
  tasks = [],
  control = [],
  logDir = "looper-logs",
  ...more
}: Left) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "dead-")));
  const run = path.join(folder, "looper-logs/runs", RUN);
  const todoFile = path.join(folder, "to-do.json");
  mkdirSync(run, { recursive: true });
  const begun = [
    { type: "run_started", run: RUN, project: folder, todo_file: more.logged ?? todoFile },
    { type: "backlog_read", digest: "d", tasks: 2, index: "index-1.json" },
    {
      ...{ type: "backlog_changed", updated: [], refused: [], warnings: [], digest: "e" },
      ...{ rows: [row("T1", "doing")], removed: [] },
    },
  ];
  const text = (all: readonly Fields[]): string => all.map((one) => `${JSON.stringify(one)}\n`).join("");
  const log = [...begun, ...lines].map((one, seq) => ({ seq, timestamp: AT, ...one }));
  writeFileSync(path.join(run, "events.jsonl"), text(log));
  writeFileSync(path.join(run, "index-1.json"), JSON.stringify([row("T1"), row("T2")]));
  writeFileSync(path.join(run, "control.jsonl"), text(control));
  writeFileSync(todoFile, JSON.stringify({ schema_version: 1, source_files: [], tasks }));
  const project = { folder, todoFile, logDir: path.join(folder, logDir) } as Project;
  return warnOfEdits(
    { ports: nodePorts(), project },
    { dead: [run], ...given({ committed: more.committed }) },
  );
}

/** The edits that the warning names. */
const named = async (left: Left): Promise<readonly string[]> =>
  (await warningsOf(left)).map((text) => text.replace(/^.* last read it: (.*)\. That run was.*$/u, "$1"));

const SAME = [task("T1", "doing"), task("T2")];

test("rows that the killed run knew are not named, nor are edits that an agent may make", async () => {
  expect(await named({ tasks: SAME })).toEqual([]);
  expect(await named({ tasks: [task("T1", "doing", { details: "more" }), task("T2"), task("T3")] })).toEqual(
    [],
  );
});

test("each task is named with what differs: status, order, a task that is gone, one that is new and not to do", async () => {
  expect(await warningsOf({ tasks: [task("T1", "doing"), task("T2", "done")] })).toEqual([
    `to-do.json was edited after run ${RUN} last read it: T2 (status todo → done). That run was killed while its agent worked, so the agent may have made these edits. They count now: undo what is not yours`,
  ]);
  const moved = [task("T1", "doing", { priority: 1, depends_on: ["T2"] }), task("T2"), task("T9", "blocked")];
  expect(await named({ tasks: moved })).toEqual(["T1 (priority; depends_on), T9 is new and blocked"]);
  expect(await named({ tasks: [task("T2")] })).toEqual(["T1 is removed"]);
});

test("at most five are named, the rest is counted", async () => {
  const many = Array.from({ length: 7 }, (_, at) => task(`N${String(at)}`, "done"));
  const [text] = await named({ tasks: [...SAME, ...many] });
  expect(text).toMatch(/^N0 is new and done, .*N4 is new and done, and 2 more$/u);
});

test("edits of commands, the task of a commit that was finished, another task file and another folder of logs are not named", async () => {
  const tasks = [task("T1", "done"), task("T2", "done")];
  const change = { op: "edit", id: "T2", set: { status: "done" }, clear: [] };
  expect(await named({ tasks, control: [{ type: "edit", at: AT, changes: [change] }] })).toEqual([
    "T1 (status doing → done)",
  ]);
  expect(await named({ tasks, committed: TaskId.parse("T1") })).toEqual(["T2 (status todo → done)"]);
  expect(await named({ tasks, logged: "/elsewhere/to-do.json" })).toEqual([]);
  expect(await named({ tasks, logDir: "other-logs" })).toEqual([]);
});

test("a run whose agent was not at work, and a task file that is broken, name nothing", async () => {
  const tasks = [task("T1", "doing"), task("T2", "done")];
  expect(await named({ tasks, lines: [] })).toEqual([]);
  expect(await named({ tasks, lines: [WORKING, { type: "agent_finished", job: 1 }] })).toEqual([]);
  expect(await named({ tasks: [{ id: "T1" }] })).toEqual([]);
});
