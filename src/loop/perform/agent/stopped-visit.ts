// A visit that an earlier run began and did not end: its agent was stopped, or killed with the run. The session of one that was
// stopped is resumed; otherwise the next agent is told what the tree may hold.
import type { AgentResult, Session, Used } from "../../../agents/agent.js";
import { sessionOf } from "../../../agents/limits/reader.js";
import { NOTHING_USED } from "../../../agents/usage.js";
import { StepEvent } from "../../../logging/events/events.js";
import { listRuns, readLines, type RawLine } from "../../../logging/read.js";
import { parseStart } from "../../../logging/run-id.js";
import { introduceAgain } from "../../../prompts/stage-report.js";
import { given } from "../../../system/given.js";
import type { JobFacts } from "../../step/effects.js";
import { getRunFolder } from "../../runs/own-runs.js";
import type { AgentStage } from "./agent-stage.js";
import { getProgress } from "../stage-of.js";
import type { World } from "../world.js";

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
    const found = await readVisit(world, run, job, since);
    if (found !== undefined) return found === "ended" ? undefined : found;
    // The visit began in the run that was started before it.
    if (parseStart(run) <= Date.parse(since)) return undefined;
  }
  return undefined;
}

async function readVisit(
  world: StoppedWorld,
  run: string,
  job: JobFacts,
  since: string,
): Promise<StoppedVisit | "ended" | undefined> {
  let left: StoppedVisit | "ended" | undefined;
  let session: Session | undefined;
  for await (const line of readLines(world.ports, getRunFolder(world, run), 0, { holding: TOLD })) {
    const { type, value } = line;
    if (!isOf(value, job, since)) continue;
    const agent = typeof value["agent"] === "string" ? value["agent"] : "";
    if (type === "agent_started") left = { agent };
    if (type === "session") session = sessionOf(textOf(value["id"])).session;
    if (type === "attempt_stopped") left = "ended";
    if (type === "agent_finished") left = readEnd(line, agent, session);
  }
  return left;
}

/** Whether a line is of this visit, and of this pass through the workflow. */
function isOf(value: RawLine["value"], { task_id, stage, visit }: JobFacts, since: string): boolean {
  const { timestamp } = value;
  return (
    value["task_id"] === task_id &&
    value["stage"] === stage &&
    value["visit"] === visit &&
    typeof timestamp === "string" &&
    Date.parse(timestamp) >= Date.parse(since)
  );
}

function readEnd({ value }: RawLine, agent: string, told: Session | undefined): StoppedVisit | "ended" {
  const end = StepEvent.safeParse(value).data;
  if (end?.type !== "agent_finished" || end.reason !== "interrupted") return "ended";
  const { session = told } = sessionOf(end.session);
  if (session === undefined) return { agent };
  return { agent, session: { id: session.id, used: toPlain(end.usage) } };
}

function toPlain(usage: Extract<StepEvent, { type: "agent_finished" }>["usage"]): Used {
  if (usage === undefined) return NOTHING_USED;
  const { input_tokens, output_tokens, ...more } = usage;
  return { input_tokens, output_tokens, ...given(more) };
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
  return resumed || stage.stage.kind === "work" ? introduceAgain(stage.stage, resumed) : "";
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

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
