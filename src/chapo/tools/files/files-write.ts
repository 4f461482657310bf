// The tools fs_writeFile, fs_edit and fs_multiEdit. Edits of several files are one operation: all results are computed before the
// first file is written, and files already written are restored when a later one cannot be.
import path from "node:path";
import { z } from "zod";
import { describeKind } from "../../../system/files/describe-kind.js";
import { definePlannedTool, done, failed, type PlannedCall, type Tool } from "../../tool.js";
import { countBytes, findAddedMask, LARGEST_FILE, readText } from "./file-text.js";
import { findFileAbove, resolvePath, type ProjectFolder } from "../../paths.js";
import { clip } from "../../engine/window/clip.js";
import type { KnownFiles } from "./known-files.js";
import { createUnifiedDiff, describeChange } from "./unified-diff.js";
import type { Files } from "../../../system/ports.js";
import { errorMessage } from "../../../system/errors.js";

const PATH = z.string();
const MOST_EDITS = 200;

const replacement = { old_string: z.string(), new_string: z.string(), replace_all: z.boolean().optional() };
const SPELLINGS = { file_path: "path", file: "path", filename: "path" };
const REPLACEMENT_SPELLINGS = { ...SPELLINGS, old_str: "old_string", new_str: "new_string" };

/** Creates the tools that write text. */
export function createWriteTools(place: ProjectFolder, known?: KnownFiles): Tool[] {
  const site = { ...place, known };
  return [
    definePlannedTool({
      name: "fs_writeFile",
      description: `Creates a file and its folders, or replaces its whole content. At most ${LARGEST_FILE} bytes.`,
      arguments: z.strictObject({ path: PATH, content: z.string() }),
      aliases: { ...SPELLINGS, contents: "content", text: "content" },
      subjects: (args) => [{ kind: "path", path: args.path, use: "write" }],
      check: (args) => explainUnknown(site, args),
      plan: (args) => planWrite(site, args),
    }),
    definePlannedTool({
      name: "fs_edit",
      description:
        "Replaces an exact text in a file, white space included. It must be there exactly once, unless replace_all is true.",
      arguments: z.strictObject({ path: PATH, ...replacement }),
      aliases: REPLACEMENT_SPELLINGS,
      subjects: (args) => [{ kind: "path", path: args.path, use: "write" }],
      plan: (args) => planReplacements(site, [args], ({ problem }) => `${problem}. Nothing was changed.`),
    }),
    createMultiEditTool(site),
  ];
}

interface Site extends ProjectFolder {
  /** The files as the session knows them; absent: nothing is compared. */
  known?: KnownFiles;
}

type NewFile = Readonly<{ path: string; content: string }>;

const LONGEST_DIFF = 4_000;

/** A file that the session has not read, or that others have changed since, is not replaced. */
async function explainUnknown(place: Site, { path: spelled, content }: NewFile): Promise<string | undefined> {
  const resolved = await resolvePath(place, spelled, "write");
  if ("refusal" in resolved) return resolved.refusal;
  const { path: file, shown } = resolved;
  const known = await place.known?.check(file);
  if (known === "unread")
    return `${shown} exists, and you have not read it. Read it first, then write it. Nothing was changed.`;
  if (known !== "changed") return undefined;
  const read = await readText(place.files, resolved);
  const before = "text" in read ? read.text : undefined;
  const diff = createUnifiedDiff([{ path: shown, before, after: content }]);
  return `${shown} has changed since you read it; others may have edited it. Read it again before you write it. Nothing was changed. Your text would have made this change:\n${clip(diff, LONGEST_DIFF)}`;
}

