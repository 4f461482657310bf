// The tools fs_writeFile, fs_edit and fs_multiEdit. Edits of several files are one operation: all results are computed before the
// first file is written (file-text.ts).
import { z } from "zod";
import { describeKind } from "../../../system/files/describe-kind.js";
import { definePlannedTool, fail, toFailure, type PlannedCall, type Tool } from "../../tool.js";
import {
  checkText,
  LARGEST_FILE,
  planTexts,
  readText,
  type TextChange,
  type KnownPlace,
} from "./file-text.js";
import { reach, refuseFileAbove, type ProjectFolder } from "../../paths.js";
import { clip } from "../../engine/window/clip.js";
import type { KnownFiles } from "./known-files.js";
import { createUnifiedDiff } from "./unified-diff.js";

const PATH = z.string();
const MOST_EDITS = 200;

const REPLACEMENT = { old_string: z.string(), new_string: z.string(), replace_all: z.boolean().optional() };
const EDIT = z.strictObject({ path: PATH, ...REPLACEMENT });
/** One replacement and its file. */
type FileEdit = z.output<typeof EDIT>;
type TextEdit = Omit<FileEdit, "path">;

/** Creates the tools that write text. */
export function createWriteTools(place: ProjectFolder, known?: KnownFiles): Tool[] {
  const site = { ...place, known };
  return [
    definePlannedTool({
      name: "fs_writeFile",
      description: `Creates a file and its folders, or replaces its whole content. At most ${LARGEST_FILE} bytes.`,
      arguments: z.strictObject({ path: PATH, content: z.string() }),
      subjects: (args) => [{ kind: "path", path: args.path, use: "write" }],
      check: (args) => refuseUnknown(site, args),
      plan: (args) => planWrite(site, args),
    }),
    definePlannedTool({
      name: "fs_edit",
      description:
        "Replaces an exact text in a file, white space included. It must be there exactly once, unless replace_all is true.",
      arguments: EDIT,
      subjects: (args) => [{ kind: "path", path: args.path, use: "write" }],
      plan: (args) => planReplacements(site, [args], (problem) => `${problem}. Nothing was changed.`),
    }),
    createMultiEditTool(site),
  ];
}

type Site = ProjectFolder & KnownPlace;
type NewFile = Readonly<{ path: string; content: string }>;

const LONGEST_DIFF = 4_000;

/** A file that the session has not read, or that others have changed since, is not replaced. */
async function refuseUnknown(place: Site, { path: spelled, content }: NewFile): Promise<void> {
  const resolved = await reach(place, spelled, "write");
  const { path: file, shown } = resolved;
  const known = await place.known?.check(file);
  if (known === "unread")
    fail(`${shown} exists, and you have not read it. Read it first, then write it. Nothing was changed.`);
  if (known !== "changed") return;
  const read = await readText(place.files, resolved);
  const before = "text" in read ? read.text : undefined;
  const diff = createUnifiedDiff([{ path: shown, before, after: content }]);
  fail(
    `${shown} has changed since you read it; others may have edited it. Read it again before you write it. Nothing was changed. Your text would have made this change:\n${clip(diff, LONGEST_DIFF)}`,
  );
}

async function planWrite(place: Site, { path: spelled, content: after }: NewFile): Promise<PlannedCall> {
  const resolved = await reach(place, spelled, "write");
  const { path: file, shown } = resolved;
  const there = await place.files.stat(file);
  if (there !== undefined && there.kind !== "file")
    fail(`${shown} is ${describeKind(there.kind)}, not a file`);
  await refuseFileAbove(place, resolved);
  const read = there === undefined ? { text: undefined } : await readText(place.files, resolved);
  const before = "text" in read ? read.text : undefined;
  const told = `${there === undefined ? "created" : "updated"} ${shown} (${Buffer.byteLength(after)} bytes)`;
  const planned = planTexts(place, [{ path: file, shown, before, after }], told);
  // A file that is not text has no diff.
  return "text" in read
    ? planned
    : { ...planned, apply: async () => ({ ...(await planned.apply()), diff: undefined }) };
}

const EDITS = z
  .array(
    z.strictObject({
      path: z.string().optional().describe("The file of this edit; without it, the path beside edits"),
      ...REPLACEMENT,
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
        (problem, at) => `edit ${at + 1} of ${args.edits.length}: ${problem}. No file was changed.`,
      ),
  });
}

/** Computes the edited files, in the order in which the edits first name them. `describe` says which edit cannot be made. */
async function planReplacements(
  place: Site,
  edits: readonly FileEdit[],
  describe: (problem: string, at: number) => string,
): Promise<PlannedCall> {
  const planned = new Map<string, PlannedEdit>();
  for (const [at, edit] of edits.entries()) {
    const edited = await makeEdit(place, planned, edit).catch((error: unknown) =>
      fail(describe(toFailure(error).error, at)),
    );
    planned.set(edited.path, edited);
  }
  const all = [...planned.values()];
  const told = all.map(
    ({ shown, count }) => `updated ${shown}: ${count} replacement${count === 1 ? "" : "s"}`,
  );
  return planTexts(place, all, told.join("\n"));
}

/** `count`: the number of replacements in this file. */
interface PlannedEdit extends TextChange {
  count: number;
}

/** Edits the file as earlier edits left it, otherwise as it is on disk. */
async function makeEdit(
  place: ProjectFolder,
  planned: ReadonlyMap<string, PlannedEdit>,
  edit: FileEdit,
): Promise<PlannedEdit> {
  const resolved = await reach(place, edit.path, "write");
  let file = planned.get(resolved.path);
  if (file === undefined) {
    const read = await readText(place.files, resolved);
    if ("problem" in read) fail(read.problem);
    file = { ...resolved, before: read.text, after: read.text, count: 0 };
  }
  const edited = editText(file.after, edit);
  if ("problem" in edited) fail(`${file.shown}: ${edited.problem}`);
  const made = { ...file, after: edited.text, count: file.count + edited.count };
  checkText(made);
  return made;
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
