// The tools fs_writeFile, fs_edit and fs_multiEdit. edit-files.ts computes and writes edits; files-move.ts creates folders,
// moves and deletes.
import path from "node:path";
import { z } from "zod";
import { describeKind } from "../../../system/files/describe-kind.js";
import { defineTool, done, failed, type Tool, type ToolResult } from "../../tool.js";
import { planEdits, writeEdits, type FileEdit, type PlannedEdit } from "./edit-files.js";
import { REDACTED } from "../../../system/text/secrets/redact.js";
import { countBytes, findAddedMask, LARGEST_FILE, readText } from "./file-text.js";
import { findFileAbove, resolvePath, type ProjectFolder, type ResolvedPath } from "../../paths.js";
import { clip } from "../../engine/window/clip.js";
import type { KnownFiles } from "./known-files.js";
import { createUnifiedDiff, describeChange } from "./unified-diff.js";

const PATH = z.string().describe("Path of the file, relative to the project");
const MOST_EDITS = 200;

const replacement = {
  old_string: z.string().describe("The exact text to replace, white space included"),
  new_string: z.string(),
  replace_all: z
    .boolean()
    .optional()
    .describe("Replace every occurrence; without it there must be exactly one"),
};
const SPELLINGS = { file_path: "path", file: "path", filename: "path" };
const REPLACEMENT_SPELLINGS = { ...SPELLINGS, old_str: "old_string", new_str: "new_string" };

/** Creates the tools that write text. */
export function createWriteTools(place: ProjectFolder, known?: KnownFiles): Tool[] {
  const site = { ...place, known };
  return [createWriteTool(site), createEditTool(site), createMultiEditTool(site)];
}

interface Site extends ProjectFolder {
  /** The files as the session knows them; absent: nothing is compared. */
  known?: KnownFiles;
}

function createWriteTool(place: Site): Tool {
  return defineTool({
    name: "fs_writeFile",
    description: `Creates a file, with its parent folders, or replaces its whole content. At most ${LARGEST_FILE} bytes.`,
    arguments: z.strictObject({
      path: PATH,
      content: z.string().describe("The whole content of the file"),
    }),
    aliases: { ...SPELLINGS, contents: "content", text: "content" },
    changes: true,
    subjects: (args) => [{ kind: "path", path: args.path, use: "write" }],
    preview: async (args) => {
      const resolved = await resolvePath(place, args.path, "write");
      if ("refusal" in resolved) return resolved.refusal;
      const read = await readText(place.files, resolved);
      const before = "text" in read ? read.text : undefined;
      return createUnifiedDiff([{ path: resolved.shown, before, after: args.content }]);
    },
    check: async (args) => (await explainUnknown(place, args)) ?? (await explainMask(place, args)),
    run: (args) => writeWhole(place, args),
  });
}

const LONGEST_DIFF = 4_000;

/** A file that the session has not read, or that others have changed since, is not replaced. */
async function explainUnknown(
  place: Site,
  args: { path: string; content: string },
): Promise<string | undefined> {
  const resolved = await resolvePath(place, args.path, "write");
  if ("refusal" in resolved) return resolved.refusal;
  const { path: file, shown } = resolved;
  switch (await place.known?.check(file)) {
    case "unread":
      return `${shown} exists, and you have not read it. Read it first, then write it. Nothing was changed.`;
    case "changed": {
      const read = await readText(place.files, resolved);
      const before = "text" in read ? read.text : undefined;
      const diff = createUnifiedDiff([{ path: shown, before, after: args.content }]);
      return `${shown} has changed since you read it; others may have edited it. Read it again before you write it. Nothing was changed. Your text would have made this change:\n${clip(diff, LONGEST_DIFF)}`;
    }
    default:
      return undefined;
  }
}

async function explainMask(
  place: Site,
  args: { path: string; content: string },
): Promise<string | undefined> {
  const resolved = await resolvePath(place, args.path, "write");
  return "refusal" in resolved ? resolved.refusal : findAddedMaskIn(place, resolved, args.content);
}

/** The mark of a removed secret must not replace the secret itself. */
async function findAddedMaskIn(
  place: Site,
  resolved: ResolvedPath,
  content: string,
): Promise<string | undefined> {
  if (!content.includes(REDACTED)) return undefined;
  const read = await readText(place.files, resolved);
  return findAddedMask(resolved.shown, "text" in read ? read.text : "", content);
}

