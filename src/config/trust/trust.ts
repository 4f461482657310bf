// Lists what a project's own settings and task file would make this program start (contract §2, *Trust*), with symlinks resolved as
// a run would follow them. Leaves asking to the commands, and the answers to trust-store.ts.
import path from "node:path";
import { followLinks } from "../../system/files/follow-links.js";
import type { Files } from "../../system/ports.js";
import { sha256Hex } from "../../system/text/sha256.js";
import type { Source } from "../read/layers.js";
import type { Project } from "../project/open-project.js";
import { isWritten, mustBeWritten, resolveSettingPath, type Env } from "../read/places.js";
import { isStrategyModule, rowAt, rowOf } from "../settings/settings.js";
import { path as pathType } from "../settings/types.js";
import type { ResolvedSettings, Valued } from "../read/resolve.js";
import type { Workflow } from "../../workflow/workflow.js";

/** One thing to be trusted: a key path or a task's `verify`, where it stands, and what it says. */
export interface TrustLine {
  what: string;
  where: string;
  value: string;
}

/** The commands in a task file; `file` as shown to people. */
export interface TrustFacts {
  file: string;
  tasks: readonly { id: string; verify?: readonly string[] | undefined }[];
  /** The project's own workflows that are in use; `shown`: the file, as shown to people. */
  workflows?: readonly { shown: string; workflow: Workflow }[];
}

/** Where the paths of the settings lead; every path absolute. */
export interface Leads {
  /** The project's folder, its symlinks resolved. */
  project: string;
  /** By key path: the path that a run uses, and where that is once its symlinks are resolved. */
  paths: ReadonlyMap<string, { path: string; real: string; source: Source }>;
}

/** The input for the list. `home` is absolute. */
export interface TrustPlace {
  files: Files;
  project: Project;
  env: Env;
  home: string;
}

/** The things that the project, these tasks and workflows want trusted. A place inside `.git` is a `usage` error. */
export async function readTrust(
  place: TrustPlace,
  tasks: TrustFacts["tasks"],
  workflows: NonNullable<TrustFacts["workflows"]> = [],
): Promise<TrustLine[]> {
  const { project } = place;
  return listTrusted(project.resolved, { file: project.todoFile, tasks, workflows }, await leadsOf(place));
}

async function leadsOf({ files, project, env, home }: TrustPlace): Promise<Leads> {
  const folder = await realPlace(files, project.folder);
  const paths = new Map<string, { path: string; real: string; source: Source }>();
  for (const [key, { value, source }] of project.resolved.values) {
    const row = rowOf(key);
    const isPath = row?.type === pathType || (row?.asks === "path" && isStrategyModule(value));
    if (typeof value !== "string" || !isPath) continue;
    if (key.endsWith(".binary") && !value.includes("/")) continue;
    const spelled = resolveSettingPath(key, value, { project: project.folder, home, env });
    // The task file may have been typed: then it is the user's own.
    const isTyped = key === "todo_file" && project.todoFile !== spelled;
    const used = isTyped ? project.todoFile : spelled;
    const real = await realPlace(files, used);
    if (isWritten(key)) mustBeWritten({ key, spelled: value, where: source.where }, real, folder);
    paths.set(key, { path: used, real, source: isTyped ? TYPED : source });
  }
  return { project: folder, paths };
}

const TYPED: Source = { layer: "flag", where: "command line" };

/** A link to itself leads nowhere. */
async function realPlace(files: Files, file: string): Promise<string> {
  return (await followLinks(files, file)) ?? file;
}

/**
 * Everything the project names that runs, or that changes what runs: commands, programs, modules, arguments, variables, full
 * permissions, files and folders outside the project. Flags, variables and the user's own file are trusted, but not a symlink
 * in the project that leads out of it.
 */
export function listTrusted(resolved: ResolvedSettings, backlog: TrustFacts, leads: Leads): TrustLine[] {
  const fromSettings = [...resolved.values].flatMap(([key, valued]) => linesOf(key, valued, leads));
  const fromTasks = backlog.tasks.flatMap(({ id, verify = [] }) =>
    verify.map((value) => ({ what: `verify of ${id}`, where: backlog.file, value })),
  );
  const fromClaude = (resolved.claudeHooks ?? [])
    .filter(({ layer }) => layer === "project")
    .map(({ event, hook, where }) => ({ what: `hooks.events.${event}`, where, value: spelled(hook) }));
  return [
    ...fromSettings,
    ...fromClaude,
    ...fromTasks,
    ...(backlog.workflows ?? []).flatMap(linesOfWorkflow),
  ];
}

/**
 * All of a workflow but its words for people: it names commands and agents, and decides where a person is asked. Its agents
 * are listed with the settings.
 */
function linesOfWorkflow({ shown: where, workflow }: { shown: string; workflow: Workflow }): TrustLine[] {
  const { name, start, limits, stages } = workflow;
  return [
    { what: `workflow ${name}`, where, value: JSON.stringify({ start, limits }) },
    ...Object.entries(stages).map(([stage, { about: _about, ...rest }]) => ({
      what: `workflow ${name}, stage ${stage}`,
      where,
      value: JSON.stringify(rest),
    })),
  ];
}

function linesOf(what: string, { value, source }: Valued, leads: Leads): TrustLine[] {
  const asks = rowAt(what.split("."))?.asks;
  const lead = leads.paths.get(what);
  const isOutside = lead !== undefined && !isInside(lead.real, leads.project);
  // A path that the user named is the user's; a symlink that the project put in its way is not.
  if (isOutside && (lead.source.layer === "project" || isInside(lead.path, leads.project))) {
    const where = lead.source.where === "" ? "a symlink in the project" : lead.source.where;
    return [{ what, where, value: shown(what, value, leads) }];
  }
  if (source.layer !== "project") return [];
  const { where } = source;
  if (asks === "each" && Array.isArray(value))
    return value.map((command: unknown) => ({ what, where, value: spelled(command) }));
  const runs =
    asks === "whole" || (asks === "full" && value === "full") || (asks === "path" && isStrategyModule(value));
  return runs ? [{ what, where, value: shown(what, value, leads) }] : [];
}

/** A value; with the place it leads to, where that is outside the project and the spelling alone does not tell. */
function shown(what: string, value: unknown, { project, paths }: Leads): string {
  const spelled = typeof value === "string" ? value : JSON.stringify(value);
  const lead = paths.get(what);
  if (lead === undefined || isInside(lead.real, project)) return spelled;
  const isPlain = lead.real === lead.path && !spelled.includes("$");
  return isPlain ? spelled : `${spelled} → ${lead.real}`;
}

function isInside(file: string, project: string): boolean {
  const relative = path.relative(project, file);
  return relative !== ".." && !relative.startsWith("../") && !path.isAbsolute(relative);
}

/** The key under which an answer is stored: it depends on what is said, not on where. */
export function createFingerprint({ what, value }: TrustLine): string {
  return sha256Hex(JSON.stringify([JSON.stringify([what, value])]));
}

/** A hook may be a list of words, and a hidden check names files too. */
function spelled(command: unknown): string {
  return typeof command === "string" ? command : JSON.stringify(command);
}
