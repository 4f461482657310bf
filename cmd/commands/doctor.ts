// `looper doctor`: checks what a run needs, finds leftovers of dead runs, and tries the checks in a cold room, if
// their commands are approved. Leaves agents and the rest of the machine to doctor/.
import { Option } from "commander";
import type { Project } from "../../src/config/project/open-project.js";
import { checkStart } from "../../src/loop/start/assemble.js";
import { spellSettings } from "../../src/config/read/show-settings.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import type { DoctorAnswer } from "../../src/ui/shapes/project.js";
import { clean, wrap } from "../../src/ui/text.js";
import { checkAgents, checkKeys } from "./doctor/agents.js";
import { bad, type Check, fine, warning } from "../../src/ui/answers/project/project.js";
import {
  checkContainment,
  checkGit,
  checkLeftovers,
  checkLogFolder,
  checkNode,
  checkSandbox,
} from "./doctor/surroundings.js";
import { lookOf, projectOf, readNamedFile, runPlaceOf, shownPath } from "../lookup/project.js";
import { type AnsweringCommand, FILE, JSON_OPTION, TRUST } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { knownAgents } from "../../src/config/read/agent-settings.js";
import { GO_BACKLOG } from "../../src/config/read/places.js";
import { errorMessage, UserError } from "../../src/system/errors.js";
import { checkBacklog, type CheckResult } from "../../src/todo/check/check.js";
import { withoutMarker } from "../../src/todo/model/select.js";
import { checkOptionsOf } from "../lookup/read-tasks.js";
import { describeRedCheck } from "../../src/gate/verdict/red-check.js";
import { seemsToLack } from "../../src/gate/rooms/room-fitness.js";
import type { Ran } from "../../src/gate/verdict.js";
import { GitError } from "../../src/git/base/git.js";
import { openRepository } from "../../src/git/base/repository/repository.js";
import { mayRun, type Trial, tryChecks } from "../../src/loop/explain/project-room.js";
import { findLiveRun } from "../../src/loop/runs/live-run.js";
import { makeRepositoryPlaces } from "../../src/loop/runs/run-request.js";
import { stopOnSignal } from "../lookup/caller.js";

/** Narrower terminals get lines of this width. */
const LEAST_ROOM = 20;

interface Request {
  file?: string;
  fix?: true;
  trust?: true;
  /** Tries neither checks nor sign-ins: the server asks so. */
  untried?: true;
}

export const command: AnsweringCommand<Request> = {
  arguments: [FILE],
  options: [new Option("--fix", "end processes and remove locks of dead runs"), TRUST, JSON_OPTION],
  examples: [
    ["looper doctor", "list what is missing; exit code 1 when a run could not start"],
    ["looper doctor --trust", "also run the checks of a project that is not approved yet"],
    ["looper doctor --fix", "also remove what dead runs left behind"],
  ],
  answer: async (context, { file, fix = false, trust = false, untried = false }) => {
    const checks = [
      checkNode(context),
      await checkGit(context),
      ...(await checkProject(context, { file, fix, trust, untried })),
    ];
    const ok = checks.every(({ status }) => status !== "error");
    const json: DoctorAnswer = { ok, checks };
    return { json, lines: linesOf(checks, lookOf(context.out)), end: ok ? "ok" : "no" };
  },
};

async function checkProject(
  context: CommandContext,
  { file, fix, trust, untried }: { file: string | undefined; fix: boolean; trust: boolean; untried: boolean },
): Promise<Check[]> {
  const project = await openOrExplain(context, file);
  if (!("folder" in project)) return [project, await checkContainment(context), await checkSandbox(context)];
  const backlog = await lookAtBacklog(context, project);
  const approved = !untried && (await isApproved(context, project, { backlog, trust }));
  const checks = [
    checkConfig(context, project),
    ...(await checkAgents(context, project, { backlog, approved })),
    checkTasks(context, project, backlog),
    ...(await checkKeys(context, project)),
    await checkLogFolder(context, project),
    ...(await checkLeftovers(context, project, fix)),
    await checkRoom(context, project, { backlog, approved }),
    await checkContainment(context),
    await checkSandbox(context, project),
  ];
  return checks.some(({ status }) => status === "error")
    ? checks
    : [...checks, ...(await whatElseKeepsIt(context, project))];
}

/** The error a run would fail with, where no check reports it. */
function whatElseKeepsIt(context: CommandContext, project: Project): Promise<Check[]> {
  const place = { ...runPlaceOf(context, project), trust: true, yes: true, terminal: false, hangsUp: false };
  return checkStart(place).then(
    () => [],
    (error: unknown) => [badOf(error, "start", "looper help run")],
  );
}

