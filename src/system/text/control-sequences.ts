// Removes terminal control sequences from a text. Pure, and linear in the length of any text: programs print anything, and
// Node's `stripVTControlCharacters` takes seconds for some texts of 64 KiB.

const STEERING = new RegExp(
  [
    // A string for the terminal (a title, a link), to its end; one that does not end in its line is not one.
    String.raw`\u001b[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)`,
    // A control sequence: colours, the cursor.
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    // Any other escape.
    String.raw`\u001b[ -/]*[0-~]`,
  ].join("|"),
  "g",
);

/** The text without control sequences; single control characters stay. */
export function stripControlSequences(text: string): string {
  return text.replaceAll(STEERING, "");
}
