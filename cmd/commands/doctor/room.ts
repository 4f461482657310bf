// Tries the checks in a cold room, if their commands are approved, and says what that means for a run.
import { describeRedCheck } from "../../../src/gate/verdict/red-check.js";
import { seemsToLack } from "../../../src/gate/rooms/room-fitness.js";
import type { Ran } from "../../../src/gate/verdict.js";
import { GitError } from "../../../src/git/base/git.js";
import { openRepository } from "../../../src/git/base/repository/repository.js";
import { tryChecks, type Trial, mayRun } from "../../../src/loop/explain/project-room.js";
import { findLiveRun } from "../../../src/loop/runs/live-run.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/run-request.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { UserError } from "../../../src/system/errors.js";
import type { CheckResult } from "../../../src/todo/check/check.js";
import { bad, fine, warning, type Check } from "../../../src/ui/answers/project/doctor.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import { stopOnSignal } from "../../lookup/stop-on-signal.js";
import type { CommandContext } from "../../context/command-context.js";

const NAME = "checks";
const LIMIT_MINUTES = 3;
const APPROVE = "approve them: looper doctor --trust once, or the question of a run on a terminal for good";

type Backlog = CheckResult | string | undefined;

function contentOf(backlog: Backlog) {
  return typeof backlog === "object" && backlog.kind === "ok" ? backlog.backlog : undefined;
}

/** Whether the commands that the project's files name are approved. */
export function isApproved(
  { ports, env, home }: CommandContext,
  project: Project,
  { backlog, trust }: { backlog: Backlog; trust: boolean },
): Promise<boolean> {
  const tasks = contentOf(backlog)?.tasks ?? [];
  const lists = [tasks.filter(({ status }) => status !== "done"), tasks, []];
  return mayRun({ ports, project, env, home, trust: trust || env["CI"] === "true" }, lists);
}

/** The line on the checks of the project: what they do in a room of its commit, or why that was not tried. */
export async function checkRoom(
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
