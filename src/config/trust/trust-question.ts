// Lists what needs the user's trust in a project, with symlinks resolved as a run would follow them.
// Leaves the choice of what needs trust to trust.ts.
import path from "node:path";
import { errorCode } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import type { Source } from "../read/layers.js";
import type { Project } from "../project/open-project.js";
import { isWritten, mustBeWritten, resolveSettingPath, type Env } from "../read/places.js";
import { rowOf } from "../settings/settings.js";
import { path as pathType } from "../settings/types.js";
import { listTrusted, type TrustFacts, type Leads, type TrustLine } from "./trust.js";

/** The input for the list. `home` is absolute. */
export interface TrustPlace {
  files: Files;
  project: Project;
  env: Env;
  home: string;
}

/** Lists what the project, these tasks and these workflows want trusted. A place inside `.git` is a `usage` error. */
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
    if (typeof value !== "string" || rowOf(key)?.type !== pathType) continue;
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

/** More links than this lead nowhere; the kernel gives up at as many. */
const MOST_LINKS = 40;

/** A path with every symlink resolved, also where the last part of it is still to be made. */
async function realPlace(files: Files, file: string, links = MOST_LINKS): Promise<string> {
  // A link to itself leads nowhere.
  const real = await files.realPath(file).catch(codeless);
  if (real !== undefined) return real;
  const parent = path.dirname(file);
  if (parent === file) return file;
  const folder = await realPlace(files, parent, links);
  const place = path.join(folder, path.basename(file));
  const target = links > 0 ? await linkAt(files, place) : undefined;
  return target === undefined ? place : realPlace(files, path.resolve(folder, target), links - 1);
}

function codeless(error: unknown): undefined {
  if (errorCode(error) === undefined) throw error;
}

async function linkAt(files: Files, place: string): Promise<string | undefined> {
  const kind = (await files.stat(place, { link: true }))?.kind;
  return kind === "symlink" ? files.readLink(place) : undefined;
}
