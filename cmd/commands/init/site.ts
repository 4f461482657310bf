// Inspects the folder that becomes a project, before anything is written.
import path from "node:path";
import {
  findFolder,
  openProject,
  openWithDefaults,
  type Project,
} from "../../../src/config/project/open-project.js";
import { environmentError, UserError } from "../../../src/system/errors.js";
import { given } from "../../../src/system/given.js";
import type { Files } from "../../../src/system/ports.js";
import { openStore, type ReadResult } from "../../../src/todo/store/store.js";
import { settingsFilesAnswer } from "../../../src/ui/answers/project/config.js";
import type { CommandContext } from "../../context/command-context.js";
import { TELLING_FILES, suggestProofs, type KnownCheck } from "./proofs.js";

export interface InitSite {
  /** With broken settings: as if there were none. */
  project: Project;
  broken?: UserError;
  settingsFile?: string;
  backlog: ReadResult;
  /** The content of existing files that `init` generates; absent for files that do not exist. */
  texts: ReadonlyMap<string, string>;
  ignores: "here" | "wanted" | "strange";
  proofs: readonly KnownCheck[];
}

/** The folder beside the task file that holds settings and schemas. */
export function ownFolder({ folder }: Pick<Project, "folder">): string {
  return path.join(folder, ".looper");
}

/** `here`: the current folder is the project, even below another project. */
export async function lookAround(context: CommandContext, here = false): Promise<InitSite> {
  const { ports } = context;
  const { files } = ports;
  const opened = await openAnyhow(context, here);
  const { project } = opened;
  const { folder, todoFile, lockDir } = project;
  await mustStayInside(files, project);
  const { files: known } = await settingsFilesAnswer(files, folder, context);
  const settingsFile = known.find(({ owner, exists }) => owner === "project" && exists)?.path;
  const own = ["config.json", "config.schema.json", "run.schema.json"].map((name) =>
    path.join(ownFolder(project), name),
  );
  const texts = new Map<string, string>();
  for (const file of [...own, path.join(folder, ".gitignore")]) {
    const text = await readSmall(files, file);
    if (text !== undefined) texts.set(file, text);
  }
  return {
    ...opened,
    ...given({ settingsFile }),
    backlog: await openStore(ports, todoFile, { lockFolder: lockDir }).read(),
    texts,
    ignores: await lookForIgnores(files, folder),
    proofs: await findProofs(files, folder),
  };
}

async function openAnyhow(context: CommandContext, here: boolean) {
  const { ports, cwd, env, home } = context;
  const isElsewhere = here && (await findFolder(ports.files, context)) !== (await ports.files.realPath(cwd));
  // A folder with a task file is a project.
  const request = { cwd, env, home, flags: {}, ...(isElsewhere ? { file: "to-do.json" } : {}) };
  try {
    return { project: await openProject(ports.files, request) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { project: await openWithDefaults(ports.files, request), broken: error };
  }
}

/** A cloned repository may contain links to anywhere. */
async function mustStayInside(files: Files, project: Project): Promise<void> {
  const folder = ownFolder(project);
  const kind = (await files.stat(folder, { link: true }))?.kind;
  if (kind === undefined || kind === "folder") return;
  throw environmentError(`${folder} is not a folder`, "remove it: settings and schemas are written there");
}

async function lookForIgnores(files: Files, folder: string): Promise<InitSite["ignores"]> {
  const kind = (await files.stat(path.join(folder, ".gitignore"), { link: true }))?.kind;
  if (kind === "file") return "here";
  return kind === undefined ? "wanted" : "strange";
}

async function findProofs(files: Files, folder: string): Promise<KnownCheck[]> {
  const names = new Set(await files.list(folder));
  const texts = new Map<string, string>();
  for (const name of TELLING_FILES) {
    const text = names.has(name) ? await readSmall(files, path.join(folder, name)) : undefined;
    if (text !== undefined) texts.set(name, text);
  }
  return suggestProofs(names, texts);
}

const SMALL = 1024 * 1024;

/** The text of a file of ordinary size; `undefined` when there is none. */
async function readSmall(files: Files, file: string): Promise<string | undefined> {
  const stat = await files.stat(file);
  if (stat?.kind !== "file" || stat.size > SMALL) return undefined;
  const bytes = await files.read(file);
  return bytes === undefined ? undefined : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
