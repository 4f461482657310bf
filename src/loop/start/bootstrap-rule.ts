// Decides whether a run without tasks may have an agent draft them (contract §4, *Bootstrap*).
import { relative } from "node:path";
import { GO_BACKLOG } from "../../config/read/places.js";
import { openRepository } from "../../git/base/repository/repository.js";
import type { Rules } from "../../logging/rules.js";
import { UserError } from "../../system/errors.js";
import { openStore } from "../../todo/store/store.js";
import type { Task } from "../../todo/model/task.js";
import { findKnownVersion } from "../perform/known-version.js";
import { makeRepositoryPlaces } from "../runs/repository-places.js";
import type { RunRequest } from "../runs/run-request.js";

/** On a terminal a draft needs one question, elsewhere a flag (contract §4, *Bootstrap*). */
export function makeBootstrapRule(request: RunRequest, tasks: readonly Task[]): Rules["bootstrap"] {
  if (tasks.length === 0 && request.project.goFiles.includes(GO_BACKLOG))
    return {
      refused: `${GO_BACKLOG} holds tasks of the Go program: move it to ${relative(request.cwd, request.project.todoFile)}`,
    };
  if (tasks.length > 0 || request.yes || request.idea !== undefined) return "allowed";
  if (request.terminal && request.confirm !== undefined) return "ask";
  const file = relative(request.cwd, request.project.todoFile);
  return {
    refused: `there are no tasks in ${file}: set the project up with \`looper init\`, add a task with \`looper add "…"\`, or have an agent draft them with \`looper run --prompt "what to build"\``,
  };
}

/** Throws, before anything is asked or written, if the file has no tasks and no draft was asked for. */
export async function requireTasksOrDraft(request: RunRequest, tasks: readonly Task[]): Promise<void> {
  const { ports, project } = request;
  const rule = makeBootstrapRule(request, tasks);
  if (typeof rule !== "object") return;
  const read = await openStore(ports, project.todoFile, { lockFolder: project.lockDir }).read();
  // An invalid file is repaired instead.
  if (read.kind !== "missing" && read.kind !== "empty") return;
  const opened = await openRepository(ports, makeRepositoryPlaces(request));
  const repo = opened.ok ? { repo: opened.value } : {};
  throw new UserError("usage", (await findKnownVersion({ ports, project, ...repo })) ?? rule.refused);
}
