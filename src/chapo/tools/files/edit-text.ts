// Makes one exact replacement in a text. Pure. edit-files.ts applies several of them to files.

/** A text to replace and its replacement. */
export interface TextEdit {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}

/**
 * Returns the edited text and the number of replacements, or the reason nothing changed. An old text without CR also
 * matches lines that end in CRLF; the new lines then end in CRLF too. Every other byte stays.
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
  // Not `replace`, which would interpret `$&` in the new text.
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

/** Whether most lines end in CRLF. */
function endsInCrlf(text: string): boolean {
  return countOccurrences(text, "\r\n") * 2 > countOccurrences(text, "\n");
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

/** Counts the matches of a part; returns 2 when a second match overlaps the first. */
function countOccurrences(text: string, part: string): number {
  const first = text.indexOf(part);
  if (first < 0) return 0;
  let count = 0;
  for (let at = first; at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count === 1 && text.includes(part, first + 1) ? 2 : count;
}
