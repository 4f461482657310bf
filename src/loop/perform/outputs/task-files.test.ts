// The files of tasks around an agent: its own changes are put back and told, and what a person did before it is not laid at its door.
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { Task } from "../../../todo/model/task.js";
import type { JobFacts } from "../../step/effects.js";
import { keepTaskFiles, putTaskFilesBack } from "./task-files.js";
import { createMemory, type World } from "../world.js";

const job: JobFacts = {
  ...{ job: 1, iteration: 1, phase: "iteration", agent: "codex", attempt: 1 },
  ...{ task_id: Task.shape.id.parse("T1"), stage: "execute", visit: 4 },
};

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "looper-task-files-"));
  mkdirSync(at(".kept"), { recursive: true });
  writeFileSync(at("task.md"), "# T1\n");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string) => path.join(folder, "tasks", "T1", name);

/** Plays an agent between the two; returns each warning. */
async function around(play: () => void): Promise<string[]> {
  const told: string[] = [];
  const world = {
    ports: nodePorts(),
    project: { folder, paths: { tasksDir: path.join(folder, "tasks") } },
    memory: createMemory(),
    workflows: {},
    log: { tell: (event: { message: string }) => Promise.resolve(told.push(event.message)) },
  } as unknown as World;
  const kept = await keepTaskFiles(world, job);
  play();
  await putTaskFilesBack(world, job, kept);
  return told;
}

test("links and large files that were there before the agent stay, and it is not blamed for them", async () => {
  symlinkSync("/etc/hostname", at("1-plan.json"));
  writeFileSync(at("2-plan.json"), Buffer.alloc(17 * 1024 * 1024));
  mkdirSync(at("3-plan.json"));
  expect(await around(() => undefined)).toEqual([]);
  expect(lstatSync(at("1-plan.json")).isSymbolicLink()).toBe(true);
  expect(lstatSync(at("2-plan.json")).size).toBe(17 * 1024 * 1024);
  expect(lstatSync(at("3-plan.json")).isDirectory()).toBe(true);
});

test("an output, a link and another file in the place of one that was there go, and are told", async () => {
  symlinkSync("/etc/hostname", at("1-plan.json"));
  const told = await around(() => {
    rmSync(at("1-plan.json"));
    symlinkSync("/etc/passwd", at("1-plan.json"));
    symlinkSync("/etc/passwd", at("notes"));
    writeFileSync(at("9-review.json"), "{}");
    writeFileSync(at("task.md"), "# all done\n");
  });
  expect(told).toEqual([
    "files that the runner alone writes were changed while the agent of the stage execute worked, and were put back: tasks/T1/1-plan.json, tasks/T1/9-review.json, tasks/T1/notes, tasks/T1/task.md",
  ]);
  expect(lstatSync(at("1-plan.json"), { throwIfNoEntry: false })).toBeUndefined();
  expect(readFileSync(at("task.md"), "utf8")).toBe("# T1\n");
});
