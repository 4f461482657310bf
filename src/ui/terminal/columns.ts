// A table in columns. Pure.
import { cut, pad, widthOf } from "../text.js";

export interface Column {
  title: string;
  /** May be truncated when lines get too long. */
  shrinks?: true;
  /** Aligned to the right, for numbers. */
  right?: true;
  /** The most columns: a longer cell is truncated on a terminal; elsewhere it shifts the rest of its line. */
  most?: number;
}

const GAP = 2;
const LEAST = 10;

/** Aligned lines, titles first; with `width`, columns marked as shrinking are truncated, the first one first. Cells must be clean. */
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