async function planWrite(place: Site, { path: spelled, content }: NewFile): Promise<PlannedCall> {
  const { files, known } = place;
  const resolved = await resolvePath(place, spelled, "write");
  if ("refusal" in resolved) return { problem: resolved.refusal };
  const { path: file, shown } = resolved;
  const bytes = countBytes(content);
  if (bytes > LARGEST_FILE)
    return { problem: `content: ${bytes} bytes; at most ${LARGEST_FILE} can be written at once` };
  const there = await files.stat(file);
  if (there !== undefined && there.kind !== "file")
    return { problem: `${shown} is ${describeKind(there.kind)}, not a file` };
  const above = await findFileAbove(place, resolved);
  if (above !== undefined) return { problem: above };
  const read = there === undefined ? { text: undefined } : await readText(files, resolved);
  const before = "text" in read ? read.text : undefined;
  const masked = findAddedMask(shown, before ?? "", content);
  if (masked !== undefined) return { problem: masked };
  const changes = [{ path: shown, before, after: content }];
  return {
    preview: () => createUnifiedDiff(changes),
    apply: async () => {
      await files.makeFolder(path.dirname(file));
      await files.writeAtomic(file, content);
      await known?.note(file);
      // A file that is not text has no diff.
      const diff = "text" in read ? describeChange(changes) : undefined;
      return done(`${there === undefined ? "created" : "updated"} ${shown} (${bytes} bytes)`, diff);
    },
  };
}

const EDITS = z
  .array(
    z.strictObject({
      path: z.string().optional().describe("The file of this edit; without it, the path beside edits"),
      ...replacement,
    }),
  )
  .min(1)
  .max(MOST_EDITS)
  .describe("Applied in this order; each edit sees the result of the earlier ones");

const MULTI_EDIT = z
  .strictObject({
    path: z.string().optional().describe("The file of all edits that name none"),
    edits: EDITS,
  })
  .superRefine((args, context) => {
    args.edits.forEach((one, at) => {
      if ((one.path ?? args.path) === undefined)
        context.addIssue({
          code: "custom",
          path: ["edits", at, "path"],
          message: "missing; name the file of this edit, or of all beside edits",
        });
    });
  });

function createMultiEditTool(place: Site): Tool {
  const toEdits = ({ path: usual = "", edits }: z.output<typeof MULTI_EDIT>) =>
    edits.map((one) => ({ ...one, path: one.path ?? usual }));
  return definePlannedTool({
    name: "fs_multiEdit",
    description:
      "Makes several exact replacements in one or several files as one operation: when one cannot be made, no file is changed and the error names the edit.",
    arguments: MULTI_EDIT,
    aliases: SPELLINGS,
    subjects: (args) =>
      [...new Set(toEdits(args).map((one) => one.path))].map((path) => ({
        kind: "path",
        path,
        use: "write",
      })),
    plan: (args) =>
      planReplacements(
        place,
        toEdits(args),
        ({ problem, at }) => `edit ${at + 1} of ${args.edits.length}: ${problem}. No file was changed.`,
      ),
  });
}

async function planReplacements(
  { known, ...place }: Site,
  edits: Parameters<typeof planEdits>[1],
  describe: (found: { problem: string; at: number }) => string,
): Promise<PlannedCall> {
  const plan = await planEdits(place, edits);
  if ("problem" in plan) return { problem: describe(plan) };
  const { planned } = plan;
  const changes = planned.map(({ shown, before, after }) => ({ path: shown, before, after }));
  return {
    preview: () => createUnifiedDiff(changes),
    apply: async () => {
      const problem = await writeEdits(place.files, planned);
      if (problem !== undefined) return failed(problem);
      for (const { path: file } of planned) await known?.note(file);
      const told = planned.map(
        ({ shown, count }) => `${shown}: ${count} replacement${count === 1 ? "" : "s"}`,
      );
      return done(`updated ${told.join("\nupdated ")}`, describeChange(changes));
    },
  };
}

/** One replacement and its file. */
interface FileEdit extends TextEdit {
  path: string;
}

/** A file's text before and after its edits. */
interface PlannedEdit {
  /** Absolute. */
  path: string;
  shown: string;
  before: string;
  after: string;
  /** The number of replacements in this file. */
  count: number;
}