/** A named file must exist; every other problem is a check's. */
async function openOrExplain(context: CommandContext, file: string | undefined): Promise<Project | Check> {
  const opened = await projectOf(context, { file, quiet: true }).catch((error: unknown) =>
    badOf(error, "config", "correct the settings"),
  );
  if (file !== undefined && "folder" in opened) await readNamedFile(context, opened.todoFile, "task file");
  return opened;
}

/** The project, and the settings that differ from the defaults. */
function checkConfig(context: CommandContext, { folder, warnings, resolved }: Project): Check {
  const set = spellSettings(resolved.values, context.env).filter(({ source }) => source.layer !== "default");
  const keys = set.map(({ key }) => key).join(", ");
  const settings = keys === "" ? "all settings are defaults" : `changed: ${keys} (looper config)`;
  if (warnings.length === 0) return fine("config", `project ${folder}: ${settings}`);
  return warning("config", warnings.join("; "), "correct, rename or unset these settings");
}

function linesOf(checks: readonly Check[], { colours, columns }: ReturnType<typeof lookOf>): string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const margin = " ".repeat(width + 4);
  const room = columns === undefined ? undefined : Math.max(LEAST_ROOM, columns - margin.length);
  const below = (lines: readonly string[], indent = ""): string[] =>
    lines.map((line, at) => (at === 0 ? line : `${margin}${indent}${line}`));
  const lines = checks.flatMap(({ name, status, message, remedy }) => {
    const [first = "", ...more] = below(wrap(clean(message), room));
    const sign = { ok: colours.green("✓"), warning: colours.yellow("!"), error: colours.red("✗") }[status];
    const said = [`${sign} ${clean(name).padEnd(width)}  ${first}`, ...more];
    if (remedy === undefined) return said;
    const [arrow = "", ...rest] = below(wrap(clean(remedy), room && room - 2), "  ");
    return [...said, `${margin}${colours.dim("→")} ${arrow}`, ...rest];
  });
  const errors = checks.filter(({ status }) => status === "error").length;
  return [...lines, errors === 0 ? startLine(checks) : `${plural(errors, "problem")} to fix`];
}

function startLine(checks: readonly Check[]): string {
  const names = checks.flatMap(({ status, name }) => (status === "warning" ? [name] : []));
  return names.length === 0
    ? "a run can start"
    : `a run can start, but see ${[...new Set(names)].join(", ")}`;
}

// Checks the project's backlog. The files that its settings name are checked as at the start of a run.

/** The backlog as it is; `undefined` when there is none, a text when it cannot be read. */
async function lookAtBacklog(context: CommandContext, project: Project) {
  try {
    const bytes = await context.ports.files.read(project.todoFile);
    if (bytes === undefined) return undefined;
    const { paths, resolved } = project;
    // A schema that cannot be used has a line of its own.
    const options = await checkOptionsOf(context, project).catch((error: unknown) => {
      if (error instanceof UserError && paths.schemaFile !== undefined)
        return { agentNames: knownAgents(resolved.settings) };
      throw error;
    });
    return checkBacklog(bytes, options);
  } catch (error) {
    return errorMessage(error);
  }
}

/** An error that the user can correct, as a check; any other is thrown. */
function badOf(error: unknown, name: string, remedy: string): Check {
  if (error instanceof UserError) return bad(name, error.message, error.hint ?? remedy);
  throw error;
}

function checkTasks(
  context: CommandContext,
  project: Project,
  backlog: CheckResult | string | undefined,
): Check {
  const file = shownPath(context, project.todoFile);
  if (backlog === undefined && project.goFiles.includes(GO_BACKLOG))
    return bad("backlog", `there is no ${file}, but ${GO_BACKLOG} of the Go program`, `move it to ${file}`);
  if (backlog === undefined)
    return warning(
      "backlog",
      `there is no ${file} yet`,
      'write one, or have it drafted: looper run --prompt "what to build"',
    );
  if (typeof backlog === "string")
    return bad("backlog", `${file} cannot be read: ${backlog}`, "make it readable");
  if (backlog.kind === "ok")
    return fine("backlog", `${file}: ${plural(withoutMarker(backlog.backlog.tasks).length, "task")}`);
  if (backlog.kind === "empty" && backlog.problems.length === 0)
    return warning(
      "backlog",
      `${file} has no tasks yet`,
      'write some, or have them drafted: looper run --prompt "what to build"',
    );
  return bad(
    "backlog",
    `${file} has ${plural(backlog.problems.length, "problem")}`,
    "looper validate shows them",
  );
}

const NAME = "checks";
const LIMIT_MINUTES = 3;
const APPROVE = "approve them: looper doctor --trust once, or the question of a run on a terminal for good";

