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

/** Synchronized output: the terminal shows the whole change at once. */
const BEGIN = "\u001b[?2026h\u001b[?25l";
const END = "\u001b[?2026l";
const SHOW_CURSOR = "\u001b[?25h";

/** Draws the region below everything that was printed. */
export class LiveRegion {
  readonly #screen: RegionScreen;
  #lines: readonly string[] = [];
  #cursor: CursorPlace | undefined;

  constructor(screen: RegionScreen) {
    this.#screen = screen;
  }

  /** Prints lines above the region, and replaces the region. `cursor`: absent for a hidden one. */
  draw(printed: readonly string[], lines: readonly string[], cursor?: CursorPlace): void {
    const most = Math.max(1, this.#screen.rows() - 1);
    const dropped = Math.max(0, lines.length - most);
    const shown = lines.slice(dropped);
    const place =
      cursor === undefined ? undefined : { line: Math.max(0, cursor.line - dropped), column: cursor.column };
    const isSame = printed.length === 0 && shown.join("\n") === this.#lines.join("\n");
    if (isSame && place?.line === this.#cursor?.line && place?.column === this.#cursor?.column) return;
    const up = shown.length - 1 - (place?.line ?? shown.length - 1);
    this.#screen.write(
      [
        BEGIN,
        this.#toTop(),
        ...printed.map((line) => `${line}\r\n`),
        shown.join("\r\n"),
        up > 0 ? `\u001b[${up}A` : "",
        place === undefined ? "" : `\r${place.column > 0 ? `\u001b[${place.column}C` : ""}${SHOW_CURSOR}`,
        END,
      ].join(""),
    );
    this.#lines = shown;
    this.#cursor = place;
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
    const above = this.#lines
      .slice(0, at.line)
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(shownWidth(line) / columns)), 0);
    const rows = above + Math.floor(Math.max(0, at.column - 1) / columns);
    return `${rows > 0 ? `\u001b[${rows}A` : ""}\r\u001b[J`;
  }
}
