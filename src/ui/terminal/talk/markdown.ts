// Shows the Markdown of a model's text in styles of the terminal, row by row, while the text still comes: headings, bold, code,
// lists and quotes. Everything else stays as it is, and without colours all of it does. Pure.
import type { Colours } from "../../colours.js";
import { diffColour } from "./diff-lines.js";
import { hangBlock, showBlock } from "../../text.js";

/** A row of the terminal: a line of the text, or a part of one. */
export interface TextRow {
  text: string;
  /** Whether the line of the text begins here. */
  begins: boolean;
  /** Whether it ends here; false too while more may come. */
  ends: boolean;
}

type Span = "`" | "**";

/** The effect of earlier rows on the next one. */
export interface MarkdownState {
  /** The mark that ends the block of code. */
  fence?: string | undefined;
  /** The language that the block names. */
  language?: string | undefined;
  /** A span that the row before left open. */
  open?: Span | undefined;
  isHeading?: boolean;
}

/** Wraps the lines of a text. `isContinued`: the first line begins in an earlier row. */
export function toRows(text: string, columns: number | undefined, isContinued = false): TextRow[] {
  return showBlock(text).flatMap((line, at) => {
    const continues = at === 0 && isContinued;
    const rows =
      columns === undefined ? [line] : hangBlock(line.replaceAll("\t", "    "), columns, continues);
    return rows.map((row, index) => ({
      text: row,
      begins: index === 0 && !continues,
      ends: index === rows.length - 1,
    }));
  });
}

/** Styles rows, and returns what the rows after them need to know. */
export function styleRows(
  rows: readonly TextRow[],
  state: MarkdownState,
  colours: Colours,
): { lines: string[]; state: MarkdownState } {
  // Without colours a mark would be lost, not shown in another way.
  if (colours.bold("x") === "x") return { lines: rows.map(({ text }) => text), state };
  let now = state;
  const lines = rows.map((row) => {
    const styled = styleRow(row, now, colours);
    now = styled.state;
    return styled.line;
  });
  return { lines, state: now };
}

/** A whole text in styled lines. */
export function markdownLines(text: string, colours: Colours, columns: number | undefined): string[] {
  return styleRows(toRows(text, columns), {}, colours).lines;
}

function styleRow(
  row: TextRow,
  state: MarkdownState,
  colours: Colours,
): { line: string; state: MarkdownState } {
  const { text, begins } = row;
  const fence = begins ? /^\s*(`{3,}|~{3,})/.exec(text)?.[1] : undefined;
  if (state.fence !== undefined) {
    const isEnd = fence?.startsWith(state.fence) === true && text.trim() === fence;
    if (isEnd) return { line: colours.dim(text), state: {} };
    return { line: styleCode(text, state.language, colours), state };
  }
  if (fence !== undefined) {
    const language = text.trim().slice(fence.length).trim().toLowerCase() || undefined;
    return { line: colours.dim(text), state: { fence, language } };
  }
  const [, mark, title] = begins ? (/^(#{1,6}) +(.*)$/.exec(text) ?? []) : [];
  const isHeading = begins ? mark !== undefined : state.isHeading === true;
  const body = begins ? (title ?? showMark(text, colours)) : text;
  const { line, open } = styleSpans({ ...row, text: body }, begins ? undefined : state.open, colours);
  return { line: isHeading ? colours.bold(line) : line, state: { isHeading, open } };
}

/** The mark of a list or a quote at the beginning of a line. */
function showMark(text: string, colours: Colours): string {
  if (/^(?:-{3,}|\*{3,}|_{3,})$/.test(text)) return colours.dim(text);
  if (text.startsWith("|")) return showTableRow(text, colours);
  return text
    .replace(/^(\s*)[-*+] (?=\S)/, "$1• ")
    .replace(/^(\s*)> ?/, (_, indent: string) => `${indent}${colours.dim("│")} `);
}

/** A row of a table comes before the rest of it, so that columns stay as wide as they were written. */
function showTableRow(text: string, colours: Colours): string {
  if (/^[|\s:-]+$/.test(text)) return colours.dim(text.replace(/[\s:-]/g, "─").replaceAll("|", "┼"));
  return text.replace(/`[^`]*`|\\\||\|/g, (part) =>
    part === "|" ? colours.dim("│") : part.replace(/^\\/, ""),
  );
}

const HASHES = /^(?:sh|bash|shell|zsh|py|python|rb|ruby|ya?ml|toml|make|makefile|dockerfile|perl|r)$/;
const DASHES = /^(?:sql|lua|haskell|hs)$/;
const KEYWORDS = new Set(
  (
    "as async await break case catch class const continue def defer del do done elif else enum esac except export extends " +
    "fi finally fn for from func function if impl import in interface is lambda let match mod module mut new nil none not " +
    "null or package pass private pub public raise return self static struct super switch then this throw true false try " +
    "type undefined use var void where while with yield and select insert update delete create table into values join"
  ).split(" "),
);
const TOKEN = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|[A-Za-z_]\w*|\/\/|--|#|[^"'`A-Za-z_/#-]+|[^]/g;

/** A row of a block of code: strings, comments and the words that most languages share. One without a language has one colour. */
function styleCode(text: string, language: string | undefined, colours: Colours): string {
  if (language === undefined || /^te?xt$/.test(language)) return colours.cyan(text);
  if (language === "diff") return diffColour(text, colours)(text);
  const comment = HASHES.test(language) ? "#" : DASHES.test(language) ? "--" : "//";
  let line = "";
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isComment = token === comment && /^$|\s$/.test(text.slice(0, index));
    if (isComment) return line + colours.dim(text.slice(index));
    if (/^["'`]./.test(token)) line += colours.green(token);
    else line += KEYWORDS.has(token) || KEYWORDS.has(token.toLowerCase()) ? colours.cyan(token) : token;
  }
  return line;
}

/** A mark that begins a span: not a glob (`src/**`), not a product (`2 ** 3`). */
const OPENS = /`(?=[^`\s])|(?<=^|[\s("'[])\*\*(?=[\p{L}\p{N}"'`([$<_.-])/u;
const CLOSES: Readonly<Record<Span, RegExp>> = { "`": /`/, "**": /(?<=\S)\*\*/ };

function styleSpans(
  { text, ends }: TextRow,
  open: Span | undefined,
  colours: Colours,
): { line: string; open: Span | undefined } {
  let line = "";
  let rest = text;
  let span = open;
  for (;;) {
    if (span === undefined) {
      const found = OPENS.exec(rest);
      if (found === null) return { line: line + rest, open: undefined };
      const mark = found[0] === "`" ? "`" : "**";
      const after = rest.slice(found.index + mark.length);
      line += rest.slice(0, found.index);
      // A mark that nothing closes is text.
      if (ends && !CLOSES[mark].test(after)) line += mark;
      else span = mark;
      rest = after;
      continue;
    }
    const close = CLOSES[span].exec(rest);
    const inner = close === null ? rest : rest.slice(0, close.index);
    line += inner === "" ? "" : styleSpan(span, inner, colours);
    if (close === null) return { line, open: ends ? undefined : span };
    rest = rest.slice(close.index + span.length);
    span = undefined;
  }
}

function styleSpan(span: Span, text: string, colours: Colours): string {
  if (span === "`") return colours.cyan(text);
  return colours.bold(text.replaceAll(/`([^`]+)`/g, (_, code: string) => colours.cyan(code)));
}
