// `looper clean`: removes old runs and sessions. Leaves to src/loop/runs/clean-logs.ts and clean-sessions.ts which are still
// needed, and removing.
import { cleanAnswer, cleanSessionsAnswer } from "../../../src/ui/answers/runs/clean.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/repository-places.js";
import path from "node:path";
import { parseDuration } from "../../../src/system/text/duration.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { openRepository } from "../../../src/git/base/repository/repository.js";
import { selectRunsToClean, type CleanWish } from "../../../src/logging/retention.js";
import { parseStart } from "../../../src/logging/run-id.js";
import {
  measureRun,
  mayHaveRepository,
  planClean,
  removeRuns,
  surveyLogs,
  type CleanPlan,
  type LogSurvey,
} from "../../../src/loop/runs/clean-logs.js";
import { planSessions, removeSessions, type SessionPlan } from "../../../src/loop/runs/clean-sessions.js";
import type { LogSite } from "../../../src/loop/runs/needed-runs.js";
import { UserError } from "../../../src/system/errors.js";
import { describeKind } from "../../../src/system/files/describe-kind.js";
import { given } from "../../../src/system/given.js";
import { listCopies } from "../../../src/todo/store/backlog-file.js";
import { plural, showBytes, showMoment } from "../../../src/ui/view/words/amounts.js";
import type { CleanAnswer } from "../../../src/ui/shapes/runs.js";
import { cleanLines } from "../../../src/ui/terminal/lines/clean-lines.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { clean as cleanText } from "../../../src/ui/text.js";
import { printJson, printLines, projectOf, shownPath } from "../../lookup/project.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";

/** How many runs to keep by default. */
const PROPOSED = 10;

/** Removes the runs and sessions that the flags select; without such flags it asks. */
export async function clean(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  await refuseAgents(context, {
    what: "an agent of a run may not remove runs",
    instead: "report it in the summary",
  });
  const wish = wishOf(typed);
  const [dryRun, agreed] = [hasFlag(typed, "--dry-run"), hasFlag(typed, "-y")];
  const unsaid = wish.keep === undefined && wish.ageMs === undefined;
  if (unsaid && !agreed && !dryRun && !context.stdin.isTerminal)
    throw new UserError(
      "usage",
      "cannot choose which runs to remove: no terminal to ask on",
      "specify --keep 10 or --age 30d, or accept the default with -y",
    );
  const project = await projectOf(context);
  await mustBeFolder(context, project);
  const site = await siteOf(context, project);
  const survey = await surveyLogs(site);
  const keep = project.resolved.settings.log.keep ?? PROPOSED;
  const asked = unsaid ? { keep } : wish;
  const plan = await planClean(
    site,
    survey,
    selectRunsToClean(survey.runs, asked, context.ports.clock.now()),
  );
  const sessions = await planSessions(site, asked);
  const nothing = [plan.remove, survey.going, sessions.remove, sessions.going].every(
    ({ length }) => length === 0,
  );
  if (unsaid && !dryRun && !nothing) {
    const proposal = await proposalOf(context, site, { survey, plan, sessions, keep });
    const isTold = agreed && !hasFlag(typed, "--json");
    if (isTold) await context.report({ level: "info", lines: [proposal.text] });
    if (!agreed && !(await context.confirm(`${proposal.text}?`, proposal.about))) {
      await context.report({ level: "info", lines: ["nothing was removed"] });
      return "no";
    }
  }
  const cleaned = dryRun ? undefined : await removeRuns(site, survey, plan);
  const cleanedSessions = dryRun ? undefined : await removeSessions(site, sessions);
  const copies = await listCopies(context.ports.files, project.todoFile);
  const answered = { cleaned, copies, sessions: cleanSessionsAnswer(sessions, cleanedSessions) };
  await print(context, typed, cleanAnswer(survey, plan, answered));
  return "ok";
}

function wishOf(typed: Typed): CleanWish {
  const [keep, age] = [textFlag(typed, "--keep"), textFlag(typed, "--age")];
  if (keep !== undefined && !/^\d{1,9}$/.test(keep))
    throw new UserError(
      "usage",
      `--keep is ${keep}; allowed: a whole number, at least 0`,
      "e.g. looper clean --keep 10",
    );
  const ageMs = age === undefined ? undefined : parseDuration(age);
  if (age !== undefined && ageMs === undefined)
    throw new UserError(
      "usage",
      `--age is ${age}; allowed: a duration such as 12h, 7d or 1d12h, or a number of seconds`,
      "e.g. looper clean --age 30d",
    );
  return {
    ...(keep === undefined ? {} : { keep: Number(keep) }),
    ...given({ ageMs }),
  };
}

/** Refuses a log folder that is a link or a file: a linked folder belongs to the person who made the link. */
async function mustBeFolder(context: CommandContext, { logDir }: Project): Promise<void> {
  const runs = path.join(logDir, "runs");
  const kind = (await context.ports.files.stat(runs, { link: true }))?.kind;
  if (kind === undefined || kind === "folder") return;
  throw new UserError(
    "no",
    `${shownPath(context, runs)} is ${describeKind(kind)}, not a folder: nothing in it is removed`,
    "set log_dir to the folder of the runs",
  );
}

async function siteOf({ ports, env }: CommandContext, project: Project): Promise<LogSite> {
  const opened = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  if (opened.ok) return { ports, project, repo: opened.value };
  const { why, message } = opened.error;
  if (
    why === "no-repository" ||
    (why === "no-git" && !(await mayHaveRepository(ports.files, project.folder)))
  )
    return { ports, project };
  throw new UserError("environment", message, "git says which runs are still needed: mend it first");
}

/** The default action, as a question and as a statement. */
async function proposalOf(
  context: CommandContext,
  site: LogSite,
  {
    survey,
    plan,
    sessions,
    keep,
  }: { survey: LogSurvey; plan: CleanPlan; sessions: SessionPlan; keep: number },
): Promise<{ text: string; about: string[] }> {
  let bytes = 0;
  for (const run of survey.runs) bytes += await measureRun(site, run);
  const there = `${plural(survey.runs.length, "run")}, ${showBytes(bytes)}`;
  const { remove } = plan;
  const first = remove[0] === undefined ? "" : ` (the oldest of ${momentOf(context, remove[0].run)})`;
  const runs = `${plural(remove.length, "run")}, ${sizeOf(remove)}${first}`;
  const old = sessions.remove;
  const what = [
    ...(remove.length > 0 || old.length === 0 ? [runs] : []),
    ...(old.length > 0 ? [`${plural(old.length, "session")} of Chapo, ${sizeOf(old)}`] : []),
  ];
  const text = `Remove ${what.join(", and ")}, and keep the newest ${keep}${old.length === 0 ? "" : " of each"}`;
  return { text, about: [`${there} in ${cleanText(shownPath(context, site.project.logDir))}`] };
}

function sizeOf(all: readonly { bytes: number }[]): string {
  return showBytes(all.reduce((sum, one) => sum + one.bytes, 0));
}

function momentOf({ ports }: CommandContext, run: string): string {
  return showMoment(parseStart(run), ports.clock.now());
}

async function print(context: CommandContext, typed: Typed, answer: CleanAnswer): Promise<void> {
  if (hasFlag(typed, "--json")) return printJson(context, answer);
  const { out } = context;
  const look = { colours: coloursFor(out.colour) };
  const columns = out.isTerminal ? { columns: out.columns() } : {};
  const copies = answer.copies.map((file) => shownPath(context, file));
  return printLines(out, cleanLines({ ...answer, copies }, { ...look, ...columns }));
}
