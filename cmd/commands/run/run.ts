// `looper run [file]`: the loop. Leaves the display to watch-run.ts.
import { planAnswer } from "../../../src/ui/answers/runs/plan.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { UserError } from "../../../src/system/errors.js";
import { planRun, type RunPlan } from "../../../src/loop/start/plan-run.js";
import { given } from "../../../src/system/given.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { clean, cut, widthOf, withoutSteering, wrap } from "../../../src/ui/text.js";
import { rowsOf } from "../../../src/ui/view/rows.js";
import type { View } from "../../../src/ui/view/view.js";
import { openReport } from "../../watch/junit-file.js";
import { hintOfFile, mustBeReadable, printJson, printLines, projectOf } from "../../lookup/project.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import type { Manner } from "../../watch/run-display.js";
import { makeRunRequest, pickSettingFlags } from "../../watch/run-request.js";
import { watchRun, type RunToWatch } from "../../watch/watch-run.js";

/** Runs the loop, or shows its plan. */
export async function run(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const asked = await readRequest(context, typed);
  const { project } = asked;
  if (hasFlag(typed, "--dry-run")) return showPlan(context, typed, asked);
  const junit = textFlag(typed, "--junit");
  const end = await watchRun(context, asked, {
    manner: mannerOf(typed),
    askPerson: async (asked) => {
      const { askInPlace } = await import("./ask-in-place.js");
      return askInPlace(context, project, asked);
    },
    ...(junit === undefined ? {} : { junit: await openReport(context, junit, project.todoFile) }),
  });
  const isFailed =
    hasFlag(typed, "--fail-unverified") && end.ending === "complete" && hasUnverified(end.view);
  return isFailed ? "no" : end;
}

/** Reads the project, its settings and what was typed. */
export async function readRequest(context: CommandContext, typed: Typed): Promise<RunToWatch> {
  const flags = pickSettingFlags(context, typed);
  // The run itself reports warnings, a plan does not.
  const quiet = !hasFlag(typed, "--dry-run") || hasFlag(typed, "--quiet");
  const project = await projectOf(context, { file: typed.operands[0], flags, quiet });
  await mustBeReadable(context, project.todoFile);
  await mustBeMeant(context, typed, project.todoFile);
  return request(context, typed, project);
}

function hasUnverified(view: View): boolean {
  return rowsOf(view).some(({ last, removed }) => last.unverified === true && removed !== true);
}

/** Refuses a named task file that does not exist, unless `--prompt` asks for it to be written. */
async function mustBeMeant({ ports }: CommandContext, typed: Typed, todoFile: string): Promise<void> {
  const [file] = typed.operands;
  if (file === undefined || textFlag(typed, "--prompt") !== undefined || hasFlag(typed, "-y")) return;
  if ((await ports.files.stat(todoFile)) !== undefined) return;
  const hint = await hintOfFile(ports.files, todoFile, `--prompt "what to build" has an agent write it`);
  throw new UserError("usage", `no task file ${todoFile}`, hint);
}

function mannerOf(typed: Typed): Manner {
  if (hasFlag(typed, "--json")) return "json";
  return hasFlag(typed, "--quiet") ? "quiet" : "progress";
}

async function request(context: CommandContext, typed: Typed, project: Project): Promise<RunToWatch> {
  const only = textFlag(typed, "--task");
  const prompt = textFlag(typed, "--prompt");
  const idea = prompt === "-" ? await context.stdin.readAll() : prompt;
  if (idea !== undefined && !/\S/u.test(idea))
    throw new UserError("usage", "--prompt is empty", 'say what to build: --prompt "a small web shop"');
  return { ...makeRunRequest(context, typed, project), ...given({ only, idea }) };
}

async function showPlan(context: CommandContext, typed: Typed, asked: RunToWatch): Promise<CommandOutcome> {
  const plan = await planRun({ ...asked, terminal: false, hangsUp: false });
  for (const warning of plan.warnings ?? [])
    await context.report({ level: "warn", lines: [`looper: ${clean(warning)}`] });
  if (hasFlag(typed, "--json")) await printJson(context, planAnswer(plan));
  else await printLines(context.out, planLines(context, plan, hasFlag(typed, "--quiet")));
  return "ok";
}

/** Fits lines to the terminal: titles are truncated, the prompt is wrapped. */
function planLines({ out }: CommandContext, plan: RunPlan, quiet: boolean): string[] {
  const columns = out.isTerminal ? out.columns() : undefined;
  if ("nothing" in plan) return wrap(`nothing would be started: ${clean(plan.nothing)}`, columns);
  const colours = coloursFor(out.colour);
  const steps = plan.steps.map(({ iteration, task, title, agent, workflow, stage }) => {
    const place = workflow === undefined ? "" : ` · ${clean(workflow)}: ${clean(stage ?? "lost")}`;
    const head = `${String(iteration).padStart(3)}  ${clean(task)} `;
    const tail = `${place}${agent === "" ? "" : ` · ${clean(agent)}`}`;
    const room = columns === undefined ? undefined : Math.max(0, columns - widthOf(head) - widthOf(tail));
    return head + (room === undefined ? clean(title) : cut(clean(title), room)) + colours.dim(tail);
  });
  if (quiet) return steps;
  if (plan.prompt === "") return ["if every attempt succeeds:", ...steps];
  const heading = colours.bold(`the prompt of ${clean(plan.steps[0]?.task ?? "")}`);
  const prompt = plan.prompt
    .split("\n")
    .map((line) => line.split("\t").map(withoutSteering).join("\t"))
    .flatMap((line) => wrap(columns === undefined ? line : line.replaceAll("\t", "  "), columns));
  return ["if every attempt succeeds:", ...steps, "", heading, "", ...prompt];
}
