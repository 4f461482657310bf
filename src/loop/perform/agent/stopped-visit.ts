// The sessions of stages: the one that a stage resumes, and the one of a visit that an earlier run began and did not end. Without
// that session (its agent was killed with the run) the next agent is told what the tree may hold.
import type { AgentResult, Session, Used } from "../../../agents/agent.js";
import { textField } from "../../../agents/fields.js";
import { sessionOf } from "../../../agents/limits/reader.js";
import { NOTHING_USED } from "../../../agents/usage.js";
import { StepEvent } from "../../../logging/events/events.js";
import { listRuns, type RawLine } from "../../../logging/read.js";
import { parseStart } from "../../../logging/run-id.js";
import { introduceAgain } from "../../../prompts/stage-report.js";
import type { JobFacts } from "../../step/effects.js";
import { readVisit } from "../../runs/own-runs.js";
import type { AgentStage } from "./agent-stage.js";
import { getProgress } from "../stage-of.js";
import type { World } from "../world.js";
import { isWork } from "../../../workflow/stage-kinds.js";

/**
 * How the visit was left. `session`: the one of its agent, which ended in order and can be resumed, with what it used in the newest
 * run of the visit: what it used in runs before that one counts again.
 */
export interface StoppedVisit {
  agent: string;
  session?: Session;
}

type StoppedWorld = Pick<World, "ports" | "project" | "log" | "memory">;

const TOLD = ['"agent_started"', '"session"', '"agent_finished"', '"attempt_stopped"'];

/** The visit of a job as earlier runs left it; `undefined`: they did not begin it, it ended, or this run has tried it since. */
export async function findStoppedVisit(
  world: StoppedWorld,
  job: JobFacts,
): Promise<StoppedVisit | undefined> {
  const { memory, log } = world;
  const since = getProgress(world, job)?.since;
  const key = [job.task_id, job.stage, job.visit, since].join(" ");
  if (since === undefined || job.stage === undefined || memory.begun.has(key)) return undefined;
  memory.begun.add(key);
  const runs = await listRuns(world.ports, world.project.logDir);
  for (const run of runs.filter((one) => one !== log.run).reverse()) {
    const found = await readStopped(world, run, job, since);
    if (found !== undefined) return found === "ended" ? undefined : found;
    // The visit began in the run that was started before it.
    if (parseStart(run) <= Date.parse(since)) return undefined;
  }
  return undefined;
}

async function readStopped(
  world: StoppedWorld,
  run: string,
  job: JobFacts,
  since: string,
): Promise<StoppedVisit | "ended" | undefined> {
  let left: StoppedVisit | "ended" | undefined;
  let session: Session | undefined;
  for await (const line of readVisit(world, run, job, TOLD)) {
    const { type, value } = line;
    // A visit of an earlier pass through the workflow has the same number.
    if (!(Date.parse(textField(value, "timestamp") ?? "") >= Date.parse(since))) continue;
    const agent = textField(value, "agent") ?? "";
    if (type === "agent_started") left = { agent };
    if (type === "session") session = sessionOf(textField(value, "id")).session;
    if (type === "attempt_stopped") left = "ended";
    if (type === "agent_finished") left = readEnd(line, agent, session);
  }
  return left;
}

function readEnd({ value }: RawLine, agent: string, told: Session | undefined): StoppedVisit | "ended" {
  const end = StepEvent.safeParse(value).data;
  if (end?.type !== "agent_finished" || end.reason !== "interrupted") return "ended";
  const { session = told } = sessionOf(end.session);
  if (session === undefined) return { agent };
  return { agent, session: { id: session.id, used: end.usage ?? NOTHING_USED } };
}

/** The session of an agent that was stopped in the visit, if the same one works again. */
export function findOwnSession(left: StoppedVisit | undefined, job: JobFacts): Session | undefined {
  return left?.agent === job.agent ? left.session : undefined;
}

/** The visit as another session finds it. */
export function withoutSession(left: StoppedVisit | undefined): StoppedVisit | undefined {
  return left === undefined ? undefined : { agent: left.agent };
}

/** The beginning of the prompt. The changes of an agent that only read were undone, so a new session has nothing to look at. */
export function introduceVisit(
  stage: AgentStage | undefined,
  left: StoppedVisit | undefined,
  job: JobFacts,
): string {
  if (stage === undefined || left === undefined) return "";
  const resumed = findOwnSession(left, job) !== undefined;
  return resumed || isWork(stage.stage.kind) ? introduceAgain(stage.stage, resumed) : "";
}

/** Whether a resumed session turned out to be gone: the client failed before it did anything. Warns of it. */
export async function isSessionLost(
  world: Pick<World, "log">,
  job: JobFacts,
  { left, first }: { left: StoppedVisit | undefined; first: AgentResult & { used?: Used } },
): Promise<boolean> {
  if (findOwnSession(left, job) === undefined || first.outcome !== "failed") return false;
  if (first.used !== undefined || !["exited", "bad-request", "incomplete"].includes(first.reason))
    return false;
  const message = `the session of ${job.agent} cannot be resumed, so a new one begins: ${first.evidence}`;
  await world.log.tell({ type: "warning", ...job, message });
  return true;
}

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
  // The last one that the log names; an id that is not valid is left out.
  const visit = { task_id: job.task_id, stage: from, visit: output.visit };
  let found: Session | undefined;
  for await (const { type, value } of readVisit(world, output.run, visit, ['"type":"session"']))
    if (type === "session") found = sessionOf(textField(value, "id")).session ?? found;
  return found;
}

function keyOf({ task_id: task }: JobFacts, stage: string): string {
  return `${stage} ${task ?? ""}`;
}
