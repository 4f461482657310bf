// The person or agent who calls a command: their name, what an agent may not do, what a person's own command
// approves, and signals.
import type { Project } from "../../src/config/project/open-project.js";
import { findStateFolder } from "../../src/config/read/places.js";
import { rememberTrust } from "../../src/config/trust/trust-store.js";
import { readTrust, type TrustLine } from "../../src/config/trust/trust.js";
import { findLiveRun, findNamedFolder } from "../../src/loop/runs/live-run.js";
import { UserError } from "../../src/system/errors.js";
import { readAccountName } from "../../src/system/processes/account.js";
import { markOf } from "../../src/system/processes/mark.js";
import type { Person } from "../../src/todo/change/person-answers.js";
import type { Task } from "../../src/todo/model/task.js";
import type { CommandContext, Signal } from "../context/command-context.js";
import { projectOf } from "./project.js";

/** The login name that an edit is recorded under; the environment of services often lacks it. */
export function nameOfUser(env: Readonly<Record<string, string>>): string {
  return env["USER"] ?? env["LOGNAME"] ?? env["USERNAME"] ?? readAccountName() ?? "unknown";
}

/** The person who types a command, or whose request the server carries out. */
export function personOf({ env, person }: Pick<CommandContext, "env" | "person">): Person {
  return person ?? { by: nameOfUser(env), via: "cli" };
}

interface Where {
  /** The task file that the command names. */
  file?: string | undefined;
  /** A Chapo session that a person types into counts as well. */
  sessions?: boolean;
}

/** `what` it may not do; `instead`: what it can do. */
export async function refuseAgents(
  context: CommandContext,
  what: string,
  instead: string,
  where: Where = {},
): Promise<void> {
  if (!(await isUnderAnAgent(context, where))) return;
  throw new UserError("no", `an agent ${where.sessions === true ? "" : "of a run "}may not ${what}`, instead);
}

/**
 * Whether this process belongs to a run: its environment says so, or, where that was cleared, a process above
 * it carries the mark of the run that works on this backlog.
 */
export async function isUnderAnAgent(
  context: CommandContext,
  { file, sessions = false }: Where = {},
): Promise<boolean> {
  const { env, ports } = context;
  if (Object.keys(env).some((name) => isMark(name) && (sessions || !MARK_OF_A_SESSION.test(name))))
    return true;
  // A project that cannot be read is reported by the command itself.
  const project = await projectOf(context, { file, quiet: true }).catch(() => undefined);
  const folder = project === undefined ? undefined : await findNamedFolder(ports, project);
  return folder !== undefined && ports.processes.descendsFrom(markOf(folder));
}

function isMark(name: string): boolean {
  return name === "LOOPER_RUN_ID" || name.startsWith("LOOPER_MARK_");
}

/** A session's id is a time, as a run's is, and six digits. */
const MARK_OF_A_SESSION = /^LOOPER_MARK_\d{4}(?:_\d\d){5}_[0-9a-f]{6}_[0-9a-f]+$/;

export interface LinesToApprove {
  project: Project;
  tasks: readonly Pick<Task, "id" | "verify">[];
  isMine: (line: TrustLine) => boolean;
}

/** Approves them. Does nothing inside a run or beside one, where an agent may be the caller. */
export async function approve(
  context: CommandContext,
  { project, tasks, isMine }: LinesToApprove,
): Promise<void> {
  const { ports, env, home } = context;
  if (
    (await isUnderAnAgent(context, { sessions: true })) ||
    (await findLiveRun(ports, project)) !== undefined
  )
    return;
  const lines = (await readTrust({ files: ports.files, project, env, home }, tasks)).filter(isMine);
  if (lines.length === 0) return;
  await rememberTrust(ports.files, findStateFolder(env, home), { project: project.folder, lines });
}

/** Finishes what has begun, in spite of signals; the third one ends the program, or the `last`. */
export function stopOnSignal(
  context: CommandContext,
  last = 3,
): { signal: AbortSignal; seen: readonly Signal[] } {
  const stop = new AbortController();
  const seen: Signal[] = [];
  context.onSignal((signal) => {
    seen.push(signal);
    stop.abort();
    return seen.length < last;
  });
  return { signal: stop.signal, seen };
}
