// `looper show ID --explain`: asks the gate again. Leaves the work to src/loop/explain/explain.ts.
import type { Project } from "../../../src/config/project/open-project.js";
import { explain, mustRunChecks, type Explained } from "../../../src/loop/explain/explain.js";
import { findJudged } from "../../../src/loop/explain/find-judged.js";
import { UserError } from "../../../src/system/errors.js";
import type { Task } from "../../../src/todo/model/task.js";
import { stopOnSignal } from "../../lookup/stop-on-signal.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";
import {
  hasFlag,
  textFlag,
  type CommandContext,
  type Signal,
  type Typed,
} from "../../context/command-context.js";

/** The task to explain, in its backlog. */
export interface Explaining {
  project: Project;
  task: Task;
  tasks: readonly Task[];
  root: string | undefined;
}

/** Explains the last verdict on a task; the signal if it was interrupted. */
export async function explainTask(
  context: CommandContext,
  typed: Typed,
  { project, task, tasks, root }: Explaining,
): Promise<{ explained: Explained } | { signal: Signal }> {
  const { ports, env, home } = context;
  const judged = await findJudged(ports, project, task.id);
  if (judged === undefined)
    throw new UserError(
      "no",
      `no log has a verdict of the gate on ${task.id}`,
      "run it, or see with `looper runs` which logs are left",
    );
  if (mustRunChecks(judged)) {
    await refuseAgents(context, {
      what: "an agent of a run may not run the checks of an attempt again",
      instead: "show the task without --explain",
      file: textFlag(typed, "--file"),
    });
    const lines = [`looper: running checks to find what ${task.id} needs`];
    await context.report({ level: "info", lines });
  }
  const stop = stopOnSignal(context);
  const trust = hasFlag(typed, "--trust") || env["CI"] === "true";
  const request = { ports, project, env, home, trust, stop: stop.signal };
  const explained = await explain({ ...request, task, tasks, root, judged });
  if (explained !== "interrupted") return { explained };
  return { signal: stop.seen[0] ?? "SIGINT" };
}
