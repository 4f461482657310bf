// Paths that an agent that reads the work of another must not see, where its containment can hide it: what the author of the work says
// about it, in the raw outputs of work stages and in the logs. The code, the plan and the gate's verdict are in its prompt.
import { join } from "node:path";
import { RUN_FACTS } from "../../logging/agent-file.js";
import { listRuns } from "../../logging/read.js";
import { parseStart } from "../../logging/run-id.js";
import { COPIES, parseOutputName, taskFolderName } from "../../workflow/outputs/task-files.js";
import type { JobFacts } from "../step/effects.js";
import type { AgentStage } from "./agent/agent-stage.js";
import { isInput } from "./agent/stage-facts.js";
import { getProgress } from "./stage-of.js";
import type { World } from "./world.js";

type ReaderWorld = Pick<World, "ports" | "project" | "log" | "memory" | "workflows">;

/** The places to hide from the agent of a job; none, unless its stage only reads after another has worked. */
export async function hideFromReader(
  world: ReaderWorld,
  job: JobFacts,
  { stage, folder }: { stage: AgentStage | undefined; folder: string },
): Promise<readonly string[]> {
  const { workflow } = stage?.at ?? {};
  const outputs = Object.values(getProgress(world, job)?.outputs ?? {});
  const hasAuthor = outputs.some(({ stage: name }) => workflow?.stages[name]?.kind === "work");
  if (stage?.stage.kind !== "analyze" || !hasAuthor) return [];
  await writeRunFacts(world, folder);
  const since = Math.min(...outputs.map(({ run }) => parseStart(run)));
  return [...(await listOutputs(world, job, stage)), ...(await listLogs(world, { folder, since }))];
}

/** The outputs of work stages, unless they are an input, and the copies of all. */
async function listOutputs(
  { ports, project }: ReaderWorld,
  { task_id: task }: JobFacts,
  { at, stage }: AgentStage,
): Promise<string[]> {
  const folder = join(project.paths.tasksDir, taskFolderName(task ?? ""));
  const names = await ports.files.list(folder);
  const hidden = names.filter((name) => {
    const of = parseOutputName(name.replace(/\.md$/u, ".json"));
    if (of === undefined) return false;
    const author = at.workflow.stages[of.stage];
    const isWork = author === undefined || author.kind === "work";
    return isWork && !isInput(at.workflow, { key: of.stage, reader: stage });
  });
  return [...hidden, COPIES].map((name) => join(folder, name));
}

/** The logs of the runs that worked at the task, and all of this run's but the folder of the step itself. */
async function listLogs(
  { ports, project, log }: ReaderWorld,
  { folder, since }: { folder: string; since: number },
): Promise<string[]> {
  const runs = (await listRuns(ports, project.logDir)).filter(
    (run) => run !== log.run && parseStart(run) >= since,
  );
  const own = await ports.files.list(log.folder);
  const steps = own.filter((name) => /^\d{3,}-/u.test(name)).map((name) => join(log.folder, name));
  return [
    ...runs.map((run) => join(project.logDir, "runs", run)),
    ...steps.filter((one) => one !== folder),
    join(log.folder, "events.jsonl"),
  ];
}

async function writeRunFacts({ ports, project, log, workflows }: ReaderWorld, folder: string): Promise<void> {
  const facts = { project: project.folder, todo_file: project.todoFile, rules: { workflows } };
  await ports.files.writeNew(join(folder, RUN_FACTS), log.redact(JSON.stringify(facts)), {
    mode: 0o600,
    fleeting: true,
  });
}
