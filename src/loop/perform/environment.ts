// The environment variables of agents, hooks and the gate. Pure.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { AGENT_ACTION } from "../../git/restore/settle-head.js";
import { STEP_DIR } from "../../logging/agent-file.js";
import { given } from "../../system/given.js";
import type { Verdict } from "../../todo/model/verified.js";
import type { JobFacts } from "../step/effects.js";

/** Variables that are never inherited from the environment of the runner, which sets most of them itself. */
const RUN_VARIABLES = [
  "LOOPER_RUN_ID",
  "LOOPER_PHASE",
  "LOOPER_ITERATION",
  "LOOPER_ATTEMPT",
  "LOOPER_TASK_ID",
  "LOOPER_TODO_FILE",
  "LOOPER_STAGE",
  "LOOPER_VISIT",
  "LOOPER_TASK_DOCUMENT",
  STEP_DIR,
  "LOOPER_STATUS",
  "LOOPER_VERIFIED",
  "LOOPER_VERDICT",
  "LOOPER_AGENT",
  "LOOPER_LAST_MESSAGE",
  // The hidden checks: no agent is shown them.
  "LOOPER_VERIFY_HIDDEN",
];

type Variables = Readonly<Record<string, string>>;

/** The real environment, which overrides the env file, without the variables of an outer run. */
export function makeBaseEnvironment(real: Variables, file: Variables): Record<string, string> {
  const base: Record<string, string> = { ...file, ...real };
  for (const name of RUN_VARIABLES) Reflect.deleteProperty(base, name);
  return base;
}

/** The environment of an agent (contract §4, *Environment*). `draft`: the file a bootstrap or repair must write. */
export function makeAgentEnvironment(
  base: Variables,
  settings: Pick<AgentSettings, "env" | "passEnv">,
  run: { run: string; job: JobFacts; stepFolder: string; draft?: string; document?: string },
): Record<string, string> {
  const { job, stepFolder, draft, document } = run;
  return {
    ...pickVariables(base, settings.passEnv),
    ...settings.env,
    // Marks the agent's commits in the reflog, to tell them from a person's.
    GIT_REFLOG_ACTION: AGENT_ACTION,
    ...makeGateEnvironment({}, run.run, job),
    LOOPER_PHASE: job.phase,
    // Where `looper mcp` leaves the agent's requests.
    [STEP_DIR]: stepFolder,
    ...given({ LOOPER_TODO_FILE: draft, LOOPER_TASK_DOCUMENT: document }),
  };
}

/** In a workflow: the stage, its visit, and the absolute path of the task's document. */
function stageVariables({ stage, visit }: JobFacts, document: string | undefined): Record<string, string> {
  return given({
    LOOPER_STAGE: stage,
    LOOPER_VISIT: visit === undefined ? undefined : String(visit),
    LOOPER_TASK_DOCUMENT: document,
  });
}

/** The variables that match one of the globs; PATH and HOME always. */
function pickVariables(base: Variables, globs: readonly string[] | undefined): Record<string, string> {
  if (globs === undefined) return { ...base };
  const patterns = globs.map(globToRegExp);
  return Object.fromEntries(
    Object.entries(base).filter(
      ([name]) => name === "PATH" || name === "HOME" || patterns.some((pattern) => pattern.test(name)),
    ),
  );
}

function globToRegExp(glob: string): RegExp {
  const source = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`);
}

/** The environment of the gate's commands: the real one, with the run and the task. */
export function makeGateEnvironment(base: Variables, run: string, job: JobFacts): Record<string, string> {
  return {
    ...base,
    LOOPER_RUN_ID: run,
    LOOPER_ITERATION: String(job.iteration),
    LOOPER_ATTEMPT: String(job.attempt),
    ...given({ LOOPER_TASK_ID: job.task_id }),
    ...stageVariables(job, undefined),
  };
}

/** The environment of a hook (docs/notifications.md). `verified`: of a task's result; `verdict`: if it is done. */
export function makeHookEnvironment(
  base: Variables,
  run: {
    run: string;
    job: JobFacts | undefined;
    status: string;
    lastMessage: string;
    verified?: boolean | undefined;
    verdict?: Verdict | undefined;
    document?: string;
  },
): Record<string, string> {
  const { job, verified, verdict = "", document } = run;
  return {
    ...base,
    LOOPER_RUN_ID: run.run,
    LOOPER_STATUS: run.status,
    LOOPER_VERIFIED: verified === undefined ? "" : verified ? "yes" : "no",
    LOOPER_VERDICT: verdict,
    LOOPER_LAST_MESSAGE: run.lastMessage,
    LOOPER_TASK_ID: job?.task_id ?? "",
    LOOPER_ITERATION: job === undefined ? "" : String(job.iteration),
    LOOPER_AGENT: job?.agent ?? "",
    ...(job === undefined ? {} : stageVariables(job, document)),
  };
}
