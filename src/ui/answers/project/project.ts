// The answers of `looper doctor`, `init` and `push` with --json. Pure. Leaves the checks, the writing and the release to others.
import type { DoctorAnswer, InitAnswer, PushAnswer } from "../../shapes/project.js";
import type { Released, ReleasePlan } from "../../../loop/release/release.js";
import type { View } from "../../view/view.js";

/** One check. `remedy`: what to do about it. */
export type Check = DoctorAnswer["checks"][number];

/** A check that passes. */
export function fine(name: string, message: string): Check {
  return { name, status: "ok", message };
}

/** A check that does not keep a run from starting. */
export function warning(name: string, message: string, remedy: string): Check {
  return { name, status: "warning", message, remedy };
}

/** A check that keeps a run from starting. */
export function bad(name: string, message: string, remedy: string): Check {
  return { name, status: "error", message, remedy };
}

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

/** A release that was made or tried. */
export type ReleaseDone = Exclude<PushAnswer, { outcome: "planned" }>;

/** The JSON answer of a release. */
export function releaseAnswer(released: Released, { warnings, run }: View): ReleaseDone {
  const { from, version, tag, commit, pushed, published, problems, rescue } = released;
  // Without a remote nothing is pushed, and nothing went wrong.
  const isOut = commit !== undefined && (pushed || problems.length === 0);
  return {
    outcome: isOut ? "released" : commit === undefined ? "not-released" : "made",
    from: from ?? null,
    version: version ?? null,
    tag: tag ?? null,
    commit: commit ?? null,
    pushed,
    published: published ?? null,
    problems: [...problems],
    rescue: rescue ?? null,
    warnings: [...warnings],
    run,
  };
}

/** The plan of a release. */
export function plannedReleaseAnswer({
  facts,
  agent,
  prompt,
}: ReleasePlan): Extract<PushAnswer, { outcome: "planned" }> {
  const { from, wanted, tag, count, versionFile, changelog, checks } = facts.prompt;
  const known = (text: string): string | null => (text === "" ? null : text);
  return {
    outcome: "planned",
    from: known(from),
    wanted: known(wanted),
    last_tag: known(tag),
    commits: count,
    version_file: known(versionFile),
    changelog: known(changelog),
    branch: facts.branch.replace(/^refs\/heads\//, ""),
    remote: facts.remote?.name ?? null,
    checks: [...checks],
    agent,
    prompt,
  };
}
