// L24: answers that a person wrote into the task file, about a plan that is not what was asked about any more: they are taken out
// again, as a command would have refused them, and their questions stay open.
import { join, relative } from "node:path";
import { checkBacklog } from "../../../todo/check/check.js";
import { editBacklog } from "../../../todo/json/edit.js";
import type { Task } from "../../../todo/model/task.js";
import { encode } from "../../../todo/store/backlog-file.js";
import { isAnswered } from "../../../workflow/question.js";
import { findChangedFile, refusesShown } from "../../runs/as-shown.js";
import type { World } from "../world.js";

type AnswerWorld = Pick<World, "ports" | "project" | "log" | "store" | "workflows" | "memory">;

/** Takes them out of the file, and says so. An answer by a command names what it is about, and was checked when it was given. */
export async function withdrawUnshown(world: AnswerWorld): Promise<void> {
  const { ports, project, store, log } = world;
  const known = world.memory.backlog?.tasks;
  const isAsked = known === undefined || known.some(({ progress }) => progress?.question !== undefined);
  if (world.workflows === undefined || !isAsked) return;
  const bytes = await ports.files.read(project.todoFile);
  const checked = bytes === undefined ? undefined : checkBacklog(bytes);
  if (checked?.kind !== "ok") return;
  const withdrawn = new Set<string>();
  for (const task of checked.backlog.tasks) {
    const why = await explainUnshown(world, task);
    if (why === undefined) continue;
    withdrawn.add(task.id);
    await log.tell({ type: "warning", task_id: task.id, message: why });
  }
  if (withdrawn.size === 0) return;
  await store.rewrite((now) => {
    const found = checkBacklog(now);
    if (found.kind !== "ok") return now;
    const tasks = found.backlog.tasks.map((task) => (withdrawn.has(task.id) ? withoutAnswer(task) : task));
    return encode(editBacklog(found.text, found.backlog, { ...found.backlog, tasks }), found.bom);
  });
}

async function explainUnshown({ ports, project }: AnswerWorld, task: Task): Promise<string | undefined> {
  const { answer, question } = task.progress ?? {};
  if (answer === undefined || question === undefined || !isAnswered(task.progress)) return undefined;
  const isTold = answer.shown_sha256 !== undefined || answer.edited !== undefined;
  if (isTold || refusesShown(task, answer.outcome)) return undefined;
  const { tasksDir } = project.paths;
  const changed = await findChangedFile(ports.files, tasksDir, task);
  if (changed === undefined) return undefined;
  const shown = (file: string): string => relative(project.folder, join(tasksDir, file));
  const how = changed.missing ? "is missing" : `was changed after ${question.id} was asked`;
  return `the answer to ${question.id} in the task file is not taken, and was taken out: ${shown(changed.file)} ${how}: restore it from ${shown(changed.copy)}, or answer with a command: looper questions ${task.id}`;
}

function withoutAnswer(task: Task): Task {
  if (task.progress === undefined) return task;
  const { answer: _answer, ...progress } = task.progress;
  return { ...task, progress };
}
