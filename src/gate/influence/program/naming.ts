// Whether a text names a file: by its name, by its folder as a whole, by the ending that it shares with others, or by a walk through
// a folder above it. Pure. Leaves which texts are asked, and what follows from it, to ../data.ts; comments to comments.ts.
import { posix } from "node:path";
import { escapeRegExp } from "../../../system/text/escape-reg-exp.js";
import { withoutComments } from "./comments.js";
import { isDocumentation } from "./documentation.js";
import type { Family } from "./families.js";
import { folderOf, foldersAbove } from "./project-paths.js";

/** How texts may name a file. */
export interface Naming {
  /** A text that names the file has one of these. */
  words: readonly string[];
  /** By its name, its folder or its ending. */
  isNamedIn: (text: string) => boolean;
  /** By a text that walks through folders: see `WALKS`. */
  isWalkedIn: (text: string) => boolean;
  /** In code, and not only in a comment, by a path that leads to the file from the text's own place or from the top. */
  isUsedIn: (text: string, by: string, family: Family | undefined) => boolean;
}

/** The project around a file. */
export interface FilesAround {
  /** Whether a folder holds the program, so that naming it says nothing of a file in it. */
  isOwn: (folder: string) => boolean;
  has: (path: string) => boolean;
  hasFolder: (folder: string) => boolean;
  /** Whether no other file of the project has this name. */
  isAlone: (name: string) => boolean;
}

/** Lists what is in folders: in code, and in shell scripts. */
export const WALKS =
  /\b(?:readdir\w*|opendir\w*|scandir\w*|listdir|list_dir|iterdir|listFiles|r?glob\w*|\w{0,40}walk\w*|ReadDir|newDirectoryStream|nftw|fts_open|iter_modules)\s*\(|\b(?:Files\.(?:walk|list|find)|Dir\s*[[.]|File::Find|RecursiveDirectoryIterator)|(?<![\w.])find[ \t]+(?:\S+[ \t]+(?:-|\|)|[.$"'/])|\bls-files\b|\bgrep[ \t]+-\w*[rR]|\*\*\/|\$\(ls\b/i;

/** Words of which such a text has one. */
export const WALKING = (
  "readdir readdirSync readdirp opendir opendirSync scandir scandirSync listdir list_dir iterdir listFiles glob globSync rglob iglob globby " +
  "walk walkSync Walk WalkDir walkdir walkTree walkFileTree ReadDir newDirectoryStream nftw fts_open iter_modules Files Dir Find find " +
  "RecursiveDirectoryIterator ls grep"
).split(" ");

/** Characters after which the rest of a path is not written out. */
const OPEN = String.raw`[$*%{}#<("'\`+?[\\]`;

/** How texts may name a file. */
export function namingOf(path: string, around: FilesAround): Naming {
  const name = posix.basename(path);
  const folder = folderOf(path);
  const isOwnFolder = folder === "" || around.isOwn(folder);
  const extension = posix.extname(path);
  const ending = extension === "" ? undefined : `*${extension}`;
  const exact = nameIn(name);
  const endsSo = ending === undefined ? undefined : new RegExp(`${escapeRegExp(ending)}(?![\\w-])`);
  const above = foldersAbove(path).filter((one) => !around.isOwn(one));
  const isNamedIn = (text: string): boolean =>
    exact.test(text) ||
    (!isOwnFolder && placesNaming(text, path, folder).length > 0) ||
    endsSo?.test(text) === true;
  const leads = (text: string, by: string): boolean =>
    [...text.matchAll(nameIn(name, "g"))].some(([, lead = ""]) =>
      isBare(lead) ? isMeantBy(text, path, by, around) : leadsTo(lead, path, by, around),
    ) ||
    (!isOwnFolder && placesNaming(text, path, folder).some((lead) => leadsBelow(lead, folder, by, around)));
  return {
    words: [
      name,
      ...(isOwnFolder ? [] : [posix.basename(folder)]),
      ...(ending === undefined ? [] : [ending]),
    ],
    isNamedIn,
    isWalkedIn: (text) => isWalkedIn(text, path, above),
    isUsedIn: (text, by, family) => leads(text, by) && leads(withoutComments(text, family), by),
  };
}

/** A name with the path before it: `data/` of `"./data/a.json"`. */
function nameIn(name: string, flags = ""): RegExp {
  return new RegExp(`(?<![\\w.@~-])((?:[\\w.@~-]+/)*)${escapeRegExp(name)}(?![\\w-])`, flags);
}

/** The path before each place that names a folder and leaves open which of its files: `"cases"`, `cases/${n}.json`, `cases/%s`. */
export function placesNaming(text: string, path: string, folder: string): string[] {
  const rest = path.slice(folder.length + 1);
  const whole = new RegExp(
    `(?<![\\w.@~-])((?:[\\w.@~-]+/)*)${escapeRegExp(posix.basename(folder))}(?:/?["'\`*$]|/([\\w.@-]*)(?=${OPEN}))`,
    "g",
  );
  return [...text.matchAll(whole)].flatMap(([, lead = "", begin = ""]) =>
    rest.startsWith(begin) ? [lead] : [],
  );
}

/** Whether a text walks through a folder above a file and may come to it. */
function isWalkedIn(text: string, path: string, above: readonly string[]): boolean {
  if (above.some((one) => placesNaming(text, path, one).length > 0)) return true;
  const extension = posix.extname(path).slice(1);
  if (extension === "" || !speaksOf(extension).test(text)) return false;
  if (isDocumentation(path)) return true;
  const lines = text.split("\n").filter((line) => WALKS.test(line));
  return foldersAbove(path).some((one) => lines.some((line) => placesNaming(line, path, one).length > 0));
}

/** An ending alone, and not at the end of a name: `".md"`, `md$`, `[.]md`. */
function speaksOf(extension: string): RegExp {
  return new RegExp(`(?<![\\w\\s]|\\w\\.)\\\\?\\.?${escapeRegExp(extension)}(?![\\w-])`);
}

/** Whether a path in a text leads to a file, and not to another one. */
function leadsTo(lead: string, path: string, by: string, around: FilesAround): boolean {
  const places = placesOf(lead + posix.basename(path), by);
  if (places.includes(path)) return true;
  return !places.some((one) => around.has(one)) && isEndOf(lead, folderOf(path));
}

/** Whether a name without its path means a file: beside the text, or the only one of its name, or with its folder: `join("data", "a.json")`. */
function isMeantBy(text: string, path: string, by: string, around: FilesAround): boolean {
  const folder = folderOf(path);
  if (folder === "" || folder === folderOf(by) || around.isAlone(posix.basename(path))) return true;
  return nameIn(posix.basename(folder)).test(text);
}

/** The same for a folder. */
function leadsBelow(lead: string, folder: string, by: string, around: FilesAround): boolean {
  const places = placesOf(lead + posix.basename(folder), by);
  if (places.includes(folder)) return true;
  return !places.some((one) => around.hasFolder(one)) && isEndOf(lead, folderOf(folder));
}

function placesOf(written: string, by: string): string[] {
  return [posix.join(folderOf(by), written), posix.normalize(written)];
}

function isBare(lead: string): boolean {
  return partsOf(lead).length === 0;
}

function isEndOf(lead: string, folder: string): boolean {
  const [parts, own] = [partsOf(lead), folder.split("/")];
  return parts.every((part, index) => own.at(index - parts.length) === part);
}

function partsOf(lead: string): string[] {
  return lead.split("/").filter((part) => !/^\.{0,2}$/.test(part));
}
