// `looper clean`: removes old runs and sessions. Leaves which are still needed, and removing them, to
// src/loop/runs/clean-logs.ts and clean-sessions.ts.
import path from "node:path";
import { Option } from "commander";
import type { Project } from "../../src/config/project/open-project.js";
import { openRepository } from "../../src/git/base/repository/repository.js";
import { selectOld, type CleanWish } from "../../src/logging/retention.js";
import { parseStart } from "../../src/logging/run-id.js";
import {
  type CleanPlan,
  type LogSite,
  mayHaveRepository,
  planClean,
  removeRuns,
  surveyLogs,
} from "../../src/loop/runs/clean-logs.js";
import { planSessions, removeSessions, type SessionPlan } from "../../src/loop/runs/clean-sessions.js";
import { makeRepositoryPlaces } from "../../src/loop/runs/run-request.js";
import { environmentError, usageError, UserError } from "../../src/system/errors.js";
import { describeKind } from "../../src/system/files/describe-kind.js";
import { given } from "../../src/system/given.js";
import { parseDuration } from "../../src/system/text/duration.js";
import { listCopies } from "../../src/todo/store/backlog-file.js";
import { cleanAnswer, cleanSessionsAnswer } from "../../src/ui/answers/runs/runs.js";
import { cleanLines } from "../../src/ui/terminal/lines/clean-lines.js";
import { plural, showBytes } from "../../src/ui/view/words/amounts.js";
import { JSON_OPTION, type AnsweringCommand } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { readCount } from "../context/words.js";
import { lookOf, projectOf, shownPath } from "../lookup/project.js";

const PROPOSED = 10;

interface Request {
  keep?: string;
  age?: string;
  dryRun?: true;
  y?: true;
  json?: true;
}

/** Removes the runs and sessions that the flags select; without such flags it asks. */
export const command: AnsweringCommand<Request> = {
  options: [
    new Option("--keep <n>", "keep the newest n runs and n sessions"),
    new Option("--age <time>", "remove only older ones, e.g. 7d; combines with --keep"),
    new Option("--dry-run", "show what would be removed; remove nothing"),
    new Option("-y", "do not ask; remove what it would propose"),
    JSON_OPTION,
  ],
  examples: [
    ["looper clean --keep 20 --dry-run", "show what would be removed, and why the rest is kept"],
    ["looper clean --age 30d", "remove runs and sessions older than 30 days"],
  ],
  refused: ["remove runs", "report it in the summary"],
  answer: async (context, request) => {
    const wish = wishOf(request);
    const unsaid = wish.keep === undefined && wish.ageMs === undefined;
    if (unsaid && request.y !== true && request.dryRun !== true && !context.stdin.isTerminal)
      throw usageError(
        "cannot choose which runs to remove: no terminal to ask on",
        "specify --keep 10 or --age 30d, or accept the default with -y",
      );
    const project = await projectOf(context);
    await mustBeFolder(context, project);
    const site = await siteOf(context, project);
    const survey = await surveyLogs(site);
    const keep = project.resolved.settings.log.keep ?? PROPOSED;
    const asked = unsaid ? { keep } : wish;
    const selected = selectOld(survey.runs, asked, { began: parseStart, now: context.ports.clock.now() });
    const plan = await planClean(site, survey, selected);
    const sessions = await planSessions(site, asked);
    const all = [plan.remove, survey.going, sessions.remove, sessions.going];
    const asks = unsaid && request.dryRun !== true && all.some(({ length }) => length > 0);
    if (asks && !(await isAgreed(context, request, proposalOf(plan.remove, sessions.remove, keep))))
      return { json: undefined, lines: [], end: "no" };
    const cleaned = request.dryRun === true ? undefined : await removeRuns(site, survey, plan);
    const cleanedSessions = request.dryRun === true ? undefined : await removeSessions(site, sessions);
    const copies = await listCopies(context.ports.files, project.todoFile);
    const answered = { cleaned, copies, sessions: cleanSessionsAnswer(sessions, cleanedSessions) };
    const json = cleanAnswer(survey, plan, answered);
    const shown = { ...json, copies: copies.map((file) => shownPath(context, file)) };
    return { json, lines: cleanLines(shown, lookOf(context.out)) };
  },
};

async function isAgreed(context: CommandContext, { y, json }: Request, text: string): Promise<boolean> {
  if (y === true) {
    if (json !== true) await context.report({ level: "info", lines: [text] });
    return true;
  }
  const agreed = await context.confirm(`${text}?`, []);
  if (!agreed) await context.report({ level: "info", lines: ["nothing was removed"] });
  return agreed;
}

function wishOf({ keep, age }: Request): CleanWish {
  const count = readCount("--keep", keep, "looper clean --keep 10");
  const ageMs = age === undefined ? undefined : parseDuration(age);
  if (age !== undefined && ageMs === undefined)
    throw usageError(
      `--age is ${age}; allowed: a duration such as 12h, 7d or 1d12h, or a number of seconds`,
      "e.g. looper clean --age 30d",
    );
  return given({ keep: count, ageMs });
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
  throw environmentError(message, "git says which runs are still needed: mend it first");
}

/** The default action, as a question and as a statement. */
function proposalOf(runs: CleanPlan["remove"], old: SessionPlan["remove"], keep: number): string {
  const what = [
    ...(runs.length > 0 || old.length === 0 ? [`${plural(runs.length, "run")}, ${sizeOf(runs)}`] : []),
    ...(old.length > 0 ? [`${plural(old.length, "session")} of Chapo, ${sizeOf(old)}`] : []),
  ];
  return `Remove ${what.join(", and ")}, and keep the newest ${keep}${old.length === 0 ? "" : " of each"}`;
}

function sizeOf(all: readonly { bytes: number }[]): string {
  return showBytes(all.reduce((sum, one) => sum + one.bytes, 0));
}
