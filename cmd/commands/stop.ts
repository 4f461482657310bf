// `looper stop [--now]`: asks the run in progress to end, and waits for its answer; with --now for its end.
import { Option } from "commander";
import { stopRun, type StoppedRun } from "../../src/loop/runs/live-run.js";
import { stopAnswer } from "../../src/ui/answers/runs/runs.js";
import { clean } from "../../src/ui/text.js";
import { readView } from "../../src/ui/view/read-view.js";
import { showDuration } from "../../src/ui/view/words/amounts.js";
import { JSON_OPTION, type AnsweringCommand } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { projectOf } from "../lookup/project.js";

/** Stops the run of this backlog; ends with no when there is none. */
export const command: AnsweringCommand<{ now?: true }> = {
  options: [new Option("--now", "stop the agent too; its task resumes first next time"), JSON_OPTION],
  examples: [
    ["looper stop", "stop after the current task is checked and committed"],
    ["looper stop --now", "stop at once; the next run resumes the task"],
  ],
  refused: ["stop it", "report in the summary that it is blocked"],
  answer: async (context, { now = false }) => {
    const stopped = await stopRun(context.ports, await projectOf(context), { now });
    return { json: stopAnswer(stopped), lines: [await sentence(context, stopped)] };
  },
};

async function sentence({ ports }: CommandContext, { live: { run, folder }, ended }: StoppedRun) {
  if (ended) return `${run} has ended`;
  const { current } = await readView(ports, folder);
  if (current === undefined) return `${run} is ending`;
  const what = current.taskId === undefined ? `its ${current.phase}` : clean(current.taskId);
  const since = showDuration(ports.clock.now() - current.began);
  return `${run} ends once ${clean(current.agent)} has finished ${what} (at it for ${since}); --now ends it at once`;
}
