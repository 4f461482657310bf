// `looper stop [--now]`: asks the run in progress to end and waits for its answer; with --now, waits for its end.
import { stopRun, type StoppedRun } from "../../../src/loop/runs/stop-run.js";
import { stopAnswer } from "../../../src/ui/answers/runs/stop.js";
import { showDuration } from "../../../src/ui/view/words/amounts.js";
import { readView } from "../../../src/ui/view/read-view.js";
import { clean } from "../../../src/ui/text.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import {
  hasFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";

/** Stops the run of this backlog; ends with no when there is none. */
export async function stop(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const { ports } = context;
  await refuseAgents(context, {
    what: "an agent of a run may not stop it",
    instead: "report in the summary that it is blocked",
  });
  const project = await projectOf(context);
  const stopped = await stopRun(ports, project, { now: hasFlag(typed, "--now") });
  if (hasFlag(typed, "--json")) await printJson(context, stopAnswer(stopped));
  else await printLines(context.out, [await sentence(context, stopped)]);
  return "ok";
}

async function sentence(
  { ports }: CommandContext,
  { live: { run, folder }, ended }: StoppedRun,
): Promise<string> {
  if (ended) return `${run} has ended`;
  const { current } = await readView(ports, folder);
  if (current === undefined) return `${run} is ending`;
  const what = current.taskId === undefined ? `its ${current.phase}` : clean(current.taskId);
  const since = showDuration(ports.clock.now() - current.began);
  return `${run} ends once ${clean(current.agent)} has finished ${what} (at it for ${since}); --now ends it at once`;
}
