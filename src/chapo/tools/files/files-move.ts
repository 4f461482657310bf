// The tools fs_mkdir, fs_move and fs_delete. files-write.ts changes the text of files.
import path from "node:path";
import { z } from "zod";
import type { FileStat } from "../../../system/ports.js";
import { definePlannedTool, defineTool, done, fail, type PlannedCall, type Tool } from "../../tool.js";
import {
  findProtectedBelow,
  formatProtectedRefusal,
  reach,
  refuseFileAbove,
  type ProjectFolder,
  type ResolvedPath,
} from "../../paths.js";

/** Creates the tools that make, move and delete files and folders. */
export function createMoveTools(place: ProjectFolder): Tool[] {
  return [
    defineTool({
      name: "fs_mkdir",
      description: "Creates a folder and its parents. A folder that already exists is not an error.",
      arguments: z.strictObject({ path: z.string().describe("The folder, relative to the project") }),
      changes: true,
      subjects: (args) => [{ kind: "path", path: args.path, use: "write" }],
      run: async (args) => {
        const resolved = await reach(place, args.path, "write");
        const there = await place.files.stat(resolved.path);
        if (there?.kind === "folder") return done(`${resolved.shown} was there already`);
        if (there !== undefined) fail(`${resolved.shown} is a file; a folder cannot take its place`);
        await refuseFileAbove(place, resolved);
        await place.files.makeFolder(resolved.path);
        return done(`made ${resolved.shown}`);
      },
    }),
    definePlannedTool({
      name: "fs_move",
      description:
        "Moves or renames a file or a folder. The destination is the new path itself and must not exist; its parents are created.",
      arguments: z.strictObject({
        source: z.string().describe("The path to move, relative to the project"),
        destination: z.string().describe("The new path, relative to the project"),
      }),
      subjects: ({ source, destination }) => [
        { kind: "path", path: source, use: "write" },
        { kind: "path", path: destination, use: "write" },
      ],
      plan: (args) => planMove(place, args),
    }),
    definePlannedTool({
      name: "fs_delete",
      description: "Deletes a file; a folder, with all it holds, only with recursive set to true.",
      arguments: z.strictObject({
        path: z.string().describe("The path to delete, relative to the project"),
        recursive: z.boolean().optional().describe("Needed for a folder"),
      }),
      subjects: (args) => [{ kind: "path", path: args.path, use: "write" }],
      plan: async (args) => {
        const entry = await resolveEntry(place, args.path);
        const { files } = place;
        const held = await describeExtent(place, entry);
        if (entry.kind === "folder" && args.recursive !== true)
          fail(`${entry.shown} is a folder${held}; set recursive to delete it with all it holds`);
        return {
          preview: () => `delete ${entry.shown}${held}`,
          apply: async () => {
            await (entry.kind === "folder" ? files.removeTree(entry.path) : files.remove(entry.path));
            return done(`deleted ${entry.shown}${held}`);
          },
        };
      },
    }),
  ];
}

type Move = Readonly<{ source: string; destination: string }>;

async function planMove(place: ProjectFolder, args: Move): Promise<PlannedCall> {
  const source = await resolveEntry(place, args.source);
  const destination = await reach(place, args.destination, "write");
  const { files } = place;
  // A dangling link also occupies the destination.
  const taken =
    (await files.stat(destination.path)) ??
    (await files.stat(path.resolve(place.root, args.destination), { link: true }));
  if (taken !== undefined)
    fail(`${destination.shown} exists (a ${taken.kind}); nothing was moved. Give a path that is free`);
  if (destination.path.startsWith(source.path + path.sep))
    fail(`${source.shown} cannot be moved into itself`);
  await refuseFileAbove(place, destination);
  return {
    preview: () => `move ${args.source} → ${args.destination}`,
    apply: async () => {
      await files.makeFolder(path.dirname(destination.path));
      await files.rename(source.path, destination.path);
      return done(`moved ${source.shown} to ${destination.shown}`);
    },
  };
}

async function describeExtent({ files }: ProjectFolder, entry: Entry): Promise<string> {
  if (entry.kind !== "folder") return "";
  const held = await files.tree(entry.path).walk("", () => true);
  return ` (a folder that holds ${held.length} ${held.length === 1 ? "entry" : "entries"})`;
}

/** Returns a file below the folder that a rule against reading covers, relative to the project. */
async function findHiddenBelow(place: ProjectFolder, at: string): Promise<string | undefined> {
  const { files, root, hidden } = place;
  if (hidden === undefined) return undefined;
  const inProject = path.relative((await files.realPath(root)) ?? root, at);
  const found = await files.tree(at).walk("", () => true);
  return found.map((entry) => path.join(inProject, entry.path)).find((name) => hidden.name(name));
}

interface Entry extends ResolvedPath {
  kind: FileStat["kind"];
}

/** Resolves the entry to move or delete: a link itself, not its target. Refuses the project's folder and protected paths. */
async function resolveEntry(place: ProjectFolder, spelled: string): Promise<Entry> {
  const resolved = await reach(place, spelled, "write");
  const { files, root } = place;
  const lexical = path.resolve(root, spelled);
  const parent = await files.realPath(path.dirname(lexical));
  const at = parent === undefined ? resolved.path : path.join(parent, path.basename(lexical));
  if (at === (await files.realPath(root)) || resolved.shown === ".")
    fail(`${spelled} is the project itself and cannot be moved or deleted`);
  const stat = await files.stat(at, { link: true });
  if (stat === undefined) fail(`${resolved.shown}: no such file or folder`);
  if (stat.kind === "folder") {
    const kept = await findProtectedBelow(files, at);
    if (kept !== undefined) fail(formatProtectedRefusal(resolved.shown, path.join(resolved.shown, kept)));
    const denied = await findHiddenBelow(place, at);
    if (denied !== undefined)
      fail(`${resolved.shown}: a rule denies reading ${denied}, which the folder contains`);
  }
  return { path: at, shown: resolved.shown, kind: stat.kind };
}
