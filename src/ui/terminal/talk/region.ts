// The lines at the bottom of a terminal that change in place: the spinner, the editor, the cost. All other lines are printed above
// them and scroll away with the terminal's own history. Leaves the text of the lines to its caller.
import { shownWidth } from "../../text.js";

/** The terminal, as far as the region needs it. */
export interface RegionScreen {
  write(text: string): void;
  columns(): number;
  rows(): number;
}

/** Where the cursor is to be, from 0, within the lines of the region. */
export interface CursorPlace {
  line: number;
  column: number;
}

/** More rows than a terminal has. */
const MOST_ROWS = 500;
/** Synchronized output: the terminal shows the whole change at once. */
const BEGIN = "\u001b[?2026h\u001b[?25l";
const END = "\u001b[?2026l";
const SHOW_CURSOR = "\u001b[?25h";

/** Draws the region below everything that was printed. */
export class LiveRegion {
  readonly #screen: RegionScreen;
  #lines: readonly string[] = [];
  #cursor: CursorPlace | undefined;
  /** The lines that were printed last. */
  #recent: readonly string[] = [];
  #isResized = false;

  constructor(screen: RegionScreen) {
    this.#screen = screen;
  }

  /**
   * The size has changed. A terminal reports it late: lines that were drawn since may have any number of rows. So the next draw
   * fills the whole screen anew.
   */
  resized(): void {
    this.#isResized = true;
  }

  /** Prints lines above the region, and replaces the region. `cursor`: absent for a hidden one. */
  draw(printed: readonly string[], lines: readonly string[], cursor?: CursorPlace): void {
    const most = Math.max(1, this.#screen.rows() - 1);
    const dropped = Math.max(0, lines.length - most);
    const shown = lines.slice(dropped);
    const place =
      cursor === undefined ? undefined : { line: Math.max(0, cursor.line - dropped), column: cursor.column };
    const isSame = !this.#isResized && printed.length === 0 && shown.join("\n") === this.#lines.join("\n");
    if (isSame && place?.line === this.#cursor?.line && place?.column === this.#cursor?.column) return;
    const up = shown.length - 1 - (place?.line ?? shown.length - 1);
    this.#screen.write(
      [
        BEGIN,
        this.#isResized ? this.#fill(shown.length + printed.length) : this.#toTop(),
        ...printed.map((line) => `${line}\r\n`),
        shown.join("\r\n"),
        up > 0 ? `\u001b[${up}A` : "",
        place === undefined ? "" : `\r${place.column > 0 ? `\u001b[${place.column}C` : ""}${SHOW_CURSOR}`,
        END,
      ].join(""),
    );
    this.#recent = [...this.#recent, ...printed].slice(-MOST_ROWS);
    this.#isResized = false;
    this.#lines = shown;
    this.#cursor = place;
  }

  /** Clears the screen row by row, so that nothing of it is added to the terminal's history, and prints what fits above `below` rows. */
  #fill(below: number): string {
    const rows = this.#screen.rows();
    const fitting: string[] = [];
    let left = rows - below;
    for (const line of [...this.#recent].reverse()) {
      left -= this.#height(line);
      if (left < 0) break;
      fitting.unshift(`${line}\r\n`);
    }
    const clear = Array.from({ length: rows }, (_, row) => `\u001b[${row + 1};1H\u001b[2K`);
    return [...clear, "\u001b[H", ...fitting].join("");
  }

  /** The rows that the terminal needs for a line. */
  #height(line: string): number {
    return Math.max(1, Math.ceil(shownWidth(line) / Math.max(1, this.#screen.columns())));
  }

  /** Removes the region; the next line is printed in its place. */
  clear(): void {
    this.#screen.write(this.#toTop() + SHOW_CURSOR);
    this.#lines = [];
    this.#cursor = undefined;
  }

  /** Moves to the region's first cell and clears from there. After a resize the terminal has wrapped longer lines again. */
  #toTop(): string {
    const columns = Math.max(1, this.#screen.columns());
    const last = this.#lines.length - 1;
    const at = this.#cursor ?? { line: Math.max(0, last), column: shownWidth(this.#lines.at(-1) ?? "") };
    const above = this.#lines.slice(0, at.line).reduce((sum, line) => sum + this.#height(line), 0);
    const rows = above + Math.floor(Math.max(0, at.column - 1) / columns);
    return `${rows > 0 ? `\u001b[${rows}A` : ""}\r\u001b[J`;
  }
}
