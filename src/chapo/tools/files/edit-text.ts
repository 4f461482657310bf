// One exact replacement in a text. Pure. Leaves files, and several edits of them, to edit-files.ts.

/** What is to be replaced. */
export interface TextEdit {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}

/**
 * The text with the edit made and how often, or why nothing was changed. A text without CR also matches lines that end in
 * CRLF, and what is put in there gets such ends; all else stays byte for byte.
 */
export function editText(
  text: string,
  edit: TextEdit,
): { text: string; count: number } | { problem: string } {
  if (edit.oldString === "") return { problem: "old_string is empty; write the file whole instead" };
  if (edit.oldString === edit.newString) return { problem: "old_string and new_string are the same" };
  const { oldString, newString } = matchLineEnds(text, edit);
  const count = countOccurrences(text, oldString);
  if (count === 0)
    return {
      problem:
        "old_string was found 0 times; it must match exactly, white space included: read the file again",
    };
  if (count > 1 && !edit.replaceAll)
    return {
      problem: `old_string was found ${count} times; add lines around it until it is found once, or set replace_all`,
    };
  // Split and joined: in a replacement text of `replace`, `$&` would have a meaning.
  const parts = text.split(oldString);
  return { text: parts.join(newString), count: parts.length - 1 };
}

function matchLineEnds(
  text: string,
  { oldString, newString }: TextEdit,
): { oldString: string; newString: string } {
  if (!text.includes("\r\n") || oldString.includes("\r")) return { oldString, newString };
  if (!oldString.includes("\n"))
    return { oldString, newString: endsInCrlf(text) ? toCrlf(newString) : newString };
  if (text.includes(oldString)) return { oldString, newString };
  return { oldString: toCrlf(oldString), newString: toCrlf(newString) };
}

/** Whether most of its lines do. */
function endsInCrlf(text: string): boolean {
  return countOccurrences(text, "\r\n") * 2 > countOccurrences(text, "\n");
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

/** How often a part is found; 2 where only overlapping finds make it ambiguous. */
function countOccurrences(text: string, part: string): number {
  const first = text.indexOf(part);
  if (first < 0) return 0;
  let count = 0;
  for (let at = first; at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count === 1 && text.includes(part, first + 1) ? 2 : count;
}
