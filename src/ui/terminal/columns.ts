// A table in columns. Pure.
import { cut, pad, widthOf } from "./text.js";

export interface Column {
  title: string;
  /** May be cut where the lines get too long. */
  shrinks?: true;
  /** Numbers stand to the right. */
  right?: true;
}

const GAP = 2;
const LEAST = 10;

/** Lines of equal columns, the titles first; with `width`, the shrinking column gives way. Cells are cleaned already. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width?: number,
): { header: string; lines: string[] } {
  const widths = columns.map(({ title }, at) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[at] ?? ""))),
  );
  const total = widths.reduce((sum, one) => sum + one, GAP * (columns.length - 1));
  const shrinking = columns.findIndex(({ shrinks }) => shrinks === true);
  const tooMuch = width === undefined ? 0 : total - width;
  if (tooMuch > 0 && shrinking !== -1)
    widths[shrinking] = Math.max(LEAST, (widths[shrinking] ?? 0) - tooMuch);
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ right }, at) => {
        const space = widths[at] ?? 0;
        const cell = cut(cells[at] ?? "", space);
        return right === true ? " ".repeat(space - widthOf(cell)) + cell : pad(cell, space);
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  return { header: line(columns.map(({ title }) => title)), lines: rows.map(line) };
}