type Backlog = CheckResult | string | undefined;

function contentOf(backlog: Backlog) {
  return typeof backlog === "object" && backlog.kind === "ok" ? backlog.backlog : undefined;
}

/** Whether the commands that the project's files name are approved. */
function isApproved(
  { ports, env, home }: CommandContext,
  project: Project,
  { backlog, trust }: { backlog: Backlog; trust: boolean },
): Promise<boolean> {
  const tasks = contentOf(backlog)?.tasks ?? [];
  const lists = [tasks.filter(({ status }) => status !== "done"), tasks, []];
  return mayRun({ ports, project, env, home, trust: trust || env["CI"] === "true" }, lists);
}

/** The line on the checks of the project: what they do in a room of its commit, or why that was not tried. */
async function checkRoom(
  context: CommandContext,
  project: Project,
  { backlog, approved }: { backlog: Backlog; approved: boolean },
): Promise<Check> {
  const { ports, env, home } = context;
  const { commands, cold } = project.resolved.settings.verify;
  const isOwn = (contentOf(backlog)?.tasks ?? []).some((task) => (task.verify ?? []).length > 0);
  if (commands.length === 0 && isOwn) return fine(NAME, "not tried: only tasks have checks, of their own");
  if (commands.length === 0)
    return warning(
      NAME,
      "none are configured: nothing proves a task done",
      'looper config set verify.commands "npm test"',
    );
  if (!approved)
    return warning(
      NAME,
      "not tried: the project's own files name commands that have not been approved yet",
      APPROVE,
    );
  if (cold === false) return fine(NAME, "not tried: they run in the project itself (verify.cold is false)");
  if ((await findLiveRun(ports, project)) !== undefined) return fine(NAME, "not tried: a run is in progress");
  const opened = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  if (!opened.ok) return notTried(opened.error.message, "git init, and commit what is there");
  await context.report({ level: "info", lines: ["looper: trying the checks in a cold room"] });
  const { signal } = stopOnSignal(context);
  const late = new AbortController();
  const timer = ports.clock.after(LIMIT_MINUTES * 60_000, () => {
    late.abort();
  });
  const root = contentOf(backlog)?.project?.root;
  try {
    const request = {
      ports,
      project,
      env,
      home,
      root,
      trust: true,
      stop: AbortSignal.any([signal, late.signal]),
    };
    const trial = await tryChecks(request, opened.value);
    return trial === "no-commit"
      ? notTried("the repository has no commit yet", "commit what is there")
      : judgeTrial(trial, project.resolved.settings.verify);
  } catch (error) {
    if (!(error instanceof GitError) && !(error instanceof UserError)) throw error;
    return warning(
      NAME,
      `no cold room can be made: ${error.message}`,
      "mend it, or set verify.cold to false",
    );
  } finally {
    timer.cancel();
  }
}

function notTried(why: string, remedy: string): Check {
  return warning(NAME, `not tried: ${why}, so there are no cold rooms`, remedy);
}

/** Decides on the line: an error only where a run would refuse to start. */
export function judgeTrial(
  { tried, setup }: Trial,
  verify: { setup: readonly string[]; strict: boolean; cold: boolean | "auto" },
): Check {
  if (tried.how === "interrupted")
    return warning(
      NAME,
      `not known: they did not end in a cold room within ${LIMIT_MINUTES} minutes`,
      "try them yourself in a fresh clone",
    );
  const install = `looper config set verify.setup ${JSON.stringify(setup ?? "<what installs the dependencies>")}`;
  const remedy = verify.setup.length === 0 ? install : "correct verify.setup, or the check";
  const refused = verify.cold === true || verify.strict ? bad : warning;
  if (tried.how === "unprepared")
    return refused(NAME, `no cold room: verify.setup fails there: ${describe(tried.ran)}`, remedy);
  const red = tried.value.commands.filter((one) => describeRedCheck(one) !== undefined);
  const lacking = red.find(seemsToLack);
  if (lacking !== undefined) {
    const so = "so they would run in the project, where a change to a check leaves a task unverified";
    return refused(NAME, `do not run in a cold room, ${so}: ${describe(lacking)}`, remedy);
  }
  const [first] = red;
  if (first !== undefined)
    return warning(
      NAME,
      `run in a cold room, and fail before any work: ${describe(first)}`,
      `correct it; or, if it passes in the project: ${install}`,
    );
  return fine(NAME, `${plural(tried.value.commands.length, "check passes", "checks pass")} in a cold room`);
}

function describe(ran: Ran): string {
  const red = describeRedCheck(ran);
  return `"${ran.command}" (${red?.how ?? ""})${red === undefined || red.line === "" ? "" : `: ${red.line}`}`;
}
