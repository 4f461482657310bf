// Text of a model in lines of the terminal's width while it still comes: a line that cannot change any more is printed, the last
// one is shown in place. Pure.
import { toRows, type TextRow } from "./markdown.js";

/** The lines of one text that comes in pieces. */
export class StreamLines {
  #rest = "";
  #began = false;
  /** The rest continues a line whose beginning is printed. */
  #isContinued = false;

  /** Takes a piece; returns the rows that are complete. */
  take(piece: string, columns: number): TextRow[] {
    this.#rest += piece;
    if (!this.#began) this.#rest = this.#rest.replace(/^\s+/u, "");
    if (this.#rest === "") return [];
    this.#began = true;
    const { rows, isContinued } = this.#rows(columns);
    const done = rows.slice(0, -1);
    // The space at the end may be the beginning of an indentation, or be followed by a word.
    const space = /(?<![ \t])[ \t]*$/.exec(this.#rest)?.[0] ?? "";
    if (done.length > 0) {
      this.#rest = (rows.at(-1)?.text ?? "") + space;
      this.#isContinued = isContinued;
    }
    return done;
  }

  /** The last row, which may still grow; several after the terminal became narrower. */
  tail(columns: number): TextRow[] {
    if (this.#rest === "") return [];
    const { rows } = this.#rows(columns);
    return rows.map((row, at) => (at === rows.length - 1 ? { ...row, ends: false } : row));
  }

  /** Whether any text came. */
  get began(): boolean {
    return this.#began;
  }

  /** The rows that are left, at the end of the text. */
  end(columns: number): TextRow[] {
    this.#rest = this.#rest.trimEnd();
    const rows = this.#rest === "" ? [] : this.#rows(columns).rows;
    this.#rest = "";
    this.#began = false;
    this.#isContinued = false;
    return rows;
  }

  /** The rest in rows. `isContinued`: the last row continues a line. */
  #rows(columns: number): { rows: TextRow[]; isContinued: boolean } {
    const rows = toRows(this.#rest.replace(/\r$/, ""), columns, this.#isContinued);
    return { rows, isContinued: rows.at(-1)?.begins === false };
  }
}
