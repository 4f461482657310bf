// Approves commands that a person sets with looper, so that the next run does not ask about them.
import type { Project } from "../../src/config/project/open-project.js";
import { findStateFolder } from "../../src/config/read/places.js";
import { readTrust, type TrustLine } from "../../src/config/trust/trust.js";
import { rememberTrust } from "../../src/config/trust/trust-store.js";
import { findLiveRun } from "../../src/loop/runs/live-run.js";
import type { Task } from "../../src/todo/model/task.js";
import type { CommandContext } from "../context/command-context.js";
import { isUnderAnAgent } from "./under-an-agent.js";

export interface LinesToApprove {
  project: Project;
  tasks: readonly Pick<Task, "id" | "verify">[];
  isMine: (line: TrustLine) => boolean;
}

/** Approves them. Does nothing inside a run or beside one, where an agent may be the caller. */
export async function approve(
  context: CommandContext,
  { project, tasks, isMine }: LinesToApprove,
): Promise<void> {
  const { ports, env, home } = context;
  if (
    (await isUnderAnAgent(context, { sessions: true })) ||
    (await findLiveRun(ports, project)) !== undefined
  )
    return;
  const lines = (await readTrust({ files: ports.files, project, env, home }, tasks)).filter(isMine);
  if (lines.length === 0) return;
  await rememberTrust(ports.files, findStateFolder(env, home), { project: project.folder, lines });
}
