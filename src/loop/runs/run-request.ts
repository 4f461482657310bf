import type { Project } from "../../config/project/open-project.js";
import type { Sealed } from "../../logging/events/events.js";
import type { Ports } from "../../system/ports.js";
import type { Task } from "../../todo/model/task.js";
import type { Question } from "../../workflow/progress.js";
import {
  openRepository,
  type Repository,
  type RepositoryPlaces,
} from "../../git/base/repository/repository.js";
import { UserError } from "../../system/errors.js";

/** Everything a command passes to start a run. */
export interface RunRequest {
  ports: Ports;
  project: Project;
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  home: string;
  version: string;
  /** How to start this program again, for agents hosted in a child. */
  self: { command: string; args: readonly string[] };
  promptsFolder: string;
  /** The folder of the workflows that Looper brings, absolute. */
  workflowsFolder: string;
  /** `--agent`. */
  agent?: string;
  /** `--task`. */
  only?: string;
  /** `--skip`: stages. */
  skip?: readonly string[];
  /** `--auto-approve`: stages. */
  autoApprove?: readonly string[];
  /** `--wait`. */
  wait?: boolean;
  /** `--prompt`. */
  idea?: string;
  /** `--trust`, or CI. */
  trust: boolean;
  /** Makes the run a release. `wanted`: patch, minor, major or a version; absent: the agent chooses. */
  release?: { wanted?: string };
  /** `-y`. */
  yes: boolean;
  /** A user can answer questions on the terminal. */
  terminal: boolean;
  /** A hangup ends the run: stdout was a terminal at the start. Otherwise `nohup` works as expected. */
  hangsUp: boolean;
  confirm?: (question: string, lines: readonly string[]) => Promise<boolean>;
  /**
   * Asks the person at the terminal an open question, and makes the edit that answers it; absent where a person cannot be asked.
   * `left`: it stays open. `share`: to be called before and after the edit.
   */
  askPerson?: (question: Question, task: Task, share: () => Promise<void>) => Promise<"answered" | "left">;
  onEvent?: (event: Sealed) => void;
}

/** A project, and the ports that reach it. */
export type ProjectSite = Pick<RunRequest, "ports" | "project">;

/** Where to find the repository of a project, and which paths in it are the runner's own. */
export function makeRepositoryPlaces({
  project,
  env,
}: Pick<RunRequest, "project" | "env">): RepositoryPlaces {
  return {
    projectDir: project.folder,
    todoFile: project.realTodoFile,
    exclude: [project.logDir, project.lockDir, project.paths.tasksDir],
    env,
    mostUntracked: project.resolved.settings.git.max_untracked_bytes,
  };
}

/** Opens the project's repository; a `UserError` without one. `lacking`: what cannot be done then. */
export async function openProjectRepository(
  { ports, ...place }: Pick<RunRequest, "ports" | "project" | "env">,
  { lacking, hint }: { lacking: string; hint: string },
): Promise<Repository> {
  const opened = await openRepository(ports, makeRepositoryPlaces(place));
  if (opened.ok) return opened.value;
  const { why, message } = opened.error;
  throw new UserError(
    why === "no-repository" ? "no" : "environment",
    // Git's message may end with a command to copy.
    why === "unusable" ? `${lacking}: ${message}` : `${message}: ${lacking}`,
    why === "no-repository" ? hint : undefined,
  );
}
