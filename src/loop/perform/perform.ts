// Performs effects, each in a file of its own. Environment failures are thrown and become `effect_failed`.
import { join } from "node:path";
import { formatHook, type HookSummary, makeHookEvent, makeHookSummary, runHook } from "../hooks/run-hook.js";
import type { StepEvent } from "../../logging/events/events.js";
import { KEPT } from "../../logging/run-log.js";
import { never } from "../../system/never.js";
import { redactValue } from "../../system/text/secrets/redact.js";
import { openQuestion } from "../../workflow/question.js";
import { type Verdict, verdictOf } from "../../todo/model/verified.js";
import { worthOf } from "../step/job/judge-report.js";
import type { Effect, EffectOf, JobFacts } from "../step/effects.js";
import { makeHookEnvironment } from "./environment.js";
import { performAdopt } from "./perform-adopt.js";
import { performAgent } from "./agent/perform-agent.js";
import { performChange, performRead } from "./perform-backlog.js";
import {
  performCommit,
  performCommitBacklog,
  performFinishPending,
  performSaveWork,
} from "./tree/perform-commit.js";
import { performEndRun } from "./perform-end-run.js";
import { performBaseline, performGate, performPreflight } from "./gate/perform-gate.js";
import { performCheckpoint, performRestore, performSnapshot } from "./tree/perform-tree.js";
import { findWorkFolder } from "./agent/prompt-for.js";
import { shareAndTell } from "./outputs/share-questions.js";
import { documentOf } from "./outputs/stage-output.js";
import { getTask } from "./stage-of.js";
import type { World } from "./world.js";
import { describeDamage } from "../../git/base/repository/damage.js";
import { GitError } from "../../git/base/git.js";
import { errorMessage, environmentError } from "../../system/errors.js";
import { EffectError, isEnvironmentFailure } from "../step/drive.js";
import { PickLine } from "../../agents/hosted/host.js";
import { parseJson } from "../../system/text/json.js";

/** Performs one effect; resolves with the one event it ends in. */
export async function perform(world: World, effect: Effect): Promise<StepEvent> {
  try {
    return await performOne(world, effect);
  } catch (error) {
    throw await explainLostRepository(world, error);
  }
}

async function performOne(world: World, effect: Effect): Promise<StepEvent> {
  switch (effect.kind) {
    case "read-backlog":
      return performRead(world);
    case "ask":
      return { type: "answered", yes: (await world.confirm?.(effect.question)) ?? false };
    case "change-backlog":
      return runInTurn(world, () => performChange(world, effect));
    case "checkpoint":
      return performCheckpoint(world, effect);
    case "run-agent":
      return runStoppable(world, effect, (stop) => performAgent(world, effect, stop));
    case "adopt":
      return performAdopt(world, effect);
    case "snapshot":
      return performSnapshot(world, effect);
    case "run-baseline":
      return runStoppable(world, effect, (stop) => performBaseline(world, effect, stop));
    case "preflight":
      return runStoppable(world, effect, (stop) => performPreflight(world, effect, stop));
    case "run-gate":
      return runStoppable(world, effect, (stop) => performGate(world, effect, stop));
    case "restore":
      return performRestore(world, effect);
    case "commit":
      return runInTurn(world, () => performCommit(world, effect));
    case "finish-pending":
      return performFinishPending(world);
    case "commit-backlog":
      return performCommitBacklog(world, effect);
    case "run-hook":
      return runStoppable(world, effect, (stop) => performHook(world, effect, stop));
    case "stop":
      world.memory.stops.get(effect.job.job)?.abort(effect.how);
      return { type: "stop_sent", ...effect.job, how: effect.how };
    case "save-work":
      return performSaveWork(world, effect);
    case "ask-person":
      return performAskPerson(world, effect);
    case "pick-agent":
      return performPick(world, effect);
    case "finish":
      return performEndRun(world, effect);
    default:
      return never(effect);
  }
}

/** Shows a person the open question of a task. It stays open without one, or where the row has none any more. */
async function performAskPerson(world: World, { task_id }: EffectOf<"ask-person">): Promise<StepEvent> {
  const task = getTask(world, { task_id });
  const question = openQuestion(task?.progress);
  const asks = world.askPerson;
  if (asks === undefined || task === undefined || question === undefined)
    return { type: "person_asked", task_id, outcome: "left" };
  return { type: "person_asked", task_id, outcome: await asks(question, task, () => shareAndTell(world)) };
}

/** Writes the file that a hook gets as its third argument: the summary, with the status the runner decided. */
async function writeSummary({ ports, log, memory }: World, effect: EffectOf<"run-hook">, about: HookSummary) {
  const folder = effect.job === undefined ? undefined : memory.of(effect.job.job).step;
  const file =
    folder === undefined ? join(log.folder, `${effect.label}-summary.json`) : join(folder, "summary.json");
  await ports.files.writeAtomic(file, JSON.stringify(about, undefined, 2) + "\n", { mode: 0o600 });
  return file;
}

/** Runs a process that a `stop` of its job ends: it is registered before any wait, so that a stop from the same decision finds it. */
async function runStoppable(
  { memory: { stops } }: World,
  { job }: { job?: JobFacts },
  act: (stop: AbortSignal) => Promise<StepEvent>,
): Promise<StepEvent> {
  const key = job?.job ?? 0;
  const stop = new AbortController();
  stops.set(key, stop);
  try {
    return await act(stop.signal);
  } finally {
    stops.delete(key);
  }
}

