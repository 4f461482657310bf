// Text of a model in lines of the terminal's width while it still comes: a line that cannot change any more is printed, the last
// one is shown in place. Pure.
import { hangBlock, showBlock } from "../../text.js";

/** The lines of one text that comes in pieces. */
export class StreamLines {
  #rest = "";
  #began = false;
  /** The rest continues a line whose beginning is printed. */
  #isContinued = false;

  /** Takes a piece; returns the lines that are complete. */
  take(piece: string, columns: number): string[] {
    this.#rest += piece;
    if (!this.#began) this.#rest = this.#rest.replace(/^\s+/u, "");
    if (this.#rest === "") return [];
    this.#began = true;
    const { lines, isContinued } = this.#rows(columns);
    const done = lines.slice(0, -1);
    // The space at the end may be the beginning of an indentation, or be followed by a word.
    const space = /[ \t]*$/.exec(this.#rest)?.[0] ?? "";
    if (done.length > 0) {
      this.#rest = (lines.at(-1) ?? "") + space;
      this.#isContinued = isContinued;
    }
    return done;
  }

  /** The last line, which may still grow; several after the terminal became narrower. */
  tail(columns: number): string[] {
    return this.#rest === "" ? [] : this.#rows(columns).lines;
  }

  /** Whether any text came. */
  get began(): boolean {
    return this.#began;
  }

  /** The lines that are left, at the end of the text. */
  end(columns: number): string[] {
    this.#rest = this.#rest.trimEnd();
    const lines = this.tail(columns);
    this.#rest = "";
    this.#began = false;
    this.#isContinued = false;
    return lines;
  }

  /** The rest in rows. `isContinued`: the last row continues a line. */
  #rows(columns: number): { lines: string[]; isContinued: boolean } {
    const texts = showBlock(this.#rest.replace(/\r$/, ""));
    const rows = texts.map((text, at) =>
      hangBlock(text.replaceAll("\t", "    "), columns, at === 0 && this.#isContinued),
    );
    const isContinued = (rows.at(-1)?.length ?? 0) > 1 || (texts.length === 1 && this.#isContinued);
    return { lines: rows.flat(), isContinued };
  }
}
