// The lines that a .gitignore lacks, and the text that adds them. Pure.
import ignore from "ignore";

/** The missing lines that ignore these folders, relative to the folder of the .gitignore. */
export function missingLines(text: string, folders: readonly string[]): string[] {
  const rules = ignore().add(text.replace(/^\uFEFF/, ""));
  return folders.filter((folder) => !rules.ignores(`${folder}/`)).map((folder) => `${escaped(folder)}/`);
}

/** The copies of the schemas, which `init` can write again. */
const COPIES = { line: ".looper/*.schema.json", one: ".looper/run.schema.json" };

export function missingCopies(text: string): string[] {
  const rules = ignore().add(text.replace(/^\uFEFF/, ""));
  return rules.ignores(COPIES.one) ? [] : [COPIES.line];
}

/** The text to append so that it ends in these lines, with the text's own line breaks. */
export function appendix(text: string, lines: readonly string[]): string {
  const end = /\r\n/.test(text) ? "\r\n" : "\n";
  const before = text === "" || text.endsWith("\n") ? "" : end;
  return before + lines.map((line) => line + end).join("");
}

function escaped(folder: string): string {
  return folder.replaceAll(/[\\*?[\]]/g, String.raw`\$&`).replace(/^[#!]/, String.raw`\$&`);
}
