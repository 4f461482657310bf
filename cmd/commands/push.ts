// `looper push [version]`: a release prepared by an agent and checked by the runner, in src/loop/release.
import { Argument, Option } from "commander";
import { planRelease } from "../../src/loop/release/release.js";
import { readWish } from "../../src/loop/release/survey-release.js";
import { given } from "../../src/system/given.js";
import {
  plannedReleaseAnswer,
  releaseAnswer,
  type ReleaseDone,
} from "../../src/ui/answers/project/project.js";
import { clean, cleanLines } from "../../src/ui/text.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import { printJson, printLines, projectOf } from "../lookup/project.js";
import { type CommandOutcome, type CommandContext } from "../context/command-context.js";
import {
  makeRunRequest,
  pickSettingFlags,
  watchRun,
  type RunToWatch,
  type StartLine,
} from "../watch/watch-run.js";
import { JSON_OPTION, TRUST, type CommandAnswer, type WorkingCommand } from "../context/command.js";
import { settingOption } from "../context/setting-flags.js";

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
  refused: ["release", "say in the summary that it is ready"],
  work: push,
};

async function push(context: CommandContext, request: StartLine): Promise<CommandOutcome | CommandAnswer> {
  const wanted = readWish(request.words[0]);
  const project = await projectOf(context, { flags: pickSettingFlags(context, request), quiet: true });
  const asked = { ...makeRunRequest(context, request, project), release: given({ wanted }) };
  const json = request.json === true;
  if (request.dryRun === true) return planAnswer(asked);
  const { view, released, ...end } = await watchRun(context, asked, { manner: json ? "silent" : "progress" });
  if (released === undefined) return end;
  const answer = releaseAnswer(released, view);
  if (json) await printJson(context, answer);
  else await printRelease(context, answer, released.next ?? "");
  return end;
}

/** Prints the result on stdout, and why it went no further on stderr. */
async function printRelease(context: CommandContext, answer: ReleaseDone, nextStep: string): Promise<void> {
  const { outcome, version, tag, commit, from, problems, rescue, pushed } = answer;
  const was = from === null ? "" : ` (was ${from})`;
  const made = `${outcome} ${version ?? ""}${was}: ${tag ?? ""} at ${(commit ?? "").slice(0, 12)}`;
  const where = pushed
    ? []
    : ["not pushed: no remote", "next: git remote add origin URL, then git push --follow-tags"];
  if (outcome === "released") await printLines(context.out, [made, ...where].map(clean));
  if (outcome === "made") await printLines(context.out, [clean(`${made}, here only`)]);
  if (problems.length === 0) return;
  const kept = rescue === null ? [] : [`what the agent changed is kept: git show ${rescue}`];
  const next = outcome === "not-released" ? ["the tree is as before", ...kept] : [`by hand: ${nextStep}`];
  const [first = "", ...more] = problems;
  const lines = [
    outcome === "not-released" ? `looper: not released: ${first}` : `looper: ${first}`,
    ...[...more, ...next].map((line) => `  ${line}`),
  ];
  await context.report({ level: "error", lines: lines.flatMap(cleanLines), facts: { outcome } });
}

async function planAnswer(asked: RunToWatch): Promise<CommandAnswer> {
  const json = plannedReleaseAnswer(await planRelease({ ...asked, terminal: false, hangsUp: false }));
  const { from, wanted, last_tag: tag, commits, checks, agent, remote, branch, prompt } = json;
  const rows = [
    `version  ${from ?? "none yet"}, wanted: ${wanted ?? "the agent chooses"}`,
    `changes  ${plural(commits, "commit")}${tag === null ? "" : ` since ${tag}`}`,
    `checks   ${checks.length === 0 ? "none: verify.commands is empty" : checks.join(", ")}`,
    `agent    ${agent}`,
    `pushes   ${remote === null ? "nowhere: no remote" : `${branch} and the tag to ${remote}`}`,
  ];
  const lines = [...rows, "", ...prompt.split("\n")].map((line) => clean(line.replaceAll("\t", "  ")));
  return { json, lines };
}
