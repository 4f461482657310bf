// Reads Markdown line by line: headings, list items with their boxes, and other text. Code blocks are text. Pure.
import { given } from "../../../system/given.js";

/** One line. `indent`: columns before its text, or before an item's marker. */
export type MarkdownLine =
  | { kind: "blank" }
  | { kind: "heading"; level: number; text: string }
  /** `content`: columns before an item's words; `box`: the mark in its check box. */
  | {
      kind: "item";
      indent: number;
      content: number;
      ordered: boolean;
      box?: string;
      text: string;
      raw: string;
    }
  | { kind: "text"; indent: number; raw: string };

const HEADING = /^ {0,3}(#{1,6})(?=\s|$)/u;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(?:\[(.)\](?:\s+|$))?(.*)$/u;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/u;
const FENCE = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})/u;
const TAB = 4;

/** Splits a text into lines at any kind of line end. */
export function readMarkdown(text: string): MarkdownLine[] {
  const lines: MarkdownLine[] = [];
  let fence: { mark: string; indent: number } | undefined;
  /** For each item that contains the line, the column where its text begins; the innermost last. */
  const within: number[] = [];
  for (const raw of withoutFrontMatter(text.split(/\r\n|\n|\r/u))) {
    const line = expand(raw);
    if (line.trim() === "") {
      lines.push({ kind: "blank" });
      continue;
    }
    const indent = line.length - line.trimStart().length;
    // A code block ends with the item that contains it.
    if (fence !== undefined && fence.indent > 0 && indent < fence.indent) fence = undefined;
    if (fence !== undefined) {
      lines.push({ kind: "text", indent, raw: line });
      const mark = FENCE.exec(line)?.[1] ?? "";
      if (mark.startsWith(fence.mark) && line.trim() === mark) fence = undefined;
      continue;
    }
    while ((within.at(-1) ?? 0) > indent) within.pop();
    const found = readLine(line, indent);
    // A heading in an item is a text of that item.
    const read =
      found.kind === "heading" && within.length > 0 ? { kind: "text" as const, indent, raw: line } : found;
    if (read.kind === "item") within.push(read.content);
    lines.push(read);
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) fence = { mark, indent: within.at(-1) ?? 0 };
  }
  return lines;
}

function readLine(line: string, indent: number): MarkdownLine {
  const heading = HEADING.exec(line);
  if (heading !== null)
    return {
      kind: "heading",
      level: heading[1]?.length ?? 1,
      text: headingText(line.slice(heading[0].length)),
    };
  const item = RULE.test(line) ? null : ITEM.exec(line);
  if (item === null) return { kind: "text", indent, raw: line };
  const [, before = "", marker = "", gap = "", box, text = ""] = item;
  return {
    kind: "item",
    indent: before.length,
    // Four spaces or more after the marker begin a code block.
    content: before.length + marker.length + (gap.length > TAB ? 1 : gap.length),
    ordered: /\d/u.test(marker),
    ...given({ box }),
    text: text.trim(),
    raw: line,
  };
}

/** Removes the marks that may close a heading. */
function headingText(text: string): string {
  return text
    .trim()
    .replace(/(?:^|\s)#+$/u, "")
    .trim();
}

/** Settings of other programs, between two lines of dashes at the top. */
function withoutFrontMatter(lines: string[]): string[] {
  if (lines[0]?.trimEnd() !== "---") return lines;
  const end = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/u.test(line));
  return end === -1 || !lines.slice(1, end).some((line) => /^[\w-]+:/u.test(line))
    ? lines
    : lines.slice(end + 1);
}

function expand(line: string): string {
  return line.replace(/^[ \t]+/u, (space) => {
    let width = 0;
    for (const one of space) width += one === "\t" ? TAB - (width % TAB) : 1;
    return " ".repeat(width);
  });
}

/** Joins lines to a text and removes their common indentation, at most `columns`. */
export function dedent(lines: readonly string[], columns: number): string {
  const text = lines.map((line) =>
    line.slice(0, columns).trim() === "" ? line.slice(columns) : line.trimStart(),
  );
  return text
    .join("\n")
    .replace(/^(?:[ \t]*\n)+/u, "")
    .trimEnd();
}

/** Turns a text into a tag: `User login` → `user-login`; empty if no letter is left. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "");
}
