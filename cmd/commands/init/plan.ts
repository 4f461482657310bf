// Inspects the folder that becomes a project, and plans which files to write, with which content. Writes
// nothing itself, and leaves the task file to the store.
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
import { type KnownCheck, suggestProofs, TELLING_FILES } from "./proofs.js";
import { AUTO, type Settings } from "../../../src/config/settings/settings.js";
import { settingsJsonSchema } from "../../../src/config/settings/settings-schema.js";
import { parseJson } from "../../../src/system/text/json.js";
import { backlogJsonSchema } from "../../../src/todo/check/schema.js";
import { Backlog } from "../../../src/todo/model/task.js";
import type { InitAnswer } from "../../../src/ui/shapes/project.js";
import ignore from "ignore";

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
function ownFolder({ folder }: Pick<Project, "folder">): string {
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

export interface Wishes {
  agent?: string;
  commands?: readonly string[];
  setup?: readonly string[];
  /** The command is the one that was found, by `--yes`. */
  agreed?: true;
}

/** A file and what happens to it; `text`: its new content. */
export interface PlannedFile {
  path: string;
  did: InitAnswer["files"][number]["did"];
  text?: string;
  copy?: true;
}

export interface Bounds {
  force: boolean;
  skipConfig: boolean;
  writesBacklog: boolean;
}

export function planFiles(
  site: InitSite,
  wishes: Wishes,
  { force, skipConfig, writesBacklog }: Bounds,
): PlannedFile[] {
  const own = ownFolder(site.project);
  const config = skipConfig ? [] : planSettings(site, wishes, force);
  const schemas: PlannedFile[] = [];
  const backlogSchema = path.join(own, "run.schema.json");
  if (writesBacklog || schemaOf(site.backlog).endsWith(".looper/run.schema.json"))
    schemas.push(planOwn(site, backlogSchema, pretty(backlogJsonSchema())));
  const settingsText = config.map(({ path: file, text = site.texts.get(file) ?? "" }) => text).join("");
  if (settingsText.includes(SETTINGS_SCHEMA))
    schemas.push(planOwn(site, path.join(own, "config.schema.json"), pretty(settingsJsonSchema())));
  return [...config, ...schemas, ...planIgnores(site)];
}

const SETTINGS_SCHEMA = "./config.schema.json";

function schemaOf(backlog: ReadResult): string {
  if (backlog.kind === "ok") return backlog.backlog.$schema ?? "";
  return backlog.kind === "empty" ? (Backlog.safeParse(parseJson(backlog.bytes)).data?.$schema ?? "") : "";
}

/** A generated file, which is brought up to date. */
function planOwn({ texts }: InitSite, file: string, text: string): PlannedFile {
  const there = texts.get(file);
  if (there === text) return { path: file, did: "kept" };
  return { path: file, did: there === undefined ? "written" : "replaced", text };
}

function planSettings(
  { project, settingsFile, texts }: InitSite,
  wishes: Wishes,
  force: boolean,
): PlannedFile[] {
  const file = path.join(ownFolder(project), "config.json");
  // A second settings file would stop every command.
  if (settingsFile !== undefined && (settingsFile !== file || !force))
    return [{ path: settingsFile, did: "kept" }];
  const text = pretty(settingsFor(wishes, project));
  if (texts.get(file) === text) return [{ path: file, did: "kept" }];
  if (settingsFile === undefined) return [{ path: file, did: "written", text }];
  return [{ path: file, did: "replaced", text, copy: true }];
}

/** Only choices that differ from the settings in force without them. */
function settingsFor({ agent, commands = [], setup = [] }: Wishes, { resolved }: Project) {
  const elsewhere = (key: string): boolean =>
    ["user", "env"].includes(resolved.values.get(key)?.source.layer ?? "");
  const { agent: set, strategy }: Settings["schedule"] = resolved.settings.schedule;
  const inForce = elsewhere("schedule.agent") ? set : AUTO;
  const single = elsewhere("schedule.strategy") && strategy !== "single";
  const schedule =
    agent === undefined || (agent === inForce && !single)
      ? {}
      : { schedule: { ...(single ? { strategy: "single" } : {}), agent } };
  const prepared = setup.length === 0 ? {} : { setup };
  const verify = commands.length === 0 ? {} : { verify: { commands, ...prepared } };
  return { $schema: SETTINGS_SCHEMA, ...schedule, ...verify };
}

function planIgnores({ project, texts, ignores }: InitSite): PlannedFile[] {
  if (ignores === "strange") return [];
  const file = path.join(project.folder, ".gitignore");
  const text = texts.get(file) ?? "";
  const lines = [...missingLines(text, ignoredFolders(project)), ...missingCopies(text)];
  if (lines.length === 0) return ignores === "here" ? [{ path: file, did: "kept" }] : [];
  return [{ path: file, did: ignores === "here" ? "extended" : "written", text: appendix(text, lines) }];
}

/** Folders inside the project that a run writes and git should ignore. */
export function ignoredFolders({ folder, logDir, lockDir }: Project): string[] {
  return [logDir, lockDir]
    .map((one) => path.relative(folder, one))
    .filter((one) => one !== "" && !one.startsWith("..") && !path.isAbsolute(one));
}

export function newBacklog(project: Project): Backlog {
  const schema = path.join(ownFolder(project), "run.schema.json");
  const relative = path.relative(path.dirname(project.todoFile), schema);
  const $schema = relative.startsWith("..") ? relative : `./${relative}`;
  return { $schema, schema_version: 1, source_files: [], tasks: [] };
}

export function pretty(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

// The lines that a .gitignore lacks, and the text that adds them.

/** The missing lines that ignore these folders, relative to the folder of the .gitignore. */
export function missingLines(text: string, folders: readonly string[]): string[] {
  const rules = ignore().add(text.replace(/^\uFEFF/, ""));
  return folders.filter((folder) => !rules.ignores(`${folder}/`)).map((folder) => `${escaped(folder)}/`);
}

/** The copies of the schemas, which `init` can write again. */
const COPIES = { line: ".looper/*.schema.json", one: ".looper/run.schema.json" };

function missingCopies(text: string): string[] {
  const rules = ignore().add(text.replace(/^\uFEFF/, ""));
  return rules.ignores(COPIES.one) ? [] : [COPIES.line];
}

/** The text to append so that it ends in these lines, with the text's own line breaks. */
export function appendix(text: string, lines: readonly string[]): string {
  const end = /\r\n/.test(text) ? "\r\n" : "\n";
  const before = text === "" || text.endsWith("\n") ? "" : end;
  return before + lines.map((line) => line + end).join("");
}

function escaped(folder: string): string {
  return folder.replaceAll(/[\\*?[\]]/g, String.raw`\$&`).replace(/^[#!]/, String.raw`\$&`);
}
