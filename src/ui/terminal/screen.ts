// Draws a live line below the printed lines, and removes it again. Leaves its text to live-line.ts.
import type { Clock, Timer } from "../../system/ports.js";
import type { Output } from "../output.js";

const REDRAW_MS = 100;
const CLEAR = "\r\u001b[K";

/** A terminal with a line at its end that changes. */
export class Screen {
  readonly #output: Output;
  readonly #line: (columns: number) => string;
  readonly #timer: Timer;
  #shown = "";
  #paused = false;
  /** While a question has the terminal: what is printed below it would hide which one an answer is for. */
  #held: string[] | undefined;

  /** `line` gives the live line for so many columns, at most one less than the terminal has: a full one would wrap. */
  constructor(output: Output, clock: Clock, line: (columns: number) => string) {
    this.#output = output;
    this.#line = line;
    this.#timer = clock.every(REDRAW_MS, () => {
      this.#draw();
    });
  }

  /** Prints whole lines above the live line, or after the question that has the terminal. */
  print(lines: readonly string[]): void {
    this.#held?.push(...lines);
    if (lines.length === 0 || this.#held !== undefined) return;
    const before = this.#shown === "" ? "" : CLEAR;
    this.#shown = "";
    void this.#output.write(before + lines.map((line) => `${line}\n`).join(""));
    this.#draw();
  }

  /** Takes the live line away for as long as `during` takes: a question, say. */
  async without<T>(during: () => Promise<T>): Promise<T> {
    this.#paused = true;
    this.#clear();
    this.#held = [];
    try {
      return await during();
    } finally {
      this.#paused = false;
      this.#release();
    }
  }

  stop(): void {
    this.#timer.cancel();
    this.#paused = true;
    this.#release();
    this.#clear();
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.print(held);
  }

  #clear(): void {
    if (this.#shown !== "") void this.#output.write(CLEAR);
    this.#shown = "";
  }

  #draw(): void {
    if (this.#paused) return;
    const line = this.#line(Math.max(1, this.#output.columns() - 1));
    if (line === this.#shown) return;
    this.#shown = line;
    void this.#output.write(CLEAR + line);
  }
}

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
