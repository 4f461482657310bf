// The tools fs_listFiles and fs_readFile. files-find.ts searches for files and for text in them.
import path from "node:path";
import { z } from "zod";
import { defineTool, done, fail, type Tool, type ToolResult } from "../../tool.js";
import { reach, type ProjectFolder } from "../../paths.js";
import type { KnownFiles } from "./known-files.js";
import { LARGEST_FILE } from "./file-text.js";

const MOST_ENTRIES = 500;
const USUAL_LINES = 2000;
const MOST_LINES = 100_000;
/** The most characters shown of one line, and of all lines together. */
const LONGEST_LINE = 2000;
const MOST_CHARACTERS = 50_000;
/** A file with a NUL within this many bytes is treated as binary. */
const BINARY_WITHIN = 8192;

/** Creates the tools that list a folder and read a file. */
export function createReadTools(place: ProjectFolder, known?: KnownFiles): Tool[] {
  return [
    defineTool({
      name: "fs_listFiles",
      description: `Lists a folder, without path the project's: at most ${MOST_ENTRIES} entries, each with its type.`,
      arguments: z.strictObject({ path: z.string().optional() }),
      changes: false,
      subjects: (args) => [{ kind: "path", path: args.path ?? ".", use: "read" }],
      run: async (args) => {
        const resolved = await reach(place, args.path ?? ".", "read");
        const stat = await place.files.stat(resolved.path);
        if (stat === undefined) fail(`${resolved.shown}: no such folder`);
        if (stat.kind !== "folder") fail(`${resolved.shown} is a file, not a folder`);
        return done(await listFolder(place, resolved));
      },
    }),
    defineTool({
      name: "fs_readFile",
      description: `Reads a text file, its lines numbered: at most ${USUAL_LINES} without limit.`,
      arguments: READ,
      changes: false,
      maxOutput: MOST_CHARACTERS + 1000,
      subjects: (args) => [{ kind: "path", path: args.path, use: "read" }],
      run: (args) => read(place, args, known),
    }),
  ];
}

async function listFolder(place: ProjectFolder, folder: { path: string; shown: string }): Promise<string> {
  const root = (await place.files.realPath(place.root)) ?? place.root;
  const names = (await place.files.list(folder.path)).filter(
    (name) => place.hidden?.name(path.relative(root, path.join(folder.path, name))) !== true,
  );
  const lines: string[] = [];
  for (const name of names.slice(0, MOST_ENTRIES)) {
    const stat = await place.files.stat(path.join(folder.path, name), { link: true });
    if (stat !== undefined)
      lines.push(
        stat.kind === "file" ? `file    ${name} (${stat.size} bytes)` : `${stat.kind.padEnd(7)} ${name}`,
      );
  }
  if (names.length === 0) return `${folder.shown} is empty`;
  if (names.length > MOST_ENTRIES)
    lines.push(
      `[truncated: ${MOST_ENTRIES} of ${names.length} entries are shown; use fs_glob for the others]`,
    );
  return lines.join("\n");
}

const READ = z.strictObject({
  path: z.string(),
  offset: z.int().min(0).optional().describe("The first line to read, from 1"),
  limit: z.int().min(1).max(MOST_LINES).optional(),
});
type Read = z.output<typeof READ>;

async function read(place: ProjectFolder, args: Read, known?: KnownFiles): Promise<ToolResult> {
  const { path: file, shown } = await reach(place, args.path, "read");
  const stat = await place.files.stat(file);
  if (stat === undefined) fail(`${shown}: no such file`);
  if (stat.kind === "folder") fail(`${shown} is a folder; list it instead`);
  if (stat.kind !== "file") fail(`${shown} is not a regular file`);
  const bytes = await place.files.readRange(file, 0, Math.min(stat.size, LARGEST_FILE));
  if (bytes.subarray(0, BINARY_WITHIN).includes(0))
    fail(`${shown} is a binary file of ${stat.size} bytes; it cannot be shown as text`);
  await known?.note(file);
  if (bytes.length === 0) return done(`${shown} is empty`);
  const text = new TextDecoder().decode(bytes);
  const all = text.split("\n").slice(0, text.endsWith("\n") ? -1 : undefined);
  const isWhole = stat.size <= LARGEST_FILE;
  const first = Math.max(1, args.offset ?? 1);
  const { lines, isFull } = showLines(all.slice(first - 1, first - 1 + (args.limit ?? USUAL_LINES)), first);
  const last = first + lines.length - 1;
  if (lines.length === 0)
    fail(
      isWhole
        ? `${shown} has ${all.length} lines; offset ${first} is past its end`
        : `${shown}: line ${first} is beyond the first ${LARGEST_FILE} bytes; read it with a shell command`,
    );
  const long = lines.filter((line) => CUT.test(line)).length;
  const notes = [
    ...(long > 0 ? [`[${long} long line${long === 1 ? " is" : "s are"} cut]`] : []),
    ...(first > 1 || last < all.length || !isWhole
      ? [`[lines ${first}-${last} of ${isWhole ? "" : "more than "}${all.length}]`]
      : []),
    ...(last < all.length
      ? [`[truncated${isFull ? ", the text is too long" : ""}: continue with offset ${last + 1}]`]
      : []),
  ];
  return done([...lines, ...notes].join("\n"));
}

/** The end of a line that is cut. */
const CUT = /… \[cut: the line has \d+ characters\]$/;

/** Numbers lines from `first` on, and cuts long ones. `isFull`: there was no room for all of them. */
function showLines(lines: readonly string[], first: number): { lines: string[]; isFull: boolean } {
  const shown: string[] = [];
  let characters = 0;
  for (const line of lines) {
    const text = line.replace(/\r$/, "");
    const kept = text.slice(0, LONGEST_LINE);
    const cut = kept === text ? "" : `… [cut: the line has ${text.length} characters]`;
    const numbered = `${first + shown.length}\t${kept}${cut}`;
    characters += numbered.length + 1;
    if (characters > MOST_CHARACTERS) return { lines: shown, isFull: true };
    shown.push(numbered);
  }
  return { lines: shown, isFull: false };
}
