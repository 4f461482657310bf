// The sessions of stages: which one a stage resumes, remembered in the run's memory and in the logs of earlier runs.
import type { Session } from "../../../agents/agent.js";
import { sessionOf } from "../../../agents/limits/reader.js";
import { readLines } from "../../../logging/read.js";
import { given } from "../../../system/given.js";
import type { JobFacts } from "../../step/effects.js";
import { getRunFolder } from "../../runs/own-runs.js";
import type { AgentStage } from "./agent-stage.js";
import { getProgress } from "../stage-of.js";
import type { World } from "../world.js";

/** Keeps the last session of a stage of a task. */
export function rememberSession(
  { memory }: Pick<World, "memory">,
  job: JobFacts,
  session: Session | undefined,
): void {
  if (session === undefined || job.stage === undefined) return;
  memory.sessions.set(keyOf(job, job.stage), { agent: job.agent, session });
}

/** The session that a job resumes: that of the stage its own names, if the same agent works again. */
export async function findStageSession(
  world: Pick<World, "memory" | "ports" | "project" | "log">,
  job: JobFacts,
  { stage }: AgentStage,
): Promise<Session | undefined> {
  const { session: from = "new" } = stage;
  if (from === "new") return undefined;
  const known = world.memory.sessions.get(keyOf(job, from));
  if (known !== undefined) return known.agent === job.agent ? known.session : undefined;
  const output = getProgress(world, job)?.outputs?.[from];
  if (output === undefined || output.agent !== job.agent) return undefined;
  const folder = getRunFolder(world, output.run);
  return findLogged(world, folder, {
    ...given({ task_id: job.task_id }),
    stage: from,
    visit: output.visit,
  });
}

function keyOf({ task_id: task }: JobFacts, stage: string): string {
  return `${stage} ${task ?? ""}`;
}

/** The last session that the log of a run names for a visit; an id that is not valid is left out. */
async function findLogged(
  { ports }: Pick<World, "ports">,
  folder: string,
  visit: { task_id?: string; stage: string; visit: number },
): Promise<Session | undefined> {
  let found: Session | undefined;
  for await (const { type, value } of readLines(ports, folder, 0, { holding: ['"type":"session"'] })) {
    const isOf = (Object.entries(visit) as [string, unknown][]).every(
      ([key, wanted]) => value[key] === wanted,
    );
    const { id } = value;
    if (type === "session" && isOf && typeof id === "string") found = sessionOf(id).session ?? found;
  }
  return found;
}
