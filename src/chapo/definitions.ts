// Finds the files that define agents, commands and skills: the project's first, then the user's own; of two with one name the nearer
// one is used. Reads their front matter. engine/children/sub-agents.ts, prompt/commands.ts and prompt/skills.ts use them.
import path from "node:path";
import { findUserFolder } from "../config/read/places.js";
import type { Files } from "../system/ports.js";
import { decodePath, readInside, resolvePath, type ProjectFolder } from "./paths.js";
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
interface DefinitionFolder {
  /** The folder that files are read in; links may not lead out of it. */
  place: ProjectFolder;
  /** Relative to `place`. */
  folder: string;
  /** The folder for messages. */
  shown: string;
}

/** A file of a definition. */
export interface DefinitionFile extends Pick<DefinitionFolder, "place"> {
  /** The name by its place: `git/commit` of the command `git/commit.md`, `a` of the skill `a/skill.json`. */
  name: string;
  /** Relative to `place`. */
  file: string;
  /** The file for messages. */
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
function listFolders({ files, root, user }: DefinitionPlace, kind: DefinitionKind): DefinitionFolder[] {
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

const LARGEST = 64 * 1024;
/** The most files of one folder. */
const MOST = 500;

/** Lists the files of one kind, those of the nearest folder first. Commands may be in folders of their own. */
export async function listDefinitions(
  place: DefinitionPlace,
  kind: DefinitionKind,
): Promise<DefinitionFile[]> {
  const found: DefinitionFile[] = [];
  for (const folder of listFolders(place, kind))
    for (const file of (await listFiles(folder, kind)).sort().slice(0, MOST)) {
      const name = file.slice(0, -(kind === "skills" ? "/skill.json" : ".md").length);
      const [inside, shown] = [`${folder.folder}/${file}`, `${folder.shown}/${file}`];
      found.push({ place: folder.place, name, file: inside, shown });
    }
  return found;
}

async function listFiles({ place, folder }: DefinitionFolder, kind: DefinitionKind): Promise<string[]> {
  const { files } = place;
  const resolved = await resolvePath(place, folder, "read");
  if ("refusal" in resolved || (await files.stat(resolved.path))?.kind !== "folder") return [];
  if (kind === "commands") {
    const walked = await files.tree(resolved.path).walk("", () => true);
    return walked
      .filter((one) => one.kind === "file" && one.path.endsWith(".md"))
      .map((one) => decodePath(one.path));
  }
  const names = await files.list(resolved.path).catch(() => []);
  return kind === "skills"
    ? names.filter((name) => !name.startsWith(".")).map((name) => `${name}/skill.json`)
    : names.filter((name) => name.endsWith(".md"));
}

/** Returns a file's text, or the end of a sentence that begins with the file. */
export async function readDefinition(of: DefinitionFile): Promise<{ text: string } | { problem: string }> {
  const read = await readInside(of.place, of.file, LARGEST);
  if (read === undefined) return { problem: "cannot be read, or is outside the project" };
  return read.cut ? { problem: "is larger than 64 KB" } : read;
}

/** How a kind of definitions is read. */
interface DefinitionReader<T> {
  kind: "agents" | "skills";
  /** Returns the definition, or its problem; `warn` gets what is left out of it. */
  read: (text: string, name: string, warn: (problem: string) => void) => T | string;
  nameOf: (definition: T) => string;
}

/** The definitions of one kind, and the problems of those that cannot be used, and what is left out of one. */
export interface Loaded<T> {
  found: T[];
  problems: string[];
}

/** Reads all definitions of one kind; of two with one name the nearer is used. */
export async function loadDefinitions<T extends object>(
  place: DefinitionPlace,
  { kind, read, nameOf }: DefinitionReader<T>,
): Promise<Loaded<T>> {
  const found = new Map<string, { made: T; shown: string }>();
  const problems: string[] = [];
  for (const file of await listDefinitions(place, kind)) {
    const warn = (problem: string): void => {
      problems.push(`${file.shown}: ${problem}`);
    };
    const text = await readDefinition(file);
    const made = "problem" in text ? text.problem : read(text.text, file.name, warn);
    if (typeof made === "string") {
      warn(made);
      continue;
    }
    const name = nameOf(made);
    const nearer = found.get(name);
    if (nearer === undefined) found.set(name, { made, shown: file.shown });
    else warn(`the ${kind.slice(0, -1)} ${name} is left out; ${nearer.shown} is nearer`);
  }
  return { found: [...found.values()].map(({ made }) => made), problems };
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
