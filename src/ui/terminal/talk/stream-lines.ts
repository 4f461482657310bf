// Text of a model in lines of the terminal's width while it still comes: a line that cannot change any more is printed, the last
// one is shown in place. Pure.
import { showBlock, wrap } from "../../text.js";

/** The lines of one text that comes in pieces. */
export class StreamLines {
  #rest = "";
  #began = false;

  /** Takes a piece; returns the lines that are complete. */
  take(piece: string, columns: number): string[] {
    this.#rest += piece;
    if (!this.#began) this.#rest = this.#rest.replace(/^\s+/u, "");
    if (this.#rest === "") return [];
    this.#began = true;
    const lines = rows(this.#rest, columns);
    const done = lines.slice(0, -1);
    // The space at the end may be the beginning of an indentation, or be followed by a word.
    const space = /[ \t]*$/.exec(this.#rest)?.[0] ?? "";
    if (done.length > 0) this.#rest = (lines.at(-1) ?? "") + space;
    return done;
  }

  /** The last line, which may still grow; several after the terminal became narrower. */
  tail(columns: number): string[] {
    return this.#rest === "" ? [] : rows(this.#rest, columns);
  }

  /** Whether any text came. */
  get began(): boolean {
    return this.#began;
  }

  /** The lines that are left, at the end of the text. */
  end(columns: number): string[] {
    const rest = this.#rest.trimEnd();
    this.#rest = "";
    this.#began = false;
    return rest === "" ? [] : rows(rest, columns);
  }
}

function rows(text: string, columns: number): string[] {
  return showBlock(text.replace(/\r$/, "")).flatMap((line) => wrap(line.replaceAll("\t", "    "), columns));
}
