// Texts of others, made safe to stand in a prompt: fenced so that they cannot break out, and bounded.
import { keepEnd, keepStart } from "../system/text/cut.js";

/** A block of text that nothing in it can end: the fence is longer than any run of backticks inside. */
export function fenceBlock(text: string, language = "text"): string {
  const ticks = "`".repeat(Math.max(2, longestRun(text)) + 1);
  return `${ticks}${language}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${ticks}`;
}

/** A short text on one line, as inline code that nothing in it can end. */
export function quoteCode(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const longest = longestRun(line);
  const ticks = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${ticks}${space}${line}${space}${ticks}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** The first `most` characters, with a mark that says how many were cut. */
export function cutEnd(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = keepStart(text, most);
  return `${kept}\n${mark(text.length - kept.length)}`;
}

/** The last `most` characters, with a mark that says how many were cut. */
export function cutStart(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = keepEnd(text, most);
  return `${mark(text.length - kept.length)}\n${kept}`;
}

function mark(count: number): string {
  return `[… cut: ${String(count)} characters]`;
}
