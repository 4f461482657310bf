// The answer of `looper init --json`. Pure. Leaves inspecting the folder and writing to cmd/commands/project/init.
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

type Report = NonNullable<InitAnswer["from_looper_go"]>;

/** The moved settings and files; further fields are left out of the answer. */
type Moved = { readonly [K in keyof Report]: readonly Report[K][number][] };

/** The result of moving a project of the Go program over. */
export function moveOverAnswer(
  { project, files, tasks, notes }: Pick<ProjectSetUp, "project" | "files" | "tasks" | "notes">,
  { settings, left, originals }: Moved,
): InitAnswer {
  const run = ["looper config", "looper run (without a terminal: looper run --trust)"];
  return {
    project,
    files,
    tasks,
    imported: null,
    notes: [...notes],
    next: tasks === 0 ? [ADD] : run,
    from_looper_go: {
      settings: settings.map(({ file, from, to, value }) => ({ file, from, to, value })),
      left: left.map(({ file, from, value, why }) => ({ file, from, value, why })),
      originals: [...originals],
    },
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
