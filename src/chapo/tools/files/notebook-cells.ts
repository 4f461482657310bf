// Formats a notebook's cells for a model. Pure; a file may hold any JSON.
import { stripControlSequences } from "../../../system/text/control-sequences.js";
import { isRecord } from "../../../system/text/json.js";

type Json = Readonly<Record<string, unknown>>;

const LONGEST_SOURCE = 20_000;
const LONGEST_OUTPUT = 4000;
const MOST_CHARACTERS = 100_000;

/** Formats the cells in order with number, type, id, source and outputs. Reports truncated parts. */
export function formatCells(cells: readonly Json[]): string {
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
