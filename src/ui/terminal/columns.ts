// A table in columns. Pure.
import type { Colours } from "../colours.js";
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

export function right(title: string): Column {
  return { title, right: true };
}

export function shrinks(title: string): Column {
  return { title, shrinks: true };
}

const GAP = 2;
const LEAST = 10;

/** Aligned lines, titles first; on a terminal columns marked as shrinking are truncated, the first one first. Cells must be clean. */
export function tableLines(
  named: readonly (Column | string)[],
  rows: readonly (readonly string[])[],
  { colours, columns: width }: { colours?: Colours; columns?: number | undefined } = {},
): string[] {
  const columns = named.map((one): Column => (typeof one === "string" ? { title: one } : one));
  const widths = columns.map(({ title, most = Infinity }, at) => {
    const widest = rows.reduce((width, row) => Math.max(width, widthOf(row[at] ?? "")), widthOf(title));
    return Math.min(most, widest);
  });
  const total = widths.reduce((sum, one) => sum + one, GAP * (columns.length - 1));
  let tooMuch = width === undefined ? 0 : total - width;
  for (const [at, column] of columns.entries()) {
    const whole = widths[at] ?? 0;
    if (tooMuch <= 0 || column.shrinks !== true || whole <= LEAST) continue;
    widths[at] = Math.max(LEAST, whole - tooMuch);
    tooMuch -= whole - (widths[at] ?? 0);
  }
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ right: isRight, most }, at) => {
        const space = widths[at] ?? 0;
        const whole = cells[at] ?? "";
        const cell = width === undefined && most !== undefined ? whole : cut(whole, space);
        return isRight === true ? " ".repeat(space - widthOf(cell)) + cell : pad(cell, space);
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  const header = line(columns.map(({ title }) => title));
  return [colours?.dim(header) ?? header, ...rows.map(line)];
}
