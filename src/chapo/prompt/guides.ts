// Reads the guides for agents: AGENTS.md and CLAUDE.md of each folder from the top of the git worktree down to the folder that the
// user is in, the user's own before them, and the files they import with `@path`. The nearest guide comes last, so that it wins.
import path from "node:path";
import { isContentHidden, readStart, resolvePath, type FileStart, type ProjectFolder } from "../paths.js";
import type { UserFolders } from "../definitions.js";
import { findGitPlace } from "./git-place.js";

const NAMES = ["AGENTS.md", "CLAUDE.md"] as const;
/** The most bytes of one file in a prompt. */
const LARGEST = 12 * 1024;
const MOST_FILES = 30;
const DEEPEST = 5;

/** A guide or a file that one imports. */
export interface Guide extends FileStart {
  /** The path for messages: relative to the project, or `~/…`. */
  file: string;
}

/** The project and the user whose guides are read. */
export interface GuidePlace extends ProjectFolder {
  /** The folder that the user is in, absolute; absent, or outside the project: the project's. */
  from?: string;
  /** The user's home folder and folder of settings, absolute; absent: no guides of the user. */
  user?: UserFolders;
  /** Called with each import that is left out. */
  onWarning?: (text: string) => void;
}

/** A folder whose guides are read, and the folder that their imports may not leave. */
interface Level {
  folder: string;
  inside: string;
  names: readonly string[];
}

/** Reads all guides. Of files with the same text the first is used. Never throws. */
export async function readGuides(place: GuidePlace): Promise<Guide[]> {
  const reading: Reading = { place, guides: [], seen: new Set() };
  for (const { folder, inside, names } of await listLevels(place))
    for (const name of names)
      await readGuide(reading, { file: path.join(folder, name), inside, parents: [] });
  return reading.guides;
}

async function listLevels({ files, root, from = root, user }: GuidePlace): Promise<Level[]> {
  const top = (await findGitPlace(files, root))?.top ?? root;
  const between = path
    .relative(top, isBelow(root, from) ? from : root)
    .split(path.sep)
    .filter(Boolean);
  const claude = path.join(user?.home ?? "", ".claude");
  const own: Level[] =
    user === undefined
      ? []
      : [
          { folder: user.settings, inside: user.settings, names: ["AGENTS.md"] },
          { folder: claude, inside: claude, names: ["CLAUDE.md"] },
        ];
  const folders = [top, ...between.map((_, n) => path.join(top, ...between.slice(0, n + 1)))];
  return [...own, ...folders.map((folder) => ({ folder, inside: top, names: NAMES }))];
}

interface Reading {
  place: GuidePlace;
  guides: Guide[];
  /** Real paths of the files that were read. */
  seen: Set<string>;
}

interface Wanted {
  file: string;
  inside: string;
  /** The files that import this one, outermost first. */
  parents: readonly string[];
}

/** Adds a guide and what it imports. The problem of an import is a warning. */
async function readGuide(reading: Reading, wanted: Wanted): Promise<void> {
  const { place } = reading;
  const problem = await addGuide(reading, wanted);
  const importer = wanted.parents.at(-1);
  if (problem === undefined || importer === undefined) return;
  const shown = show(place, wanted.file);
  place.onWarning?.(`${show(place, importer)}: @${shown} ${problem}; it is left out`);
}

/** Returns why a guide is left out; `undefined` also for one that is there already. */
async function addGuide(reading: Reading, wanted: Wanted): Promise<string | undefined> {
  const { place, guides, seen } = reading;
  const { files } = place;
  // The rules for writing apply, because the text is sent to a provider unasked and must not be a key.
  const resolved = await resolvePath({ files, root: wanted.inside }, wanted.file, "write");
  if ("refusal" in resolved)
    return /outside the project/.test(resolved.refusal) ? "is outside the project" : "may not be read";
  if (await isContentHidden(place, resolved.path)) return "may not be read";
  const read = await readStart(files, resolved.path, LARGEST);
  if (read === undefined) return "is not there";
  if (wanted.parents.includes(resolved.path)) return "imports itself in a circle";
  if (seen.has(resolved.path)) return undefined;
  seen.add(resolved.path);
  if (read.text.includes("\0")) return "is not a text file";
  if (guides.some(({ text }) => text === read.text)) return undefined;
  if (guides.length >= MOST_FILES) return `is one of more than ${MOST_FILES} files`;
  if (wanted.parents.length > DEEPEST) return "is imported too deeply";
  if (read.text.trim() !== "") guides.push({ file: show(place, wanted.file), ...read });
  const parents = [...wanted.parents, resolved.path];
  for (const target of listImports(read.text)) {
    const file = await resolveImport(place, resolved.path, target);
    if (file !== undefined) await readGuide(reading, { file, inside: wanted.inside, parents });
  }
  return undefined;
}

/** Returns the file that an import names; `undefined` if it is a name such as @types/node or @anna. */
async function resolveImport(
  { files, user }: GuidePlace,
  from: string,
  target: string,
): Promise<string | undefined> {
  const file = target.startsWith("~/")
    ? path.join(user?.home ?? "/nonexistent", target.slice(2))
    : path.resolve(path.dirname(from), target);
  const isPath = /^(?:\.{1,2}|~)?\//.test(target) || /\.(?:md|txt)$/.test(target);
  const stat = await files.stat(file).catch(() => undefined);
  return isPath || stat?.kind === "file" ? file : undefined;
}

/** Lists the imports of a text: `@path` at the beginning of a word, outside code. */
function listImports(text: string): string[] {
  const plain = withoutFences(text).replaceAll(/`[^`\n]*`/g, "");
  return [...plain.matchAll(/(?<=^|[\s(])@((?:~\/|\/)?[\w.][\w./-]*)/gm)].map(([, target = ""]) =>
    target.replace(/(?<![.,])[.,]+$/, ""),
  );
}

function withoutFences(text: string): string {
  let fence = "";
  const kept = text.split("\n").filter((line) => {
    const mark = /^(?:`{3,}|~{3,})/.exec(line)?.[0] ?? "";
    if (fence === "") {
      fence = mark;
      return mark === "";
    }
    if (mark.startsWith(fence) && /^[`~]*[ \t]*$/.test(line)) fence = "";
    return false;
  });
  return kept.join("\n");
}

/** Spells a file relative to the project; a file in the user's own folders begins with `~`. */
function show({ root, user }: GuidePlace, file: string): string {
  const ofUser =
    user !== undefined && [user.settings, path.join(user.home, ".claude")].some((one) => isBelow(one, file));
  if (ofUser && !isBelow(root, file)) return `~/${path.relative(user.home, file)}`;
  return path.relative(root, file);
}

function isBelow(folder: string, file: string): boolean {
  return file.startsWith(`${folder}${path.sep}`);
}
