// The editor at the bottom of the terminal: several lines, paste, history, completion. The editing is the library's; this file
// draws it without a cursor of its own, so that it has no colours but ours. Leaves the keys that end a turn to talk.ts.
import { Editor, type AutocompleteProvider, type TUI } from "@mariozechner/pi-tui";
import type { Colours } from "../../../../src/ui/colours.js";
import type { CursorPlace } from "../../../../src/ui/terminal/talk/region.js";
import { shownWidth } from "../../../../src/ui/text.js";

/** The callbacks of the editor. */
export interface EditorPlace {
  rows: () => number;
  /** The editor changed by itself, such as its list of completions. */
  onChange: () => void;
  onSubmit: (text: string) => void;
  colours: Colours;
  completions: AutocompleteProvider;
}

/** The library's cursor: the character below it, inverted; and its mark for the terminal's own. */
const CURSOR = /\u001b\[7m([\s\S]*?)\u001b\[0m/;
const MARK = /\u001b_pi:c\u0007/g;

/** An editor of a message. */
export class MessageEditor {
  readonly #editor: Editor;

  constructor({ rows, onChange, onSubmit, colours, completions }: EditorPlace) {
    const screen = {
      requestRender: onChange,
      terminal: {
        get rows() {
          return rows();
        },
      },
    };
    const same = (text: string): string => text;
    this.#editor = new Editor(screen as unknown as TUI, {
      borderColor: colours.dim,
      selectList: {
        selectedPrefix: colours.cyan,
        selectedText: colours.cyan,
        description: colours.dim,
        scrollInfo: colours.dim,
        noMatch: same,
      },
    });
    this.#editor.setAutocompleteProvider(completions);
    this.#editor.onSubmit = onSubmit;
  }

  /** The text, with what was pasted in full. */
  get text(): string {
    return this.#editor.getExpandedText();
  }

  /** Whether a list of completions is open. */
  get isCompleting(): boolean {
    return this.#editor.isShowingAutocomplete();
  }

  setText(text: string): void {
    this.#editor.setText(text);
  }

  key(key: string): void {
    this.#editor.handleInput(key);
  }

  paste(text: string): void {
    this.#editor.handleInput(`\u001b[200~${text}\u001b[201~`);
  }

  /** Up recalls it. */
  remember(text: string): void {
    this.#editor.addToHistory(text);
  }

  /** Its lines, and where the cursor is in them. */
  render(columns: number): { lines: string[]; cursor: CursorPlace } {
    let cursor: CursorPlace = { line: 0, column: 0 };
    const lines = this.#editor.render(columns).map((line, at) => {
      const plain = line.replace(MARK, "");
      const found = CURSOR.exec(plain);
      if (found === null) return plain.trimEnd();
      const before = plain.slice(0, found.index);
      cursor = { line: at, column: Math.min(shownWidth(before), Math.max(0, columns - 1)) };
      return `${before}${found[1] ?? ""}${plain.slice(found.index + found[0].length)}`.trimEnd();
    });
    return { lines, cursor };
  }
}
