// Draws what a program printed on a terminal as a picture (SVG). Pure. Leaves running the program to picture.mjs.
import { stripVTControlCharacters } from "node:util";

const CELL = { width: 8.4, height: 19 };
const MARGIN = { left: 18, top: 52, bottom: 20 };
/** By the number of the SGR sequence; 2 is dim. */
const COLOURS: Readonly<Record<string, string>> = {
  "2": "#8b949e",
  "31": "#ff7b72",
  "32": "#3fb950",
  "33": "#d29922",
  "36": "#39c5cf",
};

/** One stretch of a line in one style. */
interface Piece {
  text: string;
  style: string;
}

/** `lines` as they were printed, colours (SGR sequences) included; a line longer than `columns` is wrapped. */
export function drawTerminal(
  lines: readonly string[],
  { title, columns }: { title: string; columns: number },
): string {
  const rows = lines.flatMap((line) => wrap(piecesOf(line), columns));
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN.left);
  const height = MARGIN.top + rows.length * CELL.height + MARGIN.bottom;
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (colour, index) => `<circle cx="${String(22 + index * 20)}" cy="18" r="6" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" role="img" aria-label="${escape(title)}">`,
    `<rect width="100%" height="100%" rx="10" fill="#0d1117"/>`,
    ...dots,
    `<text x="${String(width / 2)}" y="23" text-anchor="middle" fill="#8b949e" font-family="sans-serif" font-size="13">${escape(title)}</text>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">`,
    ...rows.map((row, index) => drawRow(row, MARGIN.top + index * CELL.height)),
    `</g>`,
    `</svg>`,
    "",
  ].join("\n");
}

function drawRow(row: readonly Piece[], y: number): string {
  const spans = row.map(({ text, style }) =>
    style === "" ? escape(text) : `<tspan ${style}>${escape(text)}</tspan>`,
  );
  return `<text x="${String(MARGIN.left)}" y="${String(y)}" xml:space="preserve">${spans.join("")}</text>`;
}

/** A line as pieces, each with the style that its colour sequences ask for. */
function piecesOf(line: string): Piece[] {
  const active = new Set<string>();
  return line.split(/(\u001B\[\d+m)/).flatMap((part) => {
    const code = /^\u001B\[(\d+)m$/.exec(part)?.[1];
    if (code !== undefined) {
      applyCode(active, code);
      return [];
    }
    const text = stripVTControlCharacters(part);
    return text === "" ? [] : [{ text, style: styleOf(active) }];
  });
}

/** 22 ends bold and dim, 39 ends a colour. */
function applyCode(active: Set<string>, code: string): void {
  if (code === "22") ["1", "2"].forEach((other) => active.delete(other));
  else if (code === "39") Object.keys(COLOURS).forEach((other) => active.delete(other));
  else active.add(code);
}

function styleOf(active: ReadonlySet<string>): string {
  const colour = [...active].map((code) => COLOURS[code]).find((value) => value !== undefined);
  return [
    ...(colour === undefined ? [] : [`fill="${colour}"`]),
    ...(active.has("1") ? [`font-weight="bold"`] : []),
  ].join(" ");
}

/** Rows of at most `columns` characters, where texts that differ from run to run count as their marks; further rows of a line are indented. */
function wrap(pieces: readonly Piece[], columns: number): Piece[][] {
  const rows: Piece[][] = [[]];
  let used = 0;
  for (const { text, style } of pieces) {
    for (const word of text.split(/(?<= )/)) {
      const shown = maskChanging(word);
      if (used > 0 && used + shown.trimEnd().length > columns) {
        rows.push([{ text: "    ", style: "" }]);
        used = 4;
      }
      rows.at(-1)?.push({ text: word, style });
      used += shown.length;
    }
  }
  return rows.map(joinEqual);
}

function joinEqual(row: readonly Piece[]): Piece[] {
  return row.reduce<Piece[]>((joined, piece) => {
    const last = joined.at(-1);
    if (last?.style !== piece.style) return [...joined, piece];
    return [...joined.slice(0, -1), { text: last.text + piece.text, style: last.style }];
  }, []);
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** The text with what differs from run to run (times, run ids, temp folders, spaces of columns) replaced by marks. */
export function maskChanging(text: string): string {
  return text
    .replaceAll(/\/\S*looper-demo-\w+/g, "DEMO")
    .replaceAll(/\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d/g, "RUN")
    .replaceAll(/(?:\d+h)?(?:\d+m)?\d+(?:\.\d)?s\b/g, "TIME")
    .replaceAll(/ +/g, " ");
}

/** The output of `looper demo` with FORCE_COLOR=1. */
export interface DemoOutput {
  stdout: string;
  stderr: string;
}

/**
 * The part of the demo's run that a terminal shows: a line for each attempt, then the table and the ending. The lines that
 * announce an attempt are left out, since a terminal replaces them in place.
 */
export function linesOfRun({ stdout, stderr }: DemoOutput): string[] {
  const attempts = stderr
    .trimEnd()
    .split("\n")
    .filter((line) => !line.startsWith("- "));
  const [, report = ""] = /^[^\n]*looks\.\n([^]*?)\n[^\n]*log: /m.exec(stdout) ?? [];
  return [...attempts, "", ...report.trim().split("\n")];
}

/** The README's picture of a run. */
export function drawDemo(output: DemoOutput): string {
  const prompt = "\u001B[32m$\u001B[39m \u001B[1mlooper demo\u001B[22m";
  return drawTerminal([prompt, "", ...linesOfRun(output)], { title: "looper demo", columns: 92 });
}
