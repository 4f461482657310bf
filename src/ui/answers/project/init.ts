// The answer of `looper init --json`. Pure. Leaves inspecting the folder and writing to cmd/commands/init.
import type { InitAnswer } from "../../shapes/project.js";

const ADD = 'looper add "what is to be done"';
const DRAFT = 'looper run --prompt "what to build"';

/** A project that was set up. */
export interface ProjectSetUp {
  /** Absolute path of its folder. */
  project: string;
  /** The task file first. */
  files: InitAnswer["files"];
  tasks: number;
  imported: { from: string; format: string; left: number } | undefined;
  notes: readonly string[];
  /** The existing task file is kept, and is not valid. */
  isInvalid: boolean;
  /** The person chose to have an agent draft the tasks. */
  draft: boolean;
}

/** The result of setting a project up. */
export function initAnswer({ isInvalid, draft, imported, ...done }: ProjectSetUp): InitAnswer {
  const { project, files, tasks, notes } = done;
  return {
    project,
    files,
    tasks,
    imported: imported === undefined ? null : importedFrom(imported),
    notes: [...notes],
    next: isInvalid ? ["looper validate"] : nextOf(tasks, { draft, copied: files[0]?.copy !== undefined }),
  };
}

function importedFrom({ from, format, left }: NonNullable<ProjectSetUp["imported"]>): InitAnswer["imported"] {
  return { from, format, ...(left === 0 ? {} : { left }) };
}

function nextOf(tasks: number, { draft, copied }: { draft: boolean; copied: boolean }): string[] {
  if (tasks > 0) return ["looper run"];
  // A run does not draft tasks while a copy still has some.
  if (copied) return [ADD];
  return draft ? [DRAFT] : [ADD, DRAFT];
}
