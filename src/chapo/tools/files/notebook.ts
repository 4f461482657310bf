// The tools notebook_read and notebook_edit for Jupyter notebooks. An edit changes one cell and leaves the rest of the JSON.
import { z } from "zod";
import { tryParseJson, isRecord } from "../../../system/text/json.js";
import { sha256Hex } from "../../../system/text/sha256.js";
import { definePlannedTool, defineTool, done, fail, type PlannedCall, type Tool } from "../../tool.js";
import { planTexts, readText } from "./file-text.js";
import { reach, type ProjectFolder } from "../../paths.js";
import { stripControlSequences } from "../../../system/text/control-sequences.js";

type Json = Record<string, unknown>;

const PATH = z.string().describe("Path of the notebook (.ipynb), relative to the project");

const Nth = z.int().min(0);
const Text = z.string();
const EDIT = z.strictObject({
  path: PATH,
  cell_idx: Nth.optional().describe("Number of the cell, from 0; to insert: its number afterwards"),
  cell_id: Text.optional().describe(
    "Id of the cell, instead of its number; to insert: of the cell before it",
  ),
  content: z.string().optional().describe("The new source; needed to replace and to insert"),
  cell_type: z.enum(["code", "markdown", "raw"]).optional().describe("Needed to insert; code if left out"),
  edit_mode: z.enum(["replace", "insert", "delete"]).optional().describe("replace if left out"),
});
type Edit = z.output<typeof EDIT>;

/** Creates the notebook tools. */
export function createNotebookTools(place: ProjectFolder): Tool[] {
  return [
    defineTool({
      name: "notebook_read",
      description: "Shows the cells of a notebook in order: number, type, id, source, outputs.",
      arguments: z.strictObject({ path: PATH }),
      changes: false,
      maxOutput: 55_000,
      subjects: (args) => [{ kind: "path", path: args.path, use: "read" }],
      run: async (args) => {
        const opened = await openNotebook(place, args.path, "read");
        return done(formatCells(opened.cells));
      },
    }),
    definePlannedTool({
      name: "notebook_edit",
      description:
        "Replaces the source of one cell of a notebook, or inserts or deletes a cell (edit_mode). The rest of the notebook stays as it is.",
      arguments: EDIT,
      subjects: (args) => [{ kind: "path", path: args.path, use: "write" }],
      plan: (args) => planEdit(place, args),
    }),
  ];
}

interface Opened {
  path: string;
  shown: string;
  text: string;
  notebook: Json;
  /** The notebook's own list, not a copy: changing it changes `notebook`. */
  cells: Json[];
}

async function openNotebook(place: ProjectFolder, spelled: string, use: "read" | "write"): Promise<Opened> {
  const resolved = await reach(place, spelled, use);
  const read = await readText(place.files, resolved);
  if ("problem" in read) fail(read.problem);
  const { shown } = resolved;
  const parsed = tryParseJson(read.text);
  if (!parsed.ok) fail(`${shown} is not a notebook: ${parsed.error}`);
  const notebook = parsed.value;
  if (!isRecord(notebook)) fail(`${shown} is not a notebook: its JSON is not an object`);
  const { cells } = notebook;
  if (!areCells(cells)) fail(`${shown} is not a notebook: it has no list of cells`);
  return { ...resolved, text: read.text, notebook, cells };
}

function areCells(value: unknown): value is Json[] {
  return Array.isArray(value) && value.every(isRecord);
}

async function planEdit(place: ProjectFolder, args: Edit): Promise<PlannedCall> {
  const opened = await openNotebook(place, args.path, "write");
  const { path, shown, text: before } = opened;
  const did = editCells(opened, args);
  return planTexts(place, [{ path, shown, before, after: serialize(opened) }], `${did} of ${shown}`);
}

/** Edits the cells, and says what was done. */
function editCells({ notebook, cells, text, shown }: Opened, args: Edit): string {
  const mode = args.edit_mode ?? "replace";
  if (mode !== "delete" && args.content === undefined)
    fail(`${shown}: content: missing; it is needed to ${mode}`);
  const source = args.content ?? "";
  if (mode === "insert") {
    const at = findInsertPosition(shown, cells, args);
    // The same edit gets the same id: a person approves the text that was shown.
    const id = sha256Hex(JSON.stringify([text, at, source])).slice(0, 8);
    cells.splice(at, 0, createCell(notebook, source, { type: args.cell_type ?? "code", id }));
    return `inserted cell ${at}`;
  }
  const { at, cell } = findCell(shown, cells, args);
  if (mode === "delete") {
    cells.splice(at, 1);
    return `deleted cell ${at}`;
  }
  cell.source = Array.isArray(cell.source) ? splitSource(source) : source;
  if (args.cell_type !== undefined && args.cell_type !== cell.cell_type) changeCellType(cell, args.cell_type);
  return `replaced the source of cell ${at}`;
}

