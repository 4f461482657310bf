// A unified diff in colour, in the terminal's width. Pure.
import type { Colours } from "../../colours.js";
import { hang, showExactly } from "../../text.js";

/** A longer diff is shown at its beginning: the whole is in the file. */
const MOST = 200;

/** The lines of a diff, set in by two columns. */
export function diffLines(
  diff: string,
  { colours, columns }: { colours: Colours; columns?: number },
): string[] {
  const all = showExactly(diff.trimEnd());
  const lines = all.slice(0, MOST).map((line) => line.replaceAll("\t", "    "));
  const more = all.length - lines.length;
  return [
    ...lines.flatMap((line) => {
      const parts = hang(line, columns && Math.max(10, columns - 2));
      return parts.map((part) => `  ${diffColour(line, colours)(part)}`);
    }),
    ...(more > 0 ? [colours.dim(`  … ${more} more lines`)] : []),
  ];
}

/** The colour of a line of a diff. */
export function diffColour(line: string, colours: Colours): (text: string) => string {
  if (/^(?:\+\+\+|---) /.test(line)) return colours.bold;
  if (line.startsWith("@@")) return colours.cyan;
  if (line.startsWith("+")) return colours.green;
  if (line.startsWith("-")) return colours.red;
  return (text) => text;
}
