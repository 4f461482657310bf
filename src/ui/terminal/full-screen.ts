import type { Output } from "../output.js";

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const REST_OF_LINE = "\u001b[K";
const REST_OF_SCREEN = "\u001b[J";

/** The alternate screen of a terminal, redrawn completely; leaving it restores the previous screen. */
export class FullScreen {
  readonly #output: Output;
  #shown = "";

  constructor(output: Output) {
    this.#output = output;
  }

  /** Shows as many lines as fit; the last row counts the others. Lines must fit the width. */
  async draw(lines: readonly string[]): Promise<void> {
    const rows = this.#output.rows();
    const fits = lines.length <= rows ? lines : lines.slice(0, rows - 1);
    const more = lines.length - fits.length;
    const text = [...fits, ...(more === 0 ? [] : [`… ${more} more`])]
      .map((line) => line + REST_OF_LINE)
      .join("\r\n");
    const drawn = HOME + text + REST_OF_SCREEN;
    if (drawn === this.#shown) return;
    const enter = this.#shown === "" ? ENTER : "";
    this.#shown = drawn;
    await this.#output.write(enter + drawn);
  }

  /** Restores the previous screen and its cursor. */
  leave(): void {
    if (this.#shown !== "") void this.#output.write(LEAVE);
    this.#shown = "";
  }
}
