// Completions in the editor: commands after a slash at the beginning, files of the project after @. Pure but for the list of files.
import type { AutocompleteItem, AutocompleteProvider } from "@mariozechner/pi-tui";
import { clean } from "../../../../src/ui/text.js";

/** The sources of completions. */
export interface Completions {
  commands: readonly { name: string; description: string }[];
  /** The project's files, relative to it. */
  files: () => Promise<readonly string[]>;
}

const MOST = 50;

/** Returns the provider for the editor. */
export function completionsOf({ commands, files }: Completions): AutocompleteProvider {
  return {
    getSuggestions: async (lines, line, column) => {
      const before = (lines[line] ?? "").slice(0, column);
      const slash = line === 0 ? /^\/[\w:-]*$/.exec(before)?.[0] : undefined;
      if (slash !== undefined) return suggestionsOf(slash, commandItems(commands, slash.slice(1)));
      const at = /(?:^|\s)(@[^\s@]*)$/.exec(before)?.[1];
      if (at === undefined) return null;
      return suggestionsOf(at, fileItems(await files(), at.slice(1)));
    },
    applyCompletion: (...[lines, cursorLine, cursorCol, item, prefix]) => {
      const text = lines[cursorLine] ?? "";
      const begin = text.slice(0, cursorCol - prefix.length) + item.value;
      const changed = [...lines];
      changed[cursorLine] = `${begin} ${text.slice(cursorCol).trimStart()}`;
      return { lines: changed, cursorLine, cursorCol: begin.length + 1 };
    },
    shouldTriggerFileCompletion: () => false,
  };
}

function suggestionsOf(prefix: string, items: AutocompleteItem[]) {
  return items.length === 0 ? null : { items, prefix };
}

function commandItems(commands: Completions["commands"], typed: string): AutocompleteItem[] {
  return commands
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, description }) => ({
      value: `/${name}`,
      label: `/${name}`,
      description: clean(description),
    }));
}

/** Files whose name begins with what was typed come first, then those with it in their path. */
function fileItems(files: readonly string[], typed: string): AutocompleteItem[] {
  const wanted = typed.toLowerCase();
  const ranked = files
    .filter((file) => /^[^\s\u0000-\u001f]+$/.test(file))
    .map((file) => ({ file, rank: rankOf(file.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank < NOT_FOUND);
  ranked.sort((a, b) => a.rank - b.rank || a.file.length - b.file.length || (a.file < b.file ? -1 : 1));
  return ranked.slice(0, MOST).map(({ file }) => ({ value: `@${file}`, label: clean(file) }));
}

const NOT_FOUND = 4;

function rankOf(file: string, wanted: string): number {
  if (file.startsWith(wanted)) return 0;
  const name = file.slice(file.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 1;
  if (file.includes(wanted)) return 2;
  return isSpreadOver(file, wanted) ? 3 : NOT_FOUND;
}

/** Whether the letters come in this order. */
function isSpreadOver(file: string, wanted: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    at = file.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