/**
 * Runs changes of the backlog one after the other, each to the end of its effect, since a requested edit may coincide with a
 * job's change. Their events then come in the order in which the file was written, and a replay writes it in the same order.
 */
function runInTurn({ memory }: World, change: () => Promise<StepEvent>): Promise<StepEvent> {
  const turn = memory.writing.then(change);
  memory.writing = turn.catch(() => undefined);
  return turn;
}

/** The verdict on the task whose result the hook gets, unless it is not done; both are `undefined` for other hooks. */
function verdictFor(
  world: World,
  { hook, job, status }: EffectOf<"run-hook">,
): { verified?: boolean; verdict?: Verdict } {
  if (hook === "pre_iteration" || job?.task_id === undefined) return {};
  if (status !== "done") return { verified: false };
  const word = world.memory.of(job.job).gate?.verdict;
  // Without a gate of its own a task at the end of a workflow has the verdict of its saved work, which its row says.
  const verdict = word === undefined ? verdictOf(getTask(world, job) ?? {}) : worthOf(word);
  return { verified: verdict === "verified", verdict };
}

async function performHook(
  world: World,
  effect: EffectOf<"run-hook">,
  stop: AbortSignal,
): Promise<StepEvent> {
  const { ports, log, memory } = world;
  const { hook, at, job, status, label } = effect;
  const { hooks } = world.project.resolved.settings;
  const planned = hooks[hook][at];
  if (planned === undefined) throw new Error(`the settings have no hook ${hook}[${String(at)}]`);
  const step = job === undefined ? undefined : memory.of(job.job).step;
  const lastMessage = step === undefined ? "" : join(step, "last-message.txt");
  const summary = job === undefined ? undefined : memory.of(job.job).summary;
  const about = redactValue(log.redact, makeHookSummary(job?.task_id, status, summary), KEPT);
  const summaryFile = await writeSummary(world, effect, about);
  const found = verdictFor(world, effect);
  const began = ports.clock.monotonic();
  const end = await runHook(
    ports,
    {
      hook: planned,
      cwd: await findWorkFolder(world),
      env: makeHookEnvironment(world.env, {
        ...{ run: log.run, job, status, lastMessage, ...found },
        ...(job?.stage === undefined ? {} : { document: documentOf(world.project, job.task_id ?? "") }),
      }),
      event: makeHookEvent({ type: hook, run: log.run, status, label, ...found, ...job }, about),
      given: [job?.task_id ?? "", status, summaryFile, label],
      timeoutMs: hooks.timeout,
      redact: log.redact,
    },
    stop,
  );
  return {
    type: "hook_finished",
    ...job,
    hook,
    command: formatHook(planned),
    outcome: end.outcome,
    exit_code: end.exitCode,
    output: end.output,
    duration_ms: Math.round(ports.clock.monotonic() - began),
  };
}

// Explains a failure for which the repository is missing or damaged: what git prints then names neither what happened
// nor what is lost.

/** The error itself, or one that says that the repository is lost. */
async function explainLostRepository({ repo }: World, error: unknown): Promise<unknown> {
  if (repo === undefined || !isEnvironmentFailure(error)) return error;
  const damage = await describeDamage(repo).catch(() => undefined);
  if (damage === undefined) return error;
  if (error instanceof EffectError) return new EffectError(error.effect, `${damage.what}: ${damage.hint}`);
  const first = error instanceof GitError ? "" : `${errorMessage(error)}; `;
  return environmentError(`${first}${damage.what}`, damage.hint, { cause: error });
}

/** A pure function needs far less. */
const LIMIT_MS = 10_000;
const MOST_BYTES = 64 * 1024;

/** Has the user's module choose the agent of an iteration, in a child process: one that hangs or ends takes nothing with it. */
async function performPick(
  world: World,
  { task_id, iteration, attempt, agents, failed }: EffectOf<"pick-agent">,
): Promise<StepEvent> {
  const { ports, project, env, picker, log } = world;
  if (picker === undefined) throw new Error("the strategy is not a module");
  const { self, file } = picker;
  const task = getTask(world, { task_id }) ?? { id: task_id };
  const { timedOut, stdout, stderr } = await ports.processes.run(
    {
      command: self.command,
      args: [...self.args, "agent-host", "--pick", file],
      ...{ cwd: project.folder, env },
      input: JSON.stringify({ iteration, attempt, task, agents, failed }),
    },
    { timeoutMs: LIMIT_MS, maxBytes: MOST_BYTES },
  );
  const refuse = (why: string): never => {
    const message = `schedule.strategy: ${file} chose no agent for ${task_id}: ${why}`;
    const hint = "correct the module, or set schedule.strategy to a word";
    throw environmentError(log.redact(message), hint);
  };
  if (timedOut) return refuse(`it did not answer within ${LIMIT_MS / 1000} s`);
  const line = Buffer.from(stdout).toString("utf8").trim().split("\n").at(-1) ?? "";
  const { data } = PickLine.safeParse(parseJson(line));
  if (data === undefined) return refuse(`it ended without an answer ${stderr.trim().slice(-200)}`.trim());
  if ("error" in data) return refuse(data.error);
  if (!agents.includes(data.agent))
    return refuse(`${JSON.stringify(data.agent)} is not one of ${agents.join(", ")}`);
  return { type: "agent_picked", task_id, iteration, agent: data.agent };
}
