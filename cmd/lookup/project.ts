// Shared by commands: opening the project, reading files that a person named, printing lines.
import path from "node:path";
import { openProject, type Project } from "../../src/config/project/open-project.js";
import { GO_BACKLOG } from "../../src/config/read/places.js";
import type { Flags } from "../../src/config/read/resolve.js";
import { errorCode, errorMessage, usageError } from "../../src/system/errors.js";
import { explainExhausted } from "../../src/system/exhausted.js";
import { hintOn } from "../../src/system/text/nearest.js";
import type { Files } from "../../src/system/ports.js";
import { jsonText } from "../../src/ui/json-text.js";
import type { Output } from "../../src/ui/output.js";
import { coloursFor, type Colours } from "../../src/ui/colours.js";
import { clean } from "../../src/ui/text.js";
import type { CommandContext } from "../context/command-context.js";

/** Opens the command's project and warns on stderr about its settings. `file`: the task file as typed. */
export async function projectOf(
  context: CommandContext,
  { file, flags = {}, quiet = false }: { file?: string | undefined; flags?: Flags; quiet?: boolean } = {},
): Promise<Project> {
  const { ports, cwd, env, home } = context;
  const named = file === undefined ? {} : { file };
  const project = await openProject(ports.files, { cwd, env, home, flags, ...named });
  if (!quiet) for (const warning of project.warnings) await warn(context, warning);
  return project;
}

export function warn({ report }: Pick<CommandContext, "report">, text: string): Promise<void> {
  return report({ level: "warn", lines: [`looper: ${clean(text)}`] });
}

/** The facts on the process and the project that a run is opened with. */
export function runPlaceOf(context: CommandContext, project: Project) {
  const { ports, cwd, env, home, version, self, promptsFolder, workflowsFolder } = context;
  return { ports, project, cwd, env, home, version, self, promptsFolder, workflowsFolder };
}

/** The bytes of a file that must exist, else a `usage` error with the reason. `what` names its kind. */
export async function readNamedFile(
  { ports }: CommandContext,
  file: string,
  what: string,
): Promise<Uint8Array> {
  const bytes = await readOrExplain(ports.files.read(file), file);
  if (bytes !== undefined) return bytes;
  const hint =
    what === "task file"
      ? await hintOfTaskFile(ports.files, file, "create one with `looper init`, or name an existing file")
      : await hintOfFile(ports.files, file, "correct the path");
  throw usageError(`there is no ${what} ${file}`, hint);
}

/** The hint on a missing task file. Beside a task file of the Go program it says to move that. */
export async function hintOfTaskFile(files: Files, file: string, otherwise: string): Promise<string> {
  const old = await files.stat(path.join(path.dirname(file), GO_BACKLOG)).catch(() => undefined);
  return old === undefined
    ? hintOfFile(files, file, otherwise)
    : `move ${GO_BACKLOG} there: it has the tasks of the Go program`;
}

/** The hint on a missing file: a symlink to nothing, or a file with a similar name, else `otherwise`. */
export async function hintOfFile(files: Files, file: string, otherwise: string): Promise<string> {
  const there = await files.stat(file, { link: true }).catch(() => undefined);
  if (there?.kind === "symlink") return "it is a symlink to a file that does not exist: correct or remove it";
  const names = await files.list(path.dirname(file)).catch(() => []);
  return hintOn(path.basename(file), names, otherwise);
}

/** A file that cannot be read is a `usage` error. Missing files and folders are left to the caller. */
export async function mustBeReadable({ ports }: CommandContext, file: string): Promise<void> {
  const stat = await readOrExplain(ports.files.stat(file), file);
  if (stat?.kind === "file") await readOrExplain(ports.files.readRange(file, 0, 1), file);
}

async function readOrExplain<T>(reading: Promise<T>, file: string): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === undefined || explainExhausted(error) !== undefined) throw error;
    if (errorCode(error) === "EISDIR") throw usageError(`${file} is a folder, not a file`, "name a file");
    throw usageError(`${file} cannot be read: ${errorMessage(error)}`, "name a file that can be read");
  }
}

/** A path relative to the current folder; absolute where the relative one would climb far up. */
export function shownPath({ cwd }: Pick<CommandContext, "cwd">, file: string): string {
  const relative = path.relative(cwd, file);
  if (relative === "") return ".";
  return relative.startsWith(`..${path.sep}..`) ? file : relative;
}

/** How lines look where they are printed. `columns`: of a terminal. */
export function lookOf(out: Output): { colours: Colours; columns?: number } {
  return { colours: coloursFor(out.colour), ...(out.isTerminal ? { columns: out.columns() } : {}) };
}

export function printJson({ out }: Pick<CommandContext, "out">, answer: unknown): Promise<void> {
  return out.write(`${jsonText(answer, 2)}\n`);
}

/** The old content of the file stays byte for byte. */
export async function appendTo(files: Files, file: string, text: string): Promise<void> {
  const open = await files.openAppend(file);
  try {
    await open.append(text);
    await open.sync();
  } finally {
    await open.close();
  }
}

/** How many lines are written at once. */
const MOST_LINES = 1_000;

export async function printLines(output: Output, lines: Iterable<string>): Promise<void> {
  let batch: string[] = [];
  for (const line of lines) {
    batch.push(line);
    if (batch.length < MOST_LINES) continue;
    await output.write(`${batch.join("\n")}\n`);
    batch = [];
  }
  if (batch.length > 0) await output.write(`${batch.join("\n")}\n`);
}
