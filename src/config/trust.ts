// What a project's own settings and task file would have this program start (contract §2, *Trust*), and its fingerprint.
// Leaves asking to the commands, and remembering the answer to trust-store.ts.
import path from "node:path";
import { sha256Hex } from "../system/sha256.js";
import { resolvePath, type Place } from "./places.js";
import type { Resolved, Valued } from "./resolve.js";

/** One thing to be trusted: a key path or a task's `verify`, where it stands, and what it says. */
export interface TrustLine {
  what: string;
  where: string;
  value: string;
}

/** The commands in a task file; `file` as shown to people. */
export interface BacklogFacts {
  file: string;
  tasks: readonly { id: string; verify?: readonly string[] | undefined }[];
}

/**
 * Everything the project names that runs, or that changes what runs: commands, programs, modules, arguments,
 * variables, full permissions, folders outside the project. Flags, variables and the user's own file are trusted.
 */
export function listTrusted(
  resolved: Resolved,
  backlog: BacklogFacts,
  place: Pick<Place, "project" | "home">,
): TrustLine[] {
  const fromSettings = [...resolved.values]
    .filter(([, { source }]) => source.layer === "project")
    .flatMap(([key, valued]) => linesOf(key, valued, place));
  const fromTasks = backlog.tasks.flatMap(({ id, verify = [] }) =>
    verify.map((value) => ({ what: `verify of ${id}`, where: backlog.file, value })),
  );
  return [...fromSettings, ...fromTasks];
}

const RUNS_IN_GATE = new Set(["verify.commands", "verify.setup"]);
const RUNS_IN_AGENT = new Set(["binary", "module", "script", "args"]);
/** A run writes there; inside the project it may. */
const WRITTEN = new Set(["todo_file", "log_dir"]);
const FOLDERS_OF_AGENT = new Set(["work_dir", "last_message"]);

function linesOf(
  what: string,
  { value, source }: Valued,
  place: Pick<Place, "project" | "home">,
): TrustLine[] {
  const [group, , key = ""] = what.split(".");
  const { where } = source;
  if (what === "env_file" || (WRITTEN.has(what) && isOutside(String(value), place)))
    return [{ what, where, value: String(value) }];
  if ((group === "hooks" || RUNS_IN_GATE.has(what)) && Array.isArray(value)) {
    return value.map((command: unknown) => ({ what, where, value: spelled(command) }));
  }
  if (group !== "agents") return [];
  const runs =
    (key === "chapo" && steersChapo(what.split(".").slice(3).join("."), value, place)) ||
    RUNS_IN_AGENT.has(key) ||
    key === "env" ||
    (key === "permissions" && value === "full") ||
    (FOLDERS_OF_AGENT.has(key) && isOutside(String(value), place));
  return runs ? [{ what, where, value: typeof value === "string" ? value : JSON.stringify(value) }] : [];
}

/** Of the built-in engine's settings these give nobody anything; all others say what it starts, sends, or may do. */
const HARMLESS_TO_CHAPO =
  /^(?:fallback|prices_file|temperature|max_output_tokens|stream|context_window|tool_calls|tools|language|max_\w+|min_validation_confidence|self_validation_enabled|compact_at|search\.provider|budgets\..+)$/;
const READ_BY_CHAPO = new Set(["documents", "logs.staging"]);

function steersChapo(key: string, value: unknown, place: Pick<Place, "project" | "home">): boolean {
  if (READ_BY_CHAPO.has(key)) return isOutside(String(value), place);
  return !HARMLESS_TO_CHAPO.test(key);
}

function isOutside(spelled: string, place: Pick<Place, "project" | "home">): boolean {
  const relative = path.relative(place.project, resolvePath(spelled, place));
  return relative === ".." || relative.startsWith("../") || path.isAbsolute(relative);
}

/** What an answer is remembered by: the same lines give the same, whatever their order and wherever they stand. */
export function fingerprint(lines: readonly TrustLine[]): string {
  return sha256Hex(JSON.stringify(lines.map(({ what, value }) => JSON.stringify([what, value])).sort()));
}

/** A hook may be a list of words. */
function spelled(command: unknown): string {
  return Array.isArray(command) ? JSON.stringify(command) : String(command);
}