/** Computes the edited files, in the order in which the edits first name them. A problem carries the index of its edit. */
async function planEdits(
  place: ProjectFolder,
  edits: readonly FileEdit[],
): Promise<{ planned: PlannedEdit[] } | { problem: string; at: number }> {
  const planned = new Map<string, PlannedEdit>();
  for (const [at, edit] of edits.entries()) {
    const opened = await openFile(place, planned, edit.path);
    if ("problem" in opened) return { problem: opened.problem, at };
    const edited = editText(opened.after, edit);
    if ("problem" in edited) return { problem: `${opened.shown}: ${edited.problem}`, at };
    if (countBytes(edited.text) > LARGEST_FILE)
      return { problem: `${opened.shown}: the file would exceed ${LARGEST_FILE} bytes`, at };
    const masked = findAddedMask(opened.shown, opened.before, edited.text);
    if (masked !== undefined) return { problem: masked, at };
    planned.set(opened.path, { ...opened, after: edited.text, count: opened.count + edited.count });
  }
  return { planned: [...planned.values()] };
}

/** Returns the file as earlier edits left it, otherwise as it is on disk. */
async function openFile(
  place: ProjectFolder,
  planned: ReadonlyMap<string, PlannedEdit>,
  spelled: string,
): Promise<PlannedEdit | { problem: string }> {
  const resolved = await resolvePath(place, spelled, "write");
  if ("refusal" in resolved) return { problem: resolved.refusal };
  const earlier = planned.get(resolved.path);
  if (earlier !== undefined) return earlier;
  const read = await readText(place.files, resolved);
  if ("problem" in read) return read;
  return { ...resolved, before: read.text, after: read.text, count: 0 };
}

/** Writes all files. After a failure it restores the files already written, then returns the problem. */
async function writeEdits(files: Files, planned: readonly PlannedEdit[]): Promise<string | undefined> {
  for (const [at, file] of planned.entries()) {
    try {
      await files.writeAtomic(file.path, file.after);
    } catch (error) {
      const left: string[] = [];
      for (const { path, before, shown } of planned.slice(0, at))
        await files.writeAtomic(path, before).catch(() => left.push(shown));
      const after = left.length === 0 ? "nothing was changed" : `could not be restored: ${left.join(", ")}`;
      return `${file.shown}: ${errorMessage(error)}; ${after}`;
    }
  }
  return undefined;
}

/** A text to replace and its replacement. */
interface TextEdit {
  old_string: string;
  new_string: string;
  replace_all?: boolean | undefined;
}

/**
 * Returns the edited text and the number of replacements, or the reason nothing changed. An old text without CR also
 * matches lines that end in CRLF; the new lines then end in CRLF too. Every other byte stays.
 */
export function editText(
  text: string,
  edit: TextEdit,
): { text: string; count: number } | { problem: string } {
  if (edit.old_string === "") return { problem: "old_string is empty; write the file whole instead" };
  if (edit.old_string === edit.new_string) return { problem: "old_string and new_string are the same" };
  const [from, to] = matchLineEnds(text, edit);
  const count = countOccurrences(text, from);
  const found = `old_string was found ${count} times`;
  if (count === 0)
    return { problem: `${found}; it must match exactly, white space included: read the file again` };
  if (count > 1 && edit.replace_all !== true)
    return { problem: `${found}; add lines around it until it is found once, or set replace_all` };
  // Not `replace`, which would interpret `$&` in the new text.
  const parts = text.split(from);
  return { text: parts.join(to), count: parts.length - 1 };
}

function matchLineEnds(
  text: string,
  { old_string: from, new_string: to }: TextEdit,
): [from: string, to: string] {
  if (!text.includes("\r\n") || from.includes("\r")) return [from, to];
  const mostEndInCrlf = countOccurrences(text, "\r\n") * 2 > countOccurrences(text, "\n");
  if (!from.includes("\n")) return [from, mostEndInCrlf ? toCrlf(to) : to];
  return text.includes(from) ? [from, to] : [toCrlf(from), toCrlf(to)];
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

/** Counts the matches of a part; returns 2 when a second match overlaps the first. */
function countOccurrences(text: string, part: string): number {
  const first = text.indexOf(part);
  if (first < 0) return 0;
  let count = 0;
  for (let at = first; at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count === 1 && text.includes(part, first + 1) ? 2 : count;
}
