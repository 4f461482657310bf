// `looper stop [--now]`: asks the run in progress to end and waits for its answer; with --now, waits for its end.
import { join } from "node:path";
import { findLiveRun, type LiveRun } from "../../../src/loop/runs/live-run.js";
import { tellRun } from "../../../src/logging/control.js";
import { readLines } from "../../../src/logging/read.js";
import { UserError } from "../../../src/system/errors.js";
import { showDuration } from "../../../src/ui/view/amounts.js";
import { readView } from "../../../src/ui/view/read-view.js";
import type { StopAnswer } from "../../../src/ui/shapes/runs.js";
import { clean } from "../../../src/ui/text.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import { hasFlag, type CommandEnd, type CommandContext, type Typed } from "../../context/command-context.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";

const LOOK_EVERY_MS = 100;
const HEARD_WITHIN_MS = 10_000;
/** An agent is given 5 s, its leftovers 10 s, a command of git's 60 s. */
const ENDED_WITHIN_MS = 90_000;

/** Stops the run of this backlog; ends with no when there is none. */
export async function stop(context: CommandContext, typed: Typed): Promise<CommandEnd> {
  const { ports } = context;
  await refuseAgents(context, {
    what: "an agent of a run may not stop it",
    instead: "report in the summary that it is blocked",
  });
  const project = await projectOf(context);
  const live = await findLiveRun(ports, project);
  if (live === undefined) throw new UserError("no", "no run in progress", "see `looper runs` for past runs");
  const now = hasFlag(typed, "--now");
  const from = (await ports.files.stat(join(live.folder, "events.jsonl")))?.size ?? 0;
  await tellRun(ports, live.folder, { type: "stop", at: new Date(ports.clock.now()).toISOString(), now });
  const isOver = async (): Promise<boolean> => (await findLiveRun(ports, project))?.run !== live.run;
  const heard = async (): Promise<boolean> => (await hasHeard(context, live, from)) || (await isOver());
  if (!(await within(context, HEARD_WITHIN_MS, heard))) throw deaf(live);
  const ended = now ? await within(context, ENDED_WITHIN_MS, isOver) : await isOver();
  if (now && !ended) throw deaf(live);
  const answer: StopAnswer = { run: live.run, ended };
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else await printLines(context.out, [await sentence(context, live, ended)]);
  return "ok";
}

async function hasHeard({ ports }: CommandContext, { folder }: LiveRun, from: number): Promise<boolean> {
  for await (const { type, value } of readLines(ports, folder, from))
    if (type === "run_interrupted" && value["by"] === "stop") return true;
  return false;
}

/** Waits until the condition is true; false when the time is over. */
async function within(
  { ports: { clock } }: CommandContext,
  ms: number,
  isTrue: () => Promise<boolean>,
): Promise<boolean> {
  const until = clock.monotonic() + ms;
  for (;;) {
    if (await isTrue()) return true;
    if (clock.monotonic() > until) return false;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

function deaf({ run, pid }: LiveRun): UserError {
  return new UserError(
    "environment",
    `run ${run} (pid ${String(pid)}) does not answer`,
    `wait for it, or end it with \`kill ${String(pid)}\`; nothing is lost`,
  );
}

async function sentence(
  { ports }: CommandContext,
  { run, folder }: LiveRun,
  ended: boolean,
): Promise<string> {
  if (ended) return `${run} has ended`;
  const { current } = await readView(ports, folder);
  if (current === undefined) return `${run} is ending`;
  const what = current.taskId === undefined ? `its ${current.phase}` : clean(current.taskId);
  const since = showDuration(ports.clock.now() - current.began);
  return `${run} ends once ${clean(current.agent)} has finished ${what} (at it for ${since}); --now ends it at once`;
}
