// Home-made test runners: check scripts that look for their tests by themselves, in folders whose files count
// as source. A run names them at its start, because a test in such a place is sorted like the program. Pure.
import { folderOf, foldersAbove, isBelow, pathAt, type ReferenceFiles } from "./files.js";
import { languageOf } from "./languages.js";
import type { Loads } from "./loads.js";

/** A script, and the folders (text, from the top) in which it finds files that count as source. */
export interface HomeMade {
  script: string;
  folders: readonly string[];
}

/** Calls that list a folder, or load a file whose name is made at run time. */
const LOOKS =
  /\b(?:readdir(?:Sync)?|opendir(?:Sync)?|scandir|listdir|iterdir|r?glob(?:Sync)?|os\.walk|Dir\.(?:entries|children|each_child))\b|\b(?:import|require|import_module)\((?!\s*["'])/;
const QUOTED = /["'`]([\w@.\-/]{1,200})["'`]/g;

/** `isSource`: whether a file of code would be source if it changed. */
export function listHomeMade(
  { files }: Pick<Loads, "files">,
  project: ReferenceFiles,
  isSource: (path: string) => boolean,
): HomeMade[] {
  const code = project.paths.filter((path) => languageOf(path, undefined) !== undefined);
  const inFolders = new Set(code.flatMap(foldersAbove));
  return [...files.keys()].flatMap((script) => {
    const text = project.text(script);
    if (text === undefined || languageOf(script, text) === undefined || !LOOKS.test(text)) return [];
    const named = [...text.matchAll(QUOTED)].flatMap(([, word = ""]) => [
      pathAt(folderOf(script), word) ?? "",
      pathAt("", word) ?? "",
    ]);
    const folders = [...new Set(named)].filter(
      (folder) =>
        folder !== "" &&
        inFolders.has(folder) &&
        code.some((path) => path !== script && isBelow(path, folder) && isSource(path)),
    );
    return folders.length === 0 ? [] : [{ script, folders }];
  });
}
