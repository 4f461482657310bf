// The task file of a new project: empty, or with the tasks of another file. Leaves reading that file to
// src/todo/exchange, and validating and writing to the store.
import path from "node:path";
import type { Project } from "../../../src/config/project/open-project.js";
import { findLiveRun } from "../../../src/loop/runs/live-run.js";
import { environmentError, usageError } from "../../../src/system/errors.js";
import { given } from "../../../src/system/given.js";
import { parseJson } from "../../../src/system/text/json.js";
import { type Drafted, planImport, type PlannedImport } from "../../../src/todo/exchange/import/plan.js";
import { MOST_BYTES, readImport } from "../../../src/todo/exchange/import/read.js";
import { withoutMarker } from "../../../src/todo/model/select.js";
import { openStore, type ReadResult } from "../../../src/todo/store/store.js";
import { Backlog } from "../../../src/todo/model/task.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import type { InitAnswer } from "../../../src/ui/shapes/project.js";
import { checkOptionsOf } from "../../lookup/read-tasks.js";
import { readNamedFile, shownPath } from "../../lookup/project.js";
import type { CommandContext } from "../../context/command-context.js";
import { type InitSite, newBacklog, pretty } from "./plan.js";

export interface BacklogImport extends PlannedImport {
  /** As typed; `-`: stdin. */
  from: string;
  drafted: Drafted;
  /** The imported document if it is in the project, relative to the task file. */
  document?: string;
}

/** Reads a file to import; throws a `usage` error before anything is written. */
export async function readImportFile(
  context: CommandContext,
  project: Pick<Project, "folder" | "todoFile">,
  from: string,
): Promise<BacklogImport> {
  const name = from === "-" ? "stdin" : from;
  const file = path.resolve(context.cwd, from);
  const bytes = from === "-" ? await context.stdin.readBytes() : await readFile(context, file, name);
  const read = readImport(bytes, from);
  if (!read.ok) throw usageError(`${name}: ${read.error.what}`, read.error.hint);
  const inside = path.relative(project.folder, (await context.ports.files.realPath(file)) ?? file);
  const isDocument = from !== "-" && /Markdown/.test(read.value.format) && !inside.startsWith("..");
  const document = path.relative(path.dirname(project.todoFile), file);
  return { from: name, drafted: read.value, ...planImport(read.value), ...(isDocument ? { document } : {}) };
}

async function readFile(context: CommandContext, file: string, name: string): Promise<Uint8Array> {
  const size = (await context.ports.files.stat(file).catch(() => undefined))?.size ?? 0;
  if (size <= MOST_BYTES) return readNamedFile(context, file, "file to import");
  const megabytes = Math.round(size / 1024 / 1024);
  throw usageError(`${name}: it has ${megabytes} MB: too much for a list of tasks`, "name a smaller file");
}

/** Whether a new task file would replace nothing. */
export function mayBegin(found: ReadResult): boolean {
  if (found.kind === "missing") return true;
  return found.kind === "empty" && new TextDecoder().decode(found.bytes).trim() === "";
}

/** A valid file without tasks. */
function isWaiting(found: ReadResult): found is Extract<ReadResult, { kind: "empty" }> {
  return found.kind === "empty" && found.problems.length === 0;
}

export function refuseOverTasks(context: CommandContext, site: InitSite, imported: BacklogImport): void {
  const { backlog: found, project } = site;
  if (mayBegin(found) || isWaiting(found)) return;
  const file = shownPath(context, project.todoFile);
  const has =
    found.kind === "ok"
      ? `has ${plural(withoutMarker(found.backlog.tasks).length, "task")} already`
      : "is not a valid backlog";
  throw usageError(
    `${file} ${has}: nothing was imported`,
    `add to it with \`looper add --import ${imported.from === "stdin" ? "-" : imported.from}\`; --force replaces it and keeps a copy`,
  );
}

function freshBacklog(project: Project, imported: BacklogImport | undefined, old?: Backlog): Backlog {
  const fresh = newBacklog(project);
  if (imported === undefined) return fresh;
  const { tasks, document, drafted } = imported;
  const { kept, name } = drafted;
  const facts = old?.project ?? (name === undefined ? undefined : { name });
  const meta = old?.meta ?? (kept === undefined ? undefined : { imported: kept });
  return {
    $schema: old?.$schema ?? fresh.$schema,
    schema_version: 1,
    ...given({ project: facts }),
    source_files: [...new Set([...(old?.source_files ?? []), ...(document === undefined ? [] : [document])])],
    tasks,
    ...given({ meta }),
  };
}

/** Writes the task file; returns what happened to it. */
export async function beginBacklog(
  context: CommandContext,
  site: InitSite,
  { force, imported }: { force: boolean; imported: BacklogImport | undefined },
): Promise<Pick<InitAnswer["files"][number], "did" | "copy">> {
  const { ports } = context;
  const { project, broken } = site;
  const live = await findLiveRun(ports, project);
  if (live !== undefined)
    throw environmentError(`run ${live.run} works here`, "set the project up when the run is over");
  await ports.files.makeFolder(path.dirname(project.todoFile));
  const check = broken === undefined ? await checkOptionsOf(context, project) : {};
  const store = openStore(ports, project.todoFile, { lockFolder: project.lockDir, check });
  const begun = await store.begin((found) => {
    if (force || mayBegin(found)) return bytesOf(freshBacklog(project, imported));
    if (imported === undefined) return undefined;
    refuseOverTasks(context, { ...site, backlog: found }, imported);
    const old = found.kind === "empty" ? Backlog.parse(parseJson(found.bytes)) : undefined;
    return bytesOf(freshBacklog(project, imported, old));
  });
  if (!begun.ok) {
    const [first] = begun.error.problems;
    const what =
      imported === undefined ? "the new task file" : `the task file with the tasks of ${imported.from}`;
    const where = first?.pointer === undefined || first.pointer === "" ? "" : ` (${first.pointer})`;
    throw usageError(
      `${what} would not be valid: ${first?.message ?? "not valid"}${where}`,
      first?.suggestion ?? "nothing was written",
    );
  }
  const { found, written, copy } = begun.value;
  if (!written) return { did: "kept" };
  return { did: found.kind === "missing" ? "written" : "replaced", ...given({ copy }) };
}

function bytesOf(backlog: Backlog): Uint8Array {
  return Buffer.from(pretty(backlog));
}
