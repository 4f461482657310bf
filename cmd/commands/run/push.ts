// `looper push [version]`: a release prepared by an agent and checked by the runner. Leaves the work to src/loop/, the display to watch-run.ts.
import { planRelease } from "../../../src/loop/start/open-release.js";
import { readWish } from "../../../src/release/survey.js";
import { given } from "../../../src/system/given.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { plannedReleaseAnswer, releaseAnswer } from "../../../src/ui/answers/project/release.js";
import { planLines } from "../../../src/ui/terminal/lines/release-lines.js";
import { clean, hang } from "../../../src/ui/text.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import {
  hasFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { makeRunRequest, pickSettingFlags } from "../../watch/run-request.js";
import { watchRun, type RunToWatch } from "../../watch/watch-run.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";

/** Releases the project, or shows the plan. */
export async function push(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  await refuseAgents(context, {
    what: "an agent of a run may not release",
    instead: "say in the summary that it is ready",
  });
  const wanted = readWish(typed.operands[0]);
  const asked = await requestOf(context, typed, wanted);
  const json = hasFlag(typed, "--json");
  if (hasFlag(typed, "--dry-run")) return showPlan(context, asked, json);
  const { view, ...end } = await watchRun(context, asked, { manner: json ? "silent" : "progress" });
  if (json && view.release !== undefined) await printJson(context, releaseAnswer(view, view.release));
  return end;
}

async function requestOf(
  context: CommandContext,
  typed: Typed,
  wanted: string | undefined,
): Promise<RunToWatch> {
  const project = await projectOf(context, { flags: pickSettingFlags(context, typed), quiet: true });
  return { ...makeRunRequest(context, typed, project), release: given({ wanted }) };
}

async function showPlan(context: CommandContext, asked: RunToWatch, json: boolean): Promise<CommandOutcome> {
  const plan = await planRelease({ ...asked, terminal: false, hangsUp: false });
  const answer = plannedReleaseAnswer(plan, asked.project.resolved.settings.verify.commands);
  if (json) {
    await printJson(context, answer);
    return "ok";
  }
  const { out } = context;
  const colours = coloursFor(out.colour);
  const prompt = (answer.prompt ?? "").split("\n").map((line) => clean(line.replaceAll("\t", "  ")));
  const shown = answer.prompt === null ? [] : ["", colours.bold("the prompt"), "", ...prompt];
  const lines = [...planLines(answer, colours), ...shown];
  await printLines(out, out.isTerminal ? lines.flatMap((line) => hang(line, out.columns())) : lines);
  return "ok";
}
