// `looper run [file]`: the loop. Leaves the display to watch-run.ts.
import { planAnswer } from "../../src/ui/answers/runs/runs.js";
import { usageError, UserError } from "../../src/system/errors.js";
import { planRun, type RunPlan } from "../../src/loop/start/plan-run.js";
import { given } from "../../src/system/given.js";
import { coloursFor } from "../../src/ui/colours.js";
import { clean, cut, widthOf, withoutSteering, wrap } from "../../src/ui/text.js";
import { rowsOf, verdictsOf } from "../../src/ui/view/rows.js";
import { plural, showCost, showCount, showDuration } from "../../src/ui/view/words/amounts.js";
import { hintOfFile, mustBeReadable, printLines, projectOf, warn } from "../lookup/project.js";
import { type CommandOutcome, type CommandContext } from "../context/command-context.js";
import {
  makeRunRequest,
  openReport,
  pickSettingFlags,
  watchRun,
  type RunToWatch,
  type StartLine,
} from "../watch/watch-run.js";
import { serveBeside } from "../watch/serve-beside.js";
import { Option } from "commander";
import { FILE, list, TRUST, type CommandAnswer, type WorkingCommand } from "../context/command.js";
import { hintOnSentence } from "../context/words.js";
import { readTasks } from "../lookup/read-tasks.js";
import { SETTING_OPTIONS } from "../context/setting-flags.js";

export interface RunLine extends StartLine {
  task?: string;
  prompt?: string;
  junit?: string;
  wait?: true;
  serve?: true;
  failUnverified?: true;
  quiet?: true;
  /** `looper` alone was typed. */
  bare?: true;
}

export const command: WorkingCommand<RunLine> = {
  arguments: [FILE],
  options: [
    new Option("--agent <name>", "the agent of every phase"),
    ...SETTING_OPTIONS,
    new Option("--task <id>", "only this task and its dependencies"),
    list("--skip <stage>", "pass this analyze stage; repeatable"),
    list("--auto-approve <stage>", "answer this ask stage as approved; repeatable"),
    new Option("--wait", "sleep while only questions are open"),
    new Option("--serve", "show it in a browser too, as `looper serve` does"),
    new Option("--prompt <text>", "the idea for a first task file; - reads stdin"),
    TRUST,
    new Option("-y", "do not ask before writing the first task file"),
    new Option("--dry-run", "show the plan; start nothing, write nothing"),
    new Option("--junit <file>", "write the result as JUnit XML, a case per task"),
    new Option("--fail-unverified", "exit with 1 when a task ended unverified"),
    new Option("--json", "print events as JSON lines; with --dry-run the plan"),
    new Option("--quiet", "print only the result and errors"),
  ],
  examples: [
    ["looper run --dry-run", "show the plan; start nothing"],
    ["looper run --max-duration 8h --max-cost 20", "work overnight, within a budget"],
  ],
  work: run,
};

async function run(context: CommandContext, request: RunLine): Promise<CommandOutcome | CommandAnswer> {
  const asked = await readRequest(context, request);
  const { project } = asked;
  if (request.dryRun === true) return showPlan(context, request, asked);
  if (request.bare === true && !(await isMeant(context, asked))) return { ending: "interrupted" };
  const { junit, json, quiet } = request;
  const watching = {
    manner: json === true ? "json" : quiet === true ? "quiet" : "progress",
    asksHere: true,
    ...(junit === undefined ? {} : { junit: await openReport(context, junit, project.todoFile) }),
  } as const;
  const work = (): ReturnType<typeof watchRun> => watchRun(context, asked, watching);
  const end = request.serve === true ? await serveBeside(context, project, work) : await work();
  if (request.failUnverified !== true || end.ending !== "complete") return end;
  return verdictsOf(rowsOf(end.view)).some(({ verdict }) => verdict === "unverified") ? "no" : end;
}

/** The most steps that are shown before a run. */
const MOST_STEPS = 12;

