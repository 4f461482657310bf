// The call of a tool that an agent ended its turn for: what the question about it holds, and how the decision reaches the session
// that made it.
import type { AgentResult, AnsweredCall, Session, WaitingCall } from "../../../agents/agent.js";
import { sessionOf } from "../../../agents/limits/reader.js";
import { given } from "../../../system/given.js";
import { shorten } from "../../../system/text/cut.js";
import { digestOfCall, findDecidedCall, isPlanned, readPlanned } from "../../../workflow/call.js";
import type { PendingCall, Progress } from "../../../workflow/progress.js";
import { questionIdBefore } from "../../../workflow/question.js";
import type { Workflow } from "../../../workflow/workflow.js";
import type { JobFacts } from "../../step/effects.js";
import { getProgress, getStage } from "../stage-of.js";
import { readOutput } from "../outputs/stage-output.js";
import type { World } from "../world.js";

/** In characters: the row holds all of it, and is written with every change. */
const MOST = { preview: 30_000, arguments: 200_000 } as const;

type CallWorld = Pick<World, "ports" | "project" | "memory" | "workflows">;

/** The call as the row has it; `undefined` if the agent waits for none. */
export async function makePendingCall(
  world: CallWorld,
  job: JobFacts,
  end: AgentResult,
): Promise<PendingCall | undefined> {
  const { waitingCall: call, session } = end;
  if (end.outcome !== "ok" || call === undefined || session === undefined || job.stage === undefined)
    return undefined;
  const { id, tool, arguments: args, command, preview } = call;
  const isLarge = JSON.stringify(args).length > MOST.arguments;
  return {
    session: session.id,
    ...{ id, tool, command },
    ...(isLarge ? {} : { arguments: { ...args } }),
    ...given({ preview: preview === undefined ? undefined : shorten(preview, MOST.preview) }),
    sha256: digestOfCall({ tool, arguments: { ...args } }),
    ...given({ planned: await findPlanned(world, job, call) }),
  };
}

/** The end of a turn outside a workflow, where no question can be asked: the task is blocked by the call. */
export function blockByCall<R extends AgentResult>(end: R, job: JobFacts): R {
  const { waitingCall: call } = end;
  if (end.outcome !== "ok" || call === undefined || job.stage !== undefined) return end;
  const { report } = blockBy(job, `a person must allow ${call.tool}: ${call.command}`);
  return { ...end, report };
}

/** The end of a job whose task is blocked, by a reason that is not its agent's. */
export function blockBy({ task_id }: JobFacts, why: string): Extract<AgentResult, { outcome: "ok" }> {
  const found = { task_id: task_id ?? null, status: "blocked" as const, summary: why, blockers: [why] };
  return { outcome: "ok", report: { found }, lastMessage: "", unknownEvents: 0 };
}

/** Whether the plan that a person approved names the call; `undefined`: none was approved. */
async function findPlanned(world: CallWorld, job: JobFacts, call: WaitingCall): Promise<boolean | undefined> {
  const progress = getProgress(world, job);
  const workflow = getStage(world, job)?.workflow;
  const plan =
    workflow === undefined || progress === undefined ? undefined : findApproved(workflow, progress);
  if (plan === undefined) return undefined;
  const { value } = await readOutput(world.ports, world.project, job.task_id ?? "", plan);
  return isPlanned(call, readPlanned(value));
}

/** The output that the last approval of an output was about. */
function findApproved({ stages }: Workflow, { answers = [], outputs = {} }: Progress) {
  const shown = answers.flatMap(({ stage: name, outcome }) => {
    const stage = name === undefined ? undefined : stages[name];
    if (stage?.shows === undefined) return [];
    return outcome === Object.keys(stage.next)[0] ? (outputs[stage.shows] ?? []) : [];
  });
  return shown.at(-1);
}

/** The session to resume with the decision on its call, if the job's visit follows one. */
export function findCallSession(
  world: Pick<World, "memory">,
  job: JobFacts,
): { session: Session; answered: AnsweredCall } | undefined {
  const progress = getProgress(world, job);
  const before = progress === undefined ? "" : questionIdBefore(job.task_id ?? "", progress);
  const decided = findDecidedCall(progress, ({ question }) => question === before);
  const session = sessionOf(decided?.call.session).session;
  if (decided === undefined || session === undefined) return undefined;
  const { call, answer, outcome } = decided;
  const { comment, by, via, at } = answer;
  return {
    session,
    answered: {
      session: session.id,
      id: call.id,
      tool: call.tool,
      outcome,
      ...given({ arguments: outcome === "edit" ? answer.arguments : call.arguments, comment }),
      ...{ by, via, at },
    },
  };
}
