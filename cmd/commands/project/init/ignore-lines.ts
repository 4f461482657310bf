// What a .gitignore still lacks, and the text that adds it. Pure.
import ignore from "ignore";

/** The lines to add, so that these folders (relative, in the .gitignore's own folder or below) are ignored; what is, stays as it is. */
export function missingLines(text: string, folders: readonly string[]): string[] {
  const rules = ignore().add(text.replace(/^\uFEFF/, ""));
  return folders.filter((folder) => !rules.ignores(`${folder}/`)).map((folder) => `${escaped(folder)}/`);
}

/** The copies of the schemas, which `init` and `doctor --fix` write again: no work of the project's. */
const COPIES = { line: ".looper/*.schema.json", one: ".looper/run.schema.json" };

/** The line to add, so that they are ignored. */
export function missingCopies(text: string): string[] {
  const rules = ignore().add(text.replace(/^\uFEFF/, ""));
  return rules.ignores(COPIES.one) ? [] : [COPIES.line];
}

/** What to append to a text, so that it ends in these lines: with the line ends it has. */
export function appendix(text: string, lines: readonly string[]): string {
  const end = /\r\n/.test(text) ? "\r\n" : "\n";
  const before = text === "" || text.endsWith("\n") ? "" : end;
  return before + lines.map((line) => line + end).join("");
}

/** A name as a pattern that means it alone. */
function escaped(folder: string): string {
  return folder.replaceAll(/[\\*?[\]]/g, String.raw`\$&`).replace(/^[#!]/, String.raw`\$&`);
}
