// The tools context_listDocuments, context_readDocument and context_searchDocuments for the project's documents: the .md and
// .txt files of one folder. The `fs_` tools handle all other files.
import path from "node:path";
import { z } from "zod";
import { defineTool, done, fail, type Tool, type ToolResult } from "../../tool.js";
import { LARGEST_FILE } from "../files/file-text.js";
import { decodePath, findLeftOut, readStart, resolvePath, type ProjectFolder } from "../../paths.js";
import { findLines } from "../../memory/memory.js";

/** The project and its folder of documents. */
export interface DocumentPlace extends ProjectFolder {
  /** The folder, relative to the project or absolute. */
  documents: string;
}

const MOST_DOCUMENTS = 500;
const MOST_HITS = 100;
const MOST_CHARACTERS = 50_000;

/** Creates the document tools. */
export function createDocumentTools(given: DocumentPlace): Tool[] {
  // Shown to the model relative to the project, as every other path.
  const documents = path.relative(given.root, path.resolve(given.root, given.documents));
  const place = { ...given, documents };
  const at = (name: string) => path.join(place.documents, name);
  return [
    defineTool({
      name: "context_listDocuments",
      description: `Lists the documents of the project: .md and .txt files of ${place.documents}.`,
      arguments: z.strictObject({}),
      changes: false,
      subjects: () => [{ kind: "path", path: place.documents, use: "read" }],
      run: () => listDocuments(place),
    }),
    defineTool({
      name: "context_readDocument",
      description: `Reads one document whole, at most ${MOST_CHARACTERS} characters.`,
      arguments: z.strictObject({ path: z.string().describe("A path that context_listDocuments returned") }),
      changes: false,
      maxOutput: MOST_CHARACTERS + 1000,
      subjects: (args) => [{ kind: "path", path: at(args.path), use: "read" }],
      run: (args) => readDocument(place, args.path),
    }),
    defineTool({
      name: "context_searchDocuments",
      description:
        "Searches all documents for lines with every word of the query, ignoring case; returns document:line:text.",
      arguments: z.strictObject({
        query: z.string().trim().min(1).max(1000).describe("The words to search for"),
      }),
      changes: false,
      subjects: () => [{ kind: "path", path: place.documents, use: "read" }],
      run: (args) => searchDocuments(place, args.query),
    }),
  ];
}

async function listDocuments(place: DocumentPlace): Promise<ToolResult> {
  const names = await findDocuments(place);
  if (names.length === 0) return done(`no documents in ${place.documents}`);
  const lines = names.slice(0, MOST_DOCUMENTS);
  if (names.length > MOST_DOCUMENTS)
    lines.push(`[truncated: ${MOST_DOCUMENTS} of ${names.length} documents are shown]`);
  return done(lines.join("\n"));
}

async function readDocument(place: DocumentPlace, name: string): Promise<ToolResult> {
  if (!isDocument(name)) fail(`${name} is not a document; only .md and .txt files are`);
  const text = await readText(place, name);
  if ("problem" in text) fail(text.problem);
  if (text.text.length <= MOST_CHARACTERS) return done(text.text);
  const more = text.text.length - MOST_CHARACTERS;
  return done(
    `${text.text.slice(0, MOST_CHARACTERS)}\n[truncated: ${more} more characters; fs_readFile with an offset reads them]`,
  );
}

async function searchDocuments(place: DocumentPlace, query: string): Promise<ToolResult> {
  const hits: string[] = [];
  for (const name of (await findDocuments(place)).slice(0, MOST_DOCUMENTS)) {
    const text = await readText(place, name);
    if ("problem" in text) continue;
    for (const { line, snippet } of findLines(text.text, query)) hits.push(`${name}:${line}:${snippet}`);
  }
  if (hits.length === 0) return done("no matches");
  const more = hits.length > MOST_HITS ? [`[truncated: the first ${MOST_HITS} lines are shown]`] : [];
  return done([...hits.slice(0, MOST_HITS), ...more].join("\n"));
}

function isDocument(name: string): boolean {
  return /\.(?:md|txt)$/i.test(name);
}

/** Lists the documents relative to their folder, sorted; none if the folder does not exist or is outside the project. */
async function findDocuments(place: DocumentPlace): Promise<string[]> {
  const folder = await resolvePath(place, place.documents, "read");
  if ("refusal" in folder) return [];
  const found = await place.files.tree(folder.path).walk("", () => true);
  const names = found
    .filter(({ kind }) => kind === "file")
    .map((entry) => decodePath(entry.path))
    .filter(isDocument);
  const toProject = (name: string): string => path.join(place.documents, name);
  const left = await findLeftOut(place.hidden, "content", names.map(toProject));
  return names.filter((name) => !left.has(toProject(name))).sort();
}

async function readText(
  { files, root, documents }: DocumentPlace,
  name: string,
): Promise<{ text: string } | { problem: string }> {
  const resolved = await resolvePath({ files, root: path.resolve(root, documents) }, name, "read");
  if ("refusal" in resolved) return { problem: `${name}: not in ${documents}` };
  const inProject = await resolvePath({ files, root }, resolved.path, "read");
  if ("refusal" in inProject || !isDocument(resolved.path)) return { problem: `${name}: no such document` };
  const read = await readStart(files, resolved.path, LARGEST_FILE);
  return read ?? { problem: `${name}: no such document in ${documents}` };
}
