// The editor of a conversation at a terminal, its completions and the lines around it.
import {
  Editor,
  fuzzyFilter,
  type AutocompleteItem,
  type AutocompleteProvider,
  type TUI,
} from "@mariozechner/pi-tui";
import { textField } from "../../../src/agents/fields.js";
import { given } from "../../../src/system/given.js";
import { isRecord, tryParseJson } from "../../../src/system/text/json.js";
import type { Reply, UserQuestion } from "../../../src/chapo/engine/calls/pending.js";
import type { Conversation } from "../../../src/chapo/engine/conversation.js";
import type { Colours } from "../../../src/ui/colours.js";
import { markdownLines } from "../../../src/ui/terminal/talk/markdown.js";
import type { CursorPlace } from "../../../src/ui/terminal/talk/region.js";
import type { TalkScreen } from "../../../src/ui/terminal/talk/talk-lines.js";
import { clean, cut, showBlock, shownWidth, wrap } from "../../../src/ui/text.js";
import { plural } from "../../../src/ui/view/words/amounts.js";

interface EditorPlace {
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

export interface Completions {
  commands: readonly { name: string; description: string }[];
  /** The project's files, relative to it. */
  files: () => Promise<readonly string[]>;
}

const MOST = 50;

export function completionsOf({ commands, files }: Completions): AutocompleteProvider {
  return {
    getSuggestions: async (lines, line, column) => {
      const before = (lines[line] ?? "").slice(0, column);
      const slash = line === 0 ? /^\/[\w:-]*$/.exec(before)?.[0] : undefined;
      if (slash !== undefined) return suggestionsOf(slash, commandItems(commands, slash.slice(1)));
      const at = /(?:^|\s)(@[^\s@]*)$/.exec(before)?.[1];
      if (at === undefined) return null;
      return suggestionsOf(at, fileItems(await files(), at.slice(1)));
    },
    applyCompletion: (...[lines, cursorLine, cursorCol, item, prefix]) => {
      const text = lines[cursorLine] ?? "";
      const begin = text.slice(0, cursorCol - prefix.length) + item.value;
      const changed = [...lines];
      changed[cursorLine] = `${begin} ${text.slice(cursorCol).trimStart()}`;
      return { lines: changed, cursorLine, cursorCol: begin.length + 1 };
    },
    shouldTriggerFileCompletion: () => false,
  };
}

function suggestionsOf(prefix: string, items: AutocompleteItem[]) {
  return items.length === 0 ? null : { items, prefix };
}

function commandItems(commands: Completions["commands"], typed: string): AutocompleteItem[] {
  return commands
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, description }) => ({
      value: `/${name}`,
      label: `/${name}`,
      description: clean(description),
    }));
}

function fileItems(files: readonly string[], typed: string): AutocompleteItem[] {
  const plain = files.filter((file) => /^[^\s\u0000-\u001f]+$/.test(file));
  const found = fuzzyFilter(plain, typed, (file) => file).slice(0, MOST);
  return found.map((file) => ({ value: `@${file}`, label: clean(file) }));
}

const MOST_ECHOED = 12;

/** A message as it is printed when it is sent. */
export function echoLines(message: string, { colours, columns }: TalkScreen): string[] {
  const lines = showBlock(message).flatMap((line) =>
    wrap(line.replaceAll("\t", "    "), Math.max(10, columns - 2)),
  );
  const shown = lines
    .slice(0, MOST_ECHOED)
    .map((line, at) => colours.bold(`${at === 0 ? "> " : "  "}${line}`));
  const more = lines.length - shown.length;
  return ["", ...shown, ...(more > 0 ? [colours.dim(`  … ${plural(more, "more line")}`)] : [])];
}

/** The most texts of a conversation that are shown when it is resumed. */
const MOST_SAID = 6;

/** The end of a conversation that is resumed, so that a person sees where it is. */
export function saidLines({ messages }: Conversation, screen: TalkScreen): string[] {
  const said = messages.flatMap((one) =>
    one.role === "tool" || one.text === "" || (one.role === "user" && one.own === true) ? [] : [one],
  );
  return said.slice(-MOST_SAID).flatMap(({ role, text }) => {
    if (role === "user") return echoLines(text, screen);
    return ["", ...markdownLines(text.trim(), screen.colours, screen.columns)];
  });
}

export function queuedLines(queue: readonly string[], { colours, columns }: TalkScreen): string[] {
  return queue.map((text) => colours.dim(cut(`queued: ${clean(text.slice(0, 500))}`, columns - 1)));
}

/** How the question is answered: by a key, or with a text that is being typed. */
type QuestionMode = "keys" | "remark" | "edit";

/** A call that waits for an answer: by a key, unless a message is being typed. */
export interface TalkQuestion {
  question: UserQuestion;
  mode: QuestionMode;
  answer(reply: Reply): void;
}

/** The keys for the answers that allow more than this call. */
export const MORE_KEYS = { always: "a", edits: "f" };

/** The keys that answer, each with its word, and the answer, or the text that is asked for. */
function keysFor({
  may_remember: mayRemember,
  edits,
}: UserQuestion): (readonly [key: string, word: string, reply: Reply | "remark" | "edit"])[] {
  const keys: ReturnType<typeof keysFor> = [
    ["y", "yes", { verdict: "approve" }],
    ["n", "no", { verdict: "reject" }],
  ];
  if (mayRemember) keys.push([MORE_KEYS.always, "always", { verdict: "approve", always: true }]);
  if (edits !== undefined) keys.push([MORE_KEYS.edits, "file", { verdict: "approve", edits: true }]);
  return [...keys, ["e", "edit", "edit"], ["r", "remark", "remark"]];
}

/** The meaning of a key; `undefined`: it is none of the keys that answer. */
export function answerOfKey(key: string, question: UserQuestion): Reply | "remark" | "edit" | undefined {
  return keysFor(question).find(([one]) => one === key.toLowerCase())?.[2];
}

export function questionHint({ question, mode }: TalkQuestion, isTyping: boolean): string {
  if (mode === "remark") return "Say why not: Enter sends it, Esc goes back";
  if (mode === "edit") return "Change the call: Enter runs it, Esc goes back";
  if (isTyping) return "A call waits for you: Enter queues the message, then answer";
  const keys = keysFor(question).map(([key, word]) => `${key} ${word}`);
  return `Allow this? ${keys.join(" · ")}`;
}

/** The text to edit: the command itself, or the arguments as JSON. */
export function editableText({ args }: UserQuestion): string {
  return textField(args, "command") ?? JSON.stringify(args, undefined, 2);
}

/** The answer with a typed text, or why the text cannot be used. */
export function answerOfText(text: string, { question: { args }, mode }: TalkQuestion): Reply | string {
  if (mode === "remark") return { verdict: "reject", ...given({ remark: text.trim() || undefined }) };
  if (isRecord(args) && textField(args, "command") !== undefined)
    return { verdict: "approve", args: { ...args, command: text } };
  const read = tryParseJson(text);
  if (!read.ok) return `not JSON: ${read.error}`;
  return isRecord(read.value)
    ? { verdict: "approve", args: read.value }
    : "the arguments must be a JSON object";
}

/** The answer to a question, as it is printed. */
export function describeReply(reply: Reply): string {
  if (reply.verdict === "reject")
    return reply.remark === undefined ? "  refused" : `  refused: ${clean(reply.remark)}`;
  if (reply.args !== undefined) return "  allowed as edited";
  if (reply.edits === true) return "  every edit of the file is allowed for this session";
  return reply.always === true ? "  allowed for this session" : "  allowed";
}