/** `looper` alone at a terminal shows the plan and waits for Enter. A run without valid tasks asks itself. */
async function isMeant(context: CommandContext, asked: RunToWatch): Promise<boolean> {
  const { stdin, out } = context;
  if (!stdin.isTerminal || !out.isTerminal) return true;
  const plan = await planRun({ ...asked, terminal: true, hangsUp: false }).catch((error: unknown) => {
    if (error instanceof UserError) return undefined;
    throw error;
  });
  if (plan === undefined || "nothing" in plan) return true;
  const steps = planLines(context, plan, true);
  const more = steps.length - MOST_STEPS;
  const { max_iterations, max_duration, max_cost_usd, max_tokens } = asked.project.resolved.settings.loop;
  const limits = [
    plural(max_iterations, "attempt"),
    ...(max_duration === undefined || max_duration === 0 ? [] : [showDuration(max_duration)]),
    ...(max_cost_usd === undefined ? [] : [showCost(max_cost_usd)]),
    ...(max_tokens === undefined ? [] : [`${showCount(max_tokens)} tokens`]),
  ];
  await printLines(out, [
    ...steps.slice(0, MOST_STEPS),
    ...(more > 0 ? [`     and ${plural(more, "more task")}`] : []),
    `at most ${limits.join(", ")}`,
  ]);
  const said = await context.ask("Enter starts the run, Ctrl-C leaves", "looper run does not ask");
  // A word that is not a yes was not meant to start anything.
  return ["", "y", "yes"].includes(said?.trim().toLowerCase() ?? "no");
}

export async function readRequest(context: CommandContext, request: RunLine): Promise<RunToWatch> {
  const flags = pickSettingFlags(context, request);
  // The run itself reports warnings, a plan does not.
  const quiet = request.dryRun !== true || request.quiet === true;
  const project = await projectOf(context, { file: request.words[0], flags, quiet });
  await mustBeReadable(context, project.todoFile);
  await mustBeMeant(context, request, project.todoFile);
  const { task: only, prompt, wait } = request;
  const idea = prompt === "-" ? await context.stdin.readAll() : prompt;
  if (idea !== undefined && !/\S/u.test(idea))
    throw usageError("--prompt is empty", 'say what to build: --prompt "a small web shop"');
  return { ...makeRunRequest(context, request, project), ...given({ only, idea, wait }) };
}

/** Refuses a named task file that does not exist, unless `--prompt` asks for it to be written. */
async function mustBeMeant(context: CommandContext, request: RunLine, todoFile: string): Promise<void> {
  const { ports } = context;
  const [file] = request.words;
  if (file === undefined || request.prompt !== undefined || request.y === true) return;
  if ((await ports.files.stat(todoFile)) !== undefined) return;
  const sentence = hintOnSentence(file);
  if (sentence !== undefined) throw usageError(`no task file ${todoFile}`, sentence);
  const { tasks } = await readTasks(context, await projectOf(context, { quiet: true })).catch(() => ({
    tasks: [],
  }));
  if (tasks.some(({ id }) => id === file))
    throw usageError(`${file} is a task, and run takes a task file`, `looper run --task ${file}`);
  const hint = await hintOfFile(ports.files, todoFile, `--prompt "what to build" has an agent write it`);
  throw usageError(`no task file ${todoFile}`, hint);
}

async function showPlan(
  context: CommandContext,
  { quiet }: RunLine,
  asked: RunToWatch,
): Promise<CommandAnswer> {
  const plan = await planRun({ ...asked, terminal: false, hangsUp: false });
  for (const warning of plan.warnings ?? []) await warn(context, warning);
  return { json: planAnswer(plan), lines: planLines(context, plan, quiet === true) };
}

/** Fits lines to the terminal: titles are truncated, the prompt is wrapped. */
function planLines({ out }: CommandContext, plan: RunPlan, quiet: boolean): string[] {
  const columns = out.isTerminal ? out.columns() : undefined;
  if ("nothing" in plan) return wrap(`nothing would be started: ${clean(plan.nothing)}`, columns);
  const colours = coloursFor(out.colour);
  const steps = plan.steps.flatMap(({ iteration, task, title, agent, workflow, stage, then = [] }) => {
    const place = workflow === undefined ? "" : ` · ${clean(workflow)}: ${clean(stage ?? "lost")}`;
    const head = `${String(iteration).padStart(3)}  ${clean(task)} `;
    const tail = `${place}${agent === "" ? "" : ` · ${clean(agent)}`}`;
    const room = columns === undefined ? undefined : Math.max(0, columns - widthOf(head) - widthOf(tail));
    const line = head + (room === undefined ? clean(title) : cut(clean(title), room)) + colours.dim(tail);
    if (quiet || then.length === 0) return [line];
    const later = then.map((one) => `${one.stage}${one.agent === "" ? "" : ` (${one.agent})`}`).join(", ");
    return [
      line,
      ...wrap(clean(`then ${later}`), columns && columns - 5).map((text) => colours.dim(`     ${text}`)),
    ];
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
