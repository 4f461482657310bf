// Finds the files that define agents, commands and skills: the project's first, then the user's own; of two with one name the nearer
// one is used. Reads their front matter. engine/children/sub-agents.ts, prompt/commands.ts and prompt/skills.ts use them.
import path from "node:path";
import { findUserFolder } from "../config/read/places.js";
import type { Files } from "../system/ports.js";
import type { ProjectFolder } from "./paths.js";
import { parse } from "yaml";
import { errorMessage } from "../system/errors.js";

/** The user's folders, absolute. */
export interface UserFolders {
  home: string;
  /** The folder of the user's own settings: `~/.config/looper`. */
  settings: string;
}

/** A project, and the user whose own definitions are read too; without `user` only the project's. */
export interface DefinitionPlace extends ProjectFolder {
  user?: UserFolders;
}

type DefinitionKind = "agents" | "commands" | "skills";

/** A folder of definitions. */
export interface DefinitionFolder {
  /** The folder that files are read in; links may not lead out of it. */
  place: ProjectFolder;
  /** Relative to `place`. */
  folder: string;
  /** The folder for messages. */
  shown: string;
}

/** Returns the project with the user's folders. */
export function toDefinitionPlace(request: {
  ports: { files: Files };
  root: string;
  project?: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}): DefinitionPlace {
  const { ports, project, root, home, env } = request;
  return { files: ports.files, root: project ?? root, user: { home, settings: findUserFolder(env, home) } };
}

/** Lists the folders of one kind, nearest first. Skills have no other program's folder: their format is Looper's own. */
export function listDefinitionFolders(
  { files, root, user }: DefinitionPlace,
  kind: DefinitionKind,
): DefinitionFolder[] {
  const project = { files, root };
  const inProject = [".looper", ...(kind === "skills" ? [] : [".claude"])].map((name) => {
    const folder = `${name}/${kind}`;
    return { place: project, folder, shown: folder };
  });
  if (user === undefined) return inProject;
  const claude = path.join(user.home, ".claude");
  const ofUser = [user.settings, ...(kind === "skills" ? [] : [claude])].map((folder) => ({
    place: { files, root: folder },
    folder: kind,
    shown: `~/${path.relative(user.home, path.join(folder, kind))}`,
  }));
  return [...inProject, ...ofUser];
}

const FENCED = /^\uFEFF?---[ \t]*\n([\s\S]*?)(?<=\n)---[ \t]*(?:\n|$)/;
/** The beginning of front matter; a line of dashes above a text is none. */
const OPENED = /^\uFEFF?---[ \t]*\n[\w-]+[ \t]*:/;

/** Returns the fields (none without front matter) and the text below, or why the front matter cannot be read. */
export function readFrontMatter(
  text: string,
): { fields: ReadonlyMap<string, unknown>; body: string } | { problem: string } {
  const found = FENCED.exec(text);
  if (found === null && OPENED.test(text)) return { problem: "its front matter does not end with ---" };
  if (found === null) return { fields: new Map(), body: text };
  const body = text.slice(found[0].length);
  try {
    const read: unknown = parse(found[1] ?? "", { maxAliasCount: 0, logLevel: "error" });
    if (read === null || read === undefined) return { fields: new Map(), body };
    if (typeof read !== "object" || Array.isArray(read))
      return { problem: "its front matter is not a list of fields" };
    return { fields: new Map(Object.entries(read)), body };
  } catch (error) {
    return { problem: `its front matter is not YAML: ${errorMessage(error).split("\n")[0] ?? ""}` };
  }
}
