// `looper push [version]`: a release prepared by an agent and checked by the runner. Leaves the work to src/loop/, the display to watch-run.ts.
import { Argument, Option } from "commander";
import { planRelease } from "../../src/loop/start/open-release.js";
import { readWish } from "../../src/release/survey.js";
import { given } from "../../src/system/given.js";
import { coloursFor } from "../../src/ui/colours.js";
import { plannedReleaseAnswer, releaseAnswer } from "../../src/ui/answers/project/release.js";
import { planLines } from "../../src/ui/terminal/lines/release-lines.js";
import { clean, hang } from "../../src/ui/text.js";
import { printJson, printLines, projectOf } from "../lookup/project.js";
import { type CommandOutcome, type CommandContext } from "../context/command-context.js";
import {
  makeRunRequest,
  pickSettingFlags,
  watchRun,
  type RunToWatch,
  type StartLine,
} from "../watch/watch-run.js";
import { JSON_OPTION, TRUST, type WorkingCommand } from "../context/command.js";
import { settingOption } from "../context/setting-flags.js";
import { refuseAgents } from "../lookup/under-an-agent.js";

export const command: WorkingCommand<StartLine> = {
  arguments: [new Argument("[version]", "patch, minor, major or a version (default: the agent chooses)")],
  options: [
    new Option("--agent <name>", "the agent that prepares it (default: roles.push)"),
    settingOption("--model"),
    settingOption("--verify", "must pass before and after"),
    TRUST,
    new Option("-y", "do not ask before pushing and publishing"),
    new Option("--dry-run", "show the release and the prompt; change nothing"),
    JSON_OPTION,
  ],
  examples: [
    ["looper push", "let the agent choose the version; asks before the push"],
    ["looper push minor --dry-run", "show what would be released, and the prompt"],
  ],
  work: push,
};

async function push(context: CommandContext, request: StartLine): Promise<CommandOutcome> {
  await refuseAgents(context, {
    what: "an agent of a run may not release",
    instead: "say in the summary that it is ready",
  });
  const wanted = readWish(request.words[0]);
  const asked = await requestOf(context, request, wanted);
  const json = request.json === true;
  if (request.dryRun === true) return showPlan(context, asked, json);
  const { view, ...end } = await watchRun(context, asked, { manner: json ? "silent" : "progress" });
  if (json && view.release !== undefined) await printJson(context, releaseAnswer(view, view.release));
  return end;
}

async function requestOf(
  context: CommandContext,
  request: StartLine,
  wanted: string | undefined,
): Promise<RunToWatch> {
  const project = await projectOf(context, { flags: pickSettingFlags(context, request), quiet: true });
  return { ...makeRunRequest(context, request, project), release: given({ wanted }) };
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
