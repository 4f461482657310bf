// Takes out of a text what steers a terminal. Pure, and linear in the length of any text: tests print what they like, and
// `stripVTControlCharacters` takes seconds for 64 KiB of some of it.

const STEERING = new RegExp(
  [
    // A string for the terminal (a title, a link), to its end; one that does not end in its line is none.
    String.raw`\u001b[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)`,
    // A control sequence: colours, the cursor.
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    // Any other escape.
    String.raw`\u001b[ -/]*[0-~]`,
  ].join("|"),
  "g",
);

/** The text without control sequences; single control characters stay. */
export function withoutSteering(text: string): string {
  return text.replaceAll(STEERING, "");
}
