// Returns the work of a rescue to its task: makes a checkpoint of the tree without it and marks the task as doing, so that the next
// attempt continues from it and the task's commit contains it. Leaves restoring the files to src/git/bring-back/bring-back.ts.
import type { BroughtBack } from "../../../src/git/bring-back/bring-back.js";
import { checkpoint, dropCheckpoint } from "../../../src/git/checkpoint/checkpoint.js";
import { asResult, GitError } from "../../../src/git/base/git.js";
import { listInHand } from "../../../src/git/checkpoint/in-hand.js";
import type { Repository } from "../../../src/git/base/repository/repository.js";
import type { Rescue } from "../../../src/git/bring-back/rescues.js";
import type { Project } from "../../../src/config/project/open-project.js";
import type { Ports } from "../../../src/system/ports.js";
import { UserError } from "../../../src/system/errors.js";
import { openStore, type Store } from "../../../src/todo/store/store.js";
import type { Task, TaskId } from "../../../src/todo/model/task.js";

export interface HandBack {
  ports: Ports;
  project: Project;
  repo: Repository;
}

export interface HandedBack {
  back: BroughtBack;
  task: TaskId | undefined;
  /** The tree already contained work of the task; the rescue adds to it. */
  goesOn: boolean;
}

/** Restores a rescue with `bring`, as work of its task unless that is done. Returns the task too. */
export async function handBack(
  site: HandBack,
  rescue: Rescue,
  bring: () => Promise<BroughtBack>,
): Promise<HandedBack> {
  const { ports, project, repo } = site;
  const store = openStore(ports, project.todoFile, { lockFolder: project.lockDir });
  const task = rescue.repo === repo ? await taskOf(store, rescue) : undefined;
  if (task === undefined) return { back: await bring(), task: undefined, goesOn: false };
  const inHand = await listInHand(repo, [task.id]);
  // Work in the tree already has its base, which stays valid.
  const goesOn = task.status === "doing" && inHand.length > 0;
  if (!goesOn) await checkpoint(repo, { id: task.id, run: rescue.run, reuse: false });
  const back = await asResult(bring);
  if (!back.ok || "clashes" in back.value) {
    // The failure of bringing it back is what the user must know of.
    if (!goesOn) await asResult(() => dropCheckpoint(repo, task.id));
    if (!back.ok) throw new GitError(back.error.command, back.error.message);
    return { back: back.value, task: undefined, goesOn: false };
  }
  await takeInHand(store, task.id);
  return { back: back.value, task: task.id, goesOn };
}

/** The task of a rescue, unless it is done. */
async function taskOf(store: Store, { task, why }: Rescue): Promise<Task | undefined> {
  if (task === undefined || !["given-up", "dropped", "commits"].includes(why)) return undefined;
  const read = await store.read();
  if (read.kind !== "ok") return undefined;
  return read.backlog.tasks.find(({ id, status }) => id === task && status !== "done");
}

async function takeInHand(store: Store, id: TaskId): Promise<void> {
  const edited = await store.edit(
    () => [{ op: "edit", id, set: { status: "doing" }, clear: ["blockers"] }],
    () => Promise.resolve(true),
  );
  if (!edited.ok)
    throw new UserError(
      "environment",
      `cannot take ${id} in hand: the task file cannot be changed`,
      `repair it, then run looper set ${id} status=doing`,
    );
}
