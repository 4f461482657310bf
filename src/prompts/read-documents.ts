// Reads the documents a bootstrap starts from, bounded.
import path from "node:path";
import { leadsInside } from "../system/files/leads-inside.js";
import type { Files } from "../system/ports.js";

/** Bytes of one document, and documents, that are read. */
const LARGEST = 48 * 1024;
const MOST = 8;

/** A document: its path relative to the project, and its text (with a mark where it was cut). */
export interface ProjectDocument {
  path: string;
  text: string;
}

/** The documents in a project's folder that describe it. */
export interface ProjectDocuments {
  documents: ProjectDocument[];
  /** The names in the folder, hidden ones left out; folders end in `/`. */
  entries: string[];
}

/**
 * The documents at the project's root and in `docs/`. Those that are empty do not count, nor do links that lead out of the
 * project: their text goes to a provider without a question.
 */
export async function readDocuments(files: Files, project: string): Promise<ProjectDocuments> {
  const paths: string[] = [];
  for (const folder of DOCUMENT_FOLDERS) {
    const names = await files.list(path.join(project, folder));
    paths.push(...names.map((name) => path.join(folder, name)));
  }
  const documents: ProjectDocument[] = [];
  for (const relative of chooseDocuments(paths)) {
    if (documents.length === MOST) break;
    const file = path.join(project, relative);
    if (!(await leadsInside(files, file, project))) continue;
    const text = await readStart(files, file);
    if (text.trim() !== "") documents.push({ path: relative, text });
  }
  return { documents, entries: await listEntries(files, project) };
}

async function readStart(files: Files, file: string): Promise<string> {
  const stat = await files.stat(file);
  if (stat?.kind !== "file") return "";
  const bytes = await files.readRange(file, 0, Math.min(stat.size, LARGEST));
  // A character cut in half at the end is dropped with the rest.
  const text = new TextDecoder().decode(bytes, { stream: stat.size > LARGEST });
  return stat.size > LARGEST ? `${text}\n[… cut: ${String(stat.size - LARGEST)} bytes]` : text;
}

async function listEntries(files: Files, project: string): Promise<string[]> {
  const entries: string[] = [];
  for (const name of await files.list(project)) {
    if (name.startsWith(".")) continue;
    // A link counts as a file: following one that leads to itself fails.
    const stat = await files.stat(path.join(project, name), { link: true });
    entries.push(stat?.kind === "folder" ? `${name}/` : name);
  }
  return entries;
}

/** Words of file names that mean such a document, the most telling first. */
const TELLING = [
  "spec",
  "specs",
  "specification",
  "prd",
  "requirements",
  "design",
  "idea",
  "ideas",
  "brief",
  "proposal",
  "plan",
  "project",
  "roadmap",
  "vision",
  "goals",
  "scope",
  "architecture",
  "overview",
  "readme",
];

/** The folders looked into, relative to the project. */
const DOCUMENT_FOLDERS = ["", "docs"] as const;

/** Those of the paths (relative to the project) that count, the most telling first; a tie keeps their order. */
export function chooseDocuments(paths: readonly string[]): string[] {
  const ranked = paths.map((path) => ({ path, rank: rankOf(path) })).filter(({ rank }) => rank >= 0);
  return ranked.sort((a, b) => a.rank - b.rank).map(({ path }) => path);
}

/** Its place in the list above; -1 when it does not count. */
function rankOf(path: string): number {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (!name.endsWith(".md")) return -1;
  const words = name.slice(0, -".md".length).split(/[^a-z0-9]+/);
  return TELLING.findIndex((word) => words.includes(word));
}
