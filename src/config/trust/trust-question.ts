// Lists what needs the user's trust in a project, with symlinks resolved as a run would follow them.
// Leaves the choice of what needs trust to trust.ts.
import { followLinks } from "../../system/files/follow-links.js";
import type { Files } from "../../system/ports.js";
import type { Source } from "../read/layers.js";
import type { Project } from "../project/open-project.js";
import { isWritten, mustBeWritten, resolveSettingPath, type Env } from "../read/places.js";
import { isStrategyModule, rowOf } from "../settings/settings.js";
import { path as pathType } from "../settings/types.js";
import { listTrusted, type TrustFacts, type Leads, type TrustLine } from "./trust.js";

/** The input for the list. `home` is absolute. */
export interface TrustPlace {
  files: Files;
  project: Project;
  env: Env;
  home: string;
}

/** What the project, these tasks and workflows want trusted. A place inside `.git` is a `usage` error. */
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
