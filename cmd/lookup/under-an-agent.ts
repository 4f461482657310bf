// Detects that a command was started by an agent, check or hook of a run, and refuses what these may not do.
import { markOf } from "../../src/system/processes/mark.js";
import { UserError } from "../../src/system/errors.js";
import { findNamedFolder } from "../../src/loop/runs/live-run.js";
import { projectOf } from "./project.js";
import type { CommandContext } from "../context/command-context.js";

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
