// Projects that are written in a language which elsewhere is data: web pages without scripts, or statements of SQL. Pure.
// A file of one is the program only where nothing else can be, and nothing shows that checks compare with it.
import { posix } from "node:path";
import { isDocumentation } from "./documentation.js";
import { familyIn, familyOf } from "./families.js";
import { folderOf, isForeign, isTestish, type ProjectFiles } from "./project-paths.js";

const MARKUP = /\.(?:html?|css|scss|sass|less|sql)$/i;
/** A check that compares files compares with expected ones. */
const COMPARES =
  /\b(?:diff|cmp|comm|\w+sums?|want(?:ed)?|expect(?:ed|ation|ations)?|golden|snapshots?|baseline|reference)\b/i;

/** A project with the facts about its checks. */
export interface MarkupProject extends ProjectFiles {
  /** Whether a file is a test or a setting by its name, or a command runs it. */
  isHeld: (path: string) => boolean;
}

/**
 * Whether a file that exists is the program of a project without other code or data. `namers`: files of checks that name it. A file of
 * SQL may assert as well as define: it counts only where checks name no other file of the project.
 */
export function isMarkupProgram(path: string, namers: readonly string[], project: MarkupProject): boolean {
  const { paths, has, text, home, isHeld } = project;
  const isOther = (one: string): boolean => one !== path && !isHeld(one) && !isForeign(one);
  if (!MARKUP.test(path) || !has(path) || isTestish(path, home)) return false;
  const others = paths.filter(isOther);
  if (others.some((one) => !MARKUP.test(one) && !isBeside(one, project))) return false;
  const texts = namers.map((one) => text(one) ?? "");
  if (texts.some((one) => COMPARES.test(one))) return false;
  // A page with a script may check the others.
  if (/<script\b/i.test(text(path) ?? "") && others.some((one) => MARKUP.test(one))) return false;
  if (!/\.sql$/i.test(path)) return !others.some((one) => /\.sql$/i.test(one));
  return (
    !others.some((one) => texts.some((inside) => inside.includes(posix.basename(one)))) && !isWild(texts)
  );
}

function isWild(texts: readonly string[]): boolean {
  return texts.some((text) => /\*(?:\.\w|["'\s/)]|$)/m.test(text));
}

/** Beside a program of any kind: documents for people, settings with a dot, and lists at the top. */
function isBeside(path: string, { text }: ProjectFiles): boolean {
  if (familyOf(path) !== undefined || familyIn(path, text(path)) !== undefined) return false;
  if (path.split("/").some((part) => part.startsWith("."))) return true;
  const isPaper = isDocumentation(path) && /^[A-Z]+(?:\.\w+)?$/.test(posix.basename(path));
  return isPaper || (folderOf(path) === "" && /\.(?:json|lock)$/.test(path));
}
