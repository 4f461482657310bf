// The documents of the project as tests read them: which there are, and the blocks and words of code in them.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The project's root, absolute. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A fenced block. */
export interface Block {
  page: string;
  /** Of its first line, from 1. */
  line: number;
  language: string;
  /** The file it is to be written to, where it names one. */
  file: string | undefined;
  body: string;
}

/** Every document, as a path from the root. */
export function pages(): string[] {
  const docs = readdirSync(path.join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
  return [...readdirSync(ROOT), ...docs.map((name) => `docs/${name}`)]
    .filter((name) => name.endsWith(".md"))
    .sort();
}

export function readPage(page: string): string {
  return readFileSync(path.join(ROOT, page), "utf8");
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const text = readPage(page);
  return [...text.matchAll(/^```(\w*)(?: (\S+))?\n([^]*?)^```$/gm)].map((match) => {
    const [, language = "", file, body = ""] = match;
    const line = text.slice(0, match.index).split("\n").length + 1;
    return { page, line, language, file, body };
  });
}

/** The words of code in a text, its blocks left out. */
export function spansIn(markdown: string): string[] {
  const text = markdown.replace(/^```[^]*?^```$/gm, "");
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span.replaceAll(String.raw`\|`, "|"));
}

/**
 * The command lines of a shell block, without comments, a continued line joined to the next. An empty line divides
 * different things to do, not steps.
 */
export function stepsOf({ body }: Block): string[][] {
  return body
    .replaceAll("\\\n", " ")
    .split(/\n\s*\n/)
    .map((steps) => steps.split("\n").map((line) => line.replace(/(^|\s)#\s.*$/, "").trim()))
    .map((steps) => steps.filter((line) => line !== ""))
    .filter((steps) => steps.length > 0);
}
