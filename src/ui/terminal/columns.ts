// A table in columns. Pure.
import { cut, pad, widthOf } from "../text.js";

export interface Column {
  title: string;
  /** May be cut where the lines get too long. */
  shrinks?: true;
  /** Numbers stand to the right. */
  right?: true;
  /** It gets no wider: a longer cell is cut on a terminal, else it pushes the rest of its line to the right. */
  most?: number;
}

const GAP = 2;
const LEAST = 10;

/** Lines of equal columns, the titles first; with `width`, the shrinking columns give way, the first one first. Cells are cleaned already. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width?: number,
): { header: string; lines: string[] } {
  const widths = columns.map(({ title, most = Infinity }, at) => {
    const widest = rows.reduce((width, row) => Math.max(width, widthOf(row[at] ?? "")), widthOf(title));
    return Math.min(most, widest);
  });
  const total = widths.reduce((sum, one) => sum + one, GAP * (columns.length - 1));
  let tooMuch = width === undefined ? 0 : total - width;
  for (const [at, { shrinks }] of columns.entries()) {
    const whole = widths[at] ?? 0;
    if (tooMuch <= 0 || shrinks !== true || whole <= LEAST) continue;
    widths[at] = Math.max(LEAST, whole - tooMuch);
    tooMuch -= whole - (widths[at] ?? 0);
  }
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ right, most }, at) => {
        const space = widths[at] ?? 0;
        const whole = cells[at] ?? "";
        const cell = width === undefined && most !== undefined ? whole : cut(whole, space);
        return right === true ? " ".repeat(space - widthOf(cell)) + cell : pad(cell, space);
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  return { header: line(columns.map(({ title }) => title)), lines: rows.map(line) };
}
