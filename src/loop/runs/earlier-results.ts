// Reads what the stages of unfinished tasks reported in earlier runs: the commit at the end of a task says what its work did,
// even if that work was done days ago. loop/step/job/settle.ts decides which report counts within a run.
import type { Project } from "../../config/project/open-project.js";
import { StepEvent, type EventOf } from "../../logging/events/events.js";
import type { Rules } from "../../logging/rules.js";
import type { Ports } from "../../system/ports.js";
import { checkBacklog } from "../../todo/check/check.js";
import { TaskId, type Task } from "../../todo/model/task.js";
import { listOwnOutcomes } from "../../workflow/advance.js";
import type { Progress, StageOutput } from "../../workflow/progress.js";
import type { Workflow } from "../../workflow/workflow.js";
import { readVisit } from "./own-runs.js";
import { isReader, isWork } from "../../workflow/stage-kinds.js";

type EarlierResults = NonNullable<EventOf<"recovered">["results"]>;

interface Site {
  ports: Pick<Ports, "files">;
  project: Project;
}

/** The last report on the work of each unfinished task, as far as there is one; without work, the last report at all. */
export async function readEarlierResults(
  site: Site,
  { workflows }: Pick<Rules, "workflows">,
): Promise<EarlierResults> {
  if (workflows === undefined) return [];
  const results: EarlierResults = [];
  for (const task of await readUnfinished(site)) {
    const workflow = workflows[task.progress?.workflow ?? ""]?.workflow;
    const found = workflow === undefined ? undefined : await findResult(site, task, workflow);
    if (found !== undefined) results.push({ task_id: task.id, ...found });
  }
  return results;
}

/** The tasks that are in a stage. */
export async function readUnfinished({ ports, project }: Site): Promise<Task[]> {
  const bytes = await ports.files.read(project.todoFile);
  const checked = bytes === undefined ? undefined : checkBacklog(bytes);
  return checked?.kind === "ok"
    ? checked.backlog.tasks.filter(({ status, progress }) => status !== "done" && progress !== undefined)
    : [];
}

type Found = Omit<EarlierResults[number], "task_id">;

async function findResult(site: Site, task: Task, workflow: Workflow): Promise<Found | undefined> {
  const { candidates, work } = listCandidates(task.progress, workflow);
  for (const output of candidates) {
    const found = await findLogged(site, task.id, output);
    if (found !== undefined) return { ...found, ...(work ? { work: true as const } : {}) };
  }
  return undefined;
}

/** The outputs of this pass that tell what the work did, the newest first: those of work stages, if there are any. */
function listCandidates(
  progress: Progress | undefined,
  { stages }: Workflow,
): { candidates: StageOutput[]; work: boolean } {
  const { outputs = {}, visits = {} } = progress ?? {};
  const own = Object.values(outputs)
    .filter(({ stage: name, outcome }) => {
      const stage = stages[name];
      const isVisited = visits[name] !== undefined;
      return isVisited && stage !== undefined && listOwnOutcomes(stage).includes(outcome);
    })
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const work = own.filter(({ stage }) => isWork(stages[stage]?.kind));
  const analyzed = own.filter(({ stage }) => isReader(stages[stage]?.kind));
  return work.length > 0 ? { candidates: work, work: true } : { candidates: analyzed, work: false };
}

/** The last report of the visit in the log of its run. */
async function findLogged(
  site: Site,
  task: string,
  { run, stage, visit }: StageOutput,
): Promise<Found | undefined> {
  let found: Found | undefined;
  const at = { task_id: TaskId.parse(task), stage, visit };
  for await (const { value } of readVisit(site, run, at, ['"type":"agent_finished"']))
    found = toFound(StepEvent.safeParse(value).data) ?? found;
  return found;
}

function toFound(event: StepEvent | undefined): Found | undefined {
  if (event?.type !== "agent_finished" || event.report === undefined || !("found" in event.report))
    return undefined;
  const { summary = "", files = [] } = event.report.found;
  return summary.trim() === "" ? undefined : { result: summary, files };
}