function findCell(
  shown: string,
  cells: readonly Json[],
  { cell_idx: nth, cell_id: id }: Edit,
): { at: number; cell: Json } {
  if (id === undefined && nth === undefined)
    fail(`${shown}: cell_idx: missing; it takes the number of the cell, from 0`);
  const named = cells.findIndex((cell) => cell.id === id);
  const numbered = Number(/^cell-(\d{1,9})$/.exec(id ?? "")?.[1] ?? "-1");
  const at = id === undefined ? (nth ?? 0) : named >= 0 ? named : numbered;
  const cell = cells[at];
  if (cell !== undefined) return { at, cell };
  if (id !== undefined) fail(`${shown}: cell_id: no such cell: ${id}`);
  return fail(`${shown}: cell_idx: ${at} is out of range; there are ${cells.length} cells, from 0`);
}

function findInsertPosition(shown: string, cells: readonly Json[], args: Edit): number {
  if (args.cell_id !== undefined) return findCell(shown, cells, args).at + 1;
  const at = args.cell_idx ?? 0;
  if (at > cells.length)
    fail(`${shown}: cell_idx: ${at} is out of range; a cell can be inserted at 0 to ${cells.length}`);
  return at;
}

function createCell(notebook: Json, source: string, { type, id }: { type: string; id: string }): Json {
  const { nbformat, nbformat_minor: minor } = notebook;
  // Format 4.5 introduced cell ids; earlier formats do not allow them.
  const named = typeof nbformat === "number" && typeof minor === "number" && nbformat * 100 + minor >= 405;
  const cell: Json = { cell_type: type, ...(named ? { id } : {}), metadata: {} };
  if (type === "code") Object.assign(cell, { execution_count: null, outputs: [] });
  cell.source = splitSource(source);
  return cell;
}

/** Changes a cell's type. Code cells must have outputs; other cells must not. */
function changeCellType(cell: Json, type: string): void {
  cell.cell_type = type;
  if (type === "code") Object.assign(cell, { execution_count: null, outputs: [] });
  else {
    delete cell.execution_count;
    delete cell.outputs;
  }
}

/** Splits a source into one text per line, including the line end, as notebooks store it. */
function splitSource(source: string): string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Serializes the notebook with its original indentation. */
function serialize({ text, notebook }: Opened): string {
  const indent = /^\{\r?\n([ \t]+)"/.exec(text)?.[1];
  return JSON.stringify(notebook, undefined, indent ?? "") + (/\r?\n$/.exec(text)?.[0] ?? "");
}

const LONGEST_SOURCE = 20_000;
const LONGEST_OUTPUT = 4000;
const MOST_CHARACTERS = 50_000;

/** Formats the cells in order with number, type, id, source and outputs. Reports truncated parts. */
function formatCells(cells: readonly Json[]): string {
  if (cells.length === 0) return "the notebook has no cells";
  const told: string[] = [];
  let characters = 0;
  for (const [at, cell] of cells.entries()) {
    const text = formatCell(cell, at);
    characters += text.length;
    if (characters > MOST_CHARACTERS) {
      told.push(`[truncated: ${at} of ${cells.length} cells are shown]`);
      break;
    }
    told.push(text);
  }
  return told.join("\n\n");
}

function formatCell(cell: Json, at: number): string {
  const type = typeof cell.cell_type === "string" ? cell.cell_type : "unknown";
  const id = typeof cell.id === "string" ? ` (id ${cell.id})` : "";
  const lines = [`cell ${at}: ${type}${id}`, truncate(toText(cell.source), LONGEST_SOURCE)];
  const outputs: readonly unknown[] = Array.isArray(cell.outputs) ? cell.outputs : [];
  for (const output of outputs) lines.push("output:", truncate(formatOutput(output), LONGEST_OUTPUT));
  return lines.join("\n");
}

function formatOutput(output: unknown): string {
  if (!isRecord(output)) return "[no output]";
  if (output.text !== undefined) return toText(output.text);
  if (output.output_type === "error")
    return `${toText(output.ename)}: ${toText(output.evalue)}\n${stripControlSequences(toText(output.traceback, "\n"))}`;
  if (!isRecord(output.data)) return "[empty]";
  const { "text/plain": plain, ...others } = output.data;
  const kinds = Object.keys(others).map((kind) => `[${kind}]`);
  return [...(plain === undefined ? [] : [toText(plain)]), ...kinds].join("\n");
}

/** Accepts a text or a list of its lines. */
function toText(value: unknown, between = ""): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join(between) : "";
}

function truncate(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}\n[cut: ${text.length - most} more characters]`;
}
