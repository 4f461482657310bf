// Finds checks that cannot run, before the run starts anything: those of open tasks, and those of the project whose exit code
// would not show it. Runs none of them. The preflight and the baseline run the project's checks.
import { findLack, type CheckPlace } from "../../../gate/lookup/find-lack.js";
import { hidesFailures } from "../../../shell/conditional.js";
import { closure } from "../../../todo/model/select.js";
import { TaskId, type Task } from "../../../todo/model/task.js";
import type { Trusted } from "../../perform/ask-trust.js";
import type { RunRequest } from "../../runs/run-request.js";

/** A warning for each such check; under `verify.strict` also why the run refuses to start. */
export interface MissingChecks {
  warnings: string[];
  refused?: string;
}

/** How many different checks are looked up, since a backlog may have a hundred thousand. */
const MOST_CHECKS = 500;

/** Finds them (contract §5, *A check that cannot run*). `folder`: the working directory of checks; `env`: their environment. */
export async function findMissingChecks(
  request: Pick<RunRequest, "ports" | "project" | "only">,
  tasks: readonly Task[],
  { folder, env, trusted }: { folder: string; env: Readonly<Record<string, string>>; trusted: Trusted },
): Promise<MissingChecks> {
  const { ports, project, only } = request;
  const { verify } = project.resolved.settings;
  const wanted = only === undefined ? undefined : closure(TaskId.parse(only), tasks);
  const open = tasks.filter(({ id, status }) => status !== "done" && (wanted?.has(id) ?? true));
  const place: CheckPlace = {
    ports: { files: ports.files, processes: { which: rememberPrograms(ports) } },
    folder,
    root: project.folder,
    path: env["PATH"] ?? "",
    prepared: verify.setup.length > 0,
  };
  const warnings: string[] = [];
  const refusals: string[] = [];
  for (const { command, owner, effect } of listChecks(open, verify.commands, trusted)) {
    const lack = await findLack(place, command);
    if (lack === undefined) continue;
    const fact = `cannot run the check "${command}"${owner}: ${lack.missing}`;
    if (lack.isOutside && verify.strict) refusals.push(`${fact}; ${lack.remedy}`);
    else warnings.push(`${fact}; ${effect}: ${lack.remedy}`);
  }
  if (refusals.length === 0) return { warnings };
  const hint = "correct the check, or run without verify.strict (--strict)";
  return { warnings, refused: `${refusals.join("; ")}; ${hint}` };
}

interface ListedCheck {
  command: string;
  /** The tasks that have it, as words of a sentence; "" for a check of the project. */
  owner: string;
  /** The consequence if it cannot run. */
  effect: string;
}

function listChecks(open: readonly Task[], ofProject: readonly string[], trusted: Trusted): ListedCheck[] {
  const hiding = [...new Set(ofProject)].filter(hidesFailures);
  return [
    ...hiding.map((command) => ({ command, owner: "", effect: "its exit code may hide this" })),
    ...[...listOwnChecks(open, new Set(ofProject), trusted)].map(([command, ids]) => ({
      command,
      owner: ` of ${formatTaskNames(ids)}`,
      effect: "attempts fail while it cannot run",
    })),
  ];
}

/** The tasks' approved checks, each once, with the tasks that have it. */
function listOwnChecks(
  tasks: readonly Task[],
  ofProject: ReadonlySet<string>,
  trusted: Trusted,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { id, verify = [] } of tasks) {
    for (const command of new Set(verify)) {
      if (ofProject.has(command) || (trusted !== "all" && !trusted.has(command))) continue;
      const ids = found.get(command);
      if (ids !== undefined) ids.push(id);
      else if (found.size < MOST_CHECKS) found.set(command, [id]);
    }
  }
  return found;
}

function formatTaskNames([first = "", ...more]: readonly string[]): string {
  if (more.length === 0) return first;
  return `${first} and ${more.length} more task${more.length === 1 ? "" : "s"}`;
}

/** Looks each program up once: many checks start with the same one. */
function rememberPrograms({
  processes,
}: Pick<RunRequest["ports"], "processes">): CheckPlace["ports"]["processes"]["which"] {
  const known = new Map<string, Promise<string | undefined>>();
  return (program, path, cwd) => {
    const key = [cwd, path, program].join("\0");
    const found = known.get(key) ?? processes.which(program, path, cwd);
    known.set(key, found);
    return found;
  };
}