async function writeWhole(place: Site, args: { path: string; content: string }): Promise<ToolResult> {
  const resolved = await resolvePath(place, args.path, "write");
  if ("refusal" in resolved) return failed(resolved.refusal);
  const bytes = countBytes(args.content);
  if (bytes > LARGEST_FILE)
    return failed(`content: ${bytes} bytes; at most ${LARGEST_FILE} can be written at once`);
  const there = await place.files.stat(resolved.path);
  if (there !== undefined && there.kind !== "file")
    return failed(`${resolved.shown} is ${describeKind(there.kind)}, not a file`);
  const above = await findFileAbove(place, resolved);
  if (above !== undefined) return failed(above);
  const masked = await findAddedMaskIn(place, resolved, args.content);
  if (masked !== undefined) return failed(masked);
  const change = await describeWrite(place, resolved, args.content);
  await place.files.makeFolder(path.dirname(resolved.path));
  await place.files.writeAtomic(resolved.path, args.content);
  await place.known?.note(resolved.path);
  return done(`${there === undefined ? "created" : "updated"} ${resolved.shown} (${bytes} bytes)`, change);
}

/** The diff of a file that is replaced; none for a file that is not text. */
async function describeWrite(
  place: Site,
  resolved: ResolvedPath,
  after: string,
): Promise<string | undefined> {
  const isThere = (await place.files.stat(resolved.path)) !== undefined;
  const read = isThere ? await readText(place.files, resolved) : { text: undefined };
  if (!("text" in read)) return undefined;
  return describeChange([{ path: resolved.shown, before: read.text, after }]);
}

function createEditTool(place: Site): Tool {
  return defineTool({
    name: "fs_edit",
    description:
      "Replaces an exact text in a file. It must be found exactly once, unless replace_all is true; otherwise nothing is changed and the error says how often it was found.",
    arguments: z.strictObject({ path: PATH, ...replacement }),
    aliases: REPLACEMENT_SPELLINGS,
    changes: true,
    subjects: (args) => [{ kind: "path", path: args.path, use: "write" }],
    preview: (args) => previewEdits(place, [toFileEdit(args.path, args)]),
    check: async (args) => {
      const plan = await planEdits(place, [toFileEdit(args.path, args)]);
      return "problem" in plan ? `${plan.problem}. Nothing was changed.` : undefined;
    },
    run: async (args) => {
      const plan = await planEdits(place, [toFileEdit(args.path, args)]);
      return "problem" in plan
        ? failed(`${plan.problem}. Nothing was changed.`)
        : applyEdits(place, plan.planned);
    },
  });
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

function createMultiEditTool(place: Site): Tool {
  return defineTool({
    name: "fs_multiEdit",
    description:
      "Makes several exact replacements in one or several files as one operation: when one cannot be made, no file is changed and the error names the edit.",
    arguments: z
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
      }),
    aliases: SPELLINGS,
    changes: true,
    subjects: (args) =>
      [...new Set(toFileEdits(args).map((one) => one.path))].map((name) => ({
        kind: "path",
        path: name,
        use: "write",
      })),
    preview: (args) => previewEdits(place, toFileEdits(args)),
    check: async (args) => {
      const edits = toFileEdits(args);
      const plan = await planEdits(place, edits);
      return "problem" in plan ? describeProblem(plan, edits.length) : undefined;
    },
    run: async (args) => {
      const edits = toFileEdits(args);
      const plan = await planEdits(place, edits);
      if ("problem" in plan) return failed(describeProblem(plan, edits.length));
      return applyEdits(place, plan.planned);
    },
  });
}

function describeProblem({ problem, at }: { problem: string; at: number }, edits: number): string {
  return `edit ${at + 1} of ${edits}: ${problem}. No file was changed.`;
}

interface Replacement {
  old_string: string;
  new_string: string;
  replace_all?: boolean | undefined;
}

function toFileEdits(args: {
  path?: string | undefined;
  edits: readonly (Replacement & { path?: string | undefined })[];
}): FileEdit[] {
  return args.edits.map((one) => toFileEdit(one.path ?? args.path ?? "", one));
}

function toFileEdit(name: string, one: Replacement): FileEdit {
  return {
    path: name,
    oldString: one.old_string,
    newString: one.new_string,
    replaceAll: one.replace_all ?? false,
  };
}

async function previewEdits(place: ProjectFolder, edits: readonly FileEdit[]): Promise<string> {
  const plan = await planEdits(place, edits);
  if ("problem" in plan) return `it would change nothing: edit ${plan.at + 1}: ${plan.problem}`;
  return createUnifiedDiff(plan.planned.map(({ shown, before, after }) => ({ path: shown, before, after })));
}

async function applyEdits(place: Site, planned: readonly PlannedEdit[]): Promise<ToolResult> {
  const problem = await writeEdits(place.files, planned);
  if (problem !== undefined) return failed(problem.problem);
  for (const { path: file } of planned) await place.known?.note(file);
  const told = planned.map(({ shown, count }) => `${shown}: ${count} replacement${count === 1 ? "" : "s"}`);
  const changes = planned.map(({ shown, before, after }) => ({ path: shown, before, after }));
  return done(`updated ${told.join("\nupdated ")}`, describeChange(changes));
}
