// Typed text as keys, and what is pasted as one text. Leaves the keys to the editor and to talk.ts.
import {
  StdinBuffer,
  Editor,
  type AutocompleteProvider,
  type TUI,
  type AutocompleteItem,
} from "@mariozechner/pi-tui";
import type { Colours } from "../../../src/ui/colours.js";
import type { CursorPlace } from "../../../src/ui/terminal/talk/region.js";
import { shownWidth, clean, cut, hang, showBlock, wrap } from "../../../src/ui/text.js";
import path from "node:path";
import { textField } from "../../../src/agents/fields.js";
import type { Files } from "../../../src/system/ports.js";
import type { Redact } from "../../../src/system/text/secrets/redact.js";
import { tryParseJson } from "../../../src/system/text/json.js";
import { markdownLines } from "../../../src/ui/terminal/talk/markdown.js";
import type { TalkScreen } from "../../../src/ui/terminal/talk/talk-lines.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import type { Reply, UserQuestion } from "../../../src/chapo/engine/calls/pending.js";

export interface InputListener {
  onKey(key: string): void;
  /** A whole pasted text, cleaned. `left`: the number of control characters that were left out. */
  onPaste(text: string, left: number): void;
  onTooLong(characters: number): void;
}

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";
/** The most characters of one paste: more would fill the model's window many times. */
export const MOST_PASTED = 1_000_000;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu;

interface Paste {
  parts: string[];
  length: number;
}

/** Splits what a terminal sends. The library's own reader of pastes looks through all of a paste for each piece of it. */
export class InputReader {
  readonly #listener: InputListener;
  readonly #keys: StdinBuffer;
  /** The beginning of a mark that is not whole yet. */
  #carry = "";
  #paste: Paste | undefined;

  constructor(listener: InputListener) {
    this.#listener = listener;
    this.#keys = new StdinBuffer({ timeout: 25 });
    this.#keys.on("data", (key) => {
      listener.onKey(key);
    });
  }

  take(text: string): void {
    let rest = this.#carry + text;
    this.#carry = "";
    while (rest !== "")
      rest = this.#paste === undefined ? this.#typed(rest) : this.#pasted(rest, this.#paste);
  }

  /** Forgets a key that is not whole. */
  close(): void {
    this.#keys.destroy();
  }

  #typed(text: string): string {
    const begin = text.indexOf(BEGIN);
    if (begin >= 0) {
      if (begin > 0) this.#keys.process(text.slice(0, begin));
      this.#paste = { parts: [], length: 0 };
      return text.slice(begin + BEGIN.length);
    }
    const torn = tornMark(text, BEGIN);
    if (torn < text.length) this.#carry = text.slice(torn);
    if (torn > 0) this.#keys.process(text.slice(0, torn));
    return "";
  }

  #pasted(text: string, paste: Paste): string {
    const end = text.indexOf(END);
    const until = end >= 0 ? end : tornMark(text, END);
    paste.length += until;
    if (paste.length <= MOST_PASTED) paste.parts.push(text.slice(0, until));
    else paste.parts.length = 0;
    if (end < 0) {
      this.#carry = text.slice(until);
      return "";
    }
    this.#paste = undefined;
    if (paste.length > MOST_PASTED) this.#listener.onTooLong(paste.length);
    else this.#finish(paste.parts.join(""));
    return text.slice(end + END.length);
  }

  #finish(text: string): void {
    let left = 0;
    const clean = text.replace(/\r\n?/g, "\n").replace(CONTROL, () => {
      left += 1;
      return "";
    });
    this.#listener.onPaste(clean, left);
  }
}

/** Where a mark may begin at the end of a text; its length: nowhere. A single ESC is a key. */
function tornMark(text: string, mark: string): number {
  const least = mark === BEGIN ? 3 : 1;
  for (let length = Math.min(mark.length - 1, text.length); length >= least; length -= 1)
    if (text.endsWith(mark.slice(0, length))) return text.length - length;
  return text.length;
}

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

const MOST_KEPT = 200;
const LARGEST = 4 * 1024 * 1024;
const LONGEST = 20_000;

export interface History {
  /** Oldest first. */
  read(): Promise<readonly string[]>;
  /** Adds a line, which `save` writes: the disk must not delay the request that it is sent with. */
  add(text: string): Promise<void>;
  save(): Promise<void>;
}

/** Opens it in the folder of the sessions, which must exist when it is saved. */
export function openHistory(files: Files, folder: string, redact: Redact): History {
  const file = path.join(folder, "typed.json");
  let known: string[] | undefined;
  let isSaved = true;
  const read = async (): Promise<string[]> => (known ??= await readList(files, file));
  return {
    read,
    add: async (text) => {
      if (text.length > LONGEST) return;
      const kept = redact(text);
      const list = (await read()).filter((one) => one !== kept);
      known = [...list, kept].slice(-MOST_KEPT);
      isSaved = false;
    },
    save: async () => {
      if (isSaved || known === undefined) return;
      isSaved = true;
      await files.writeAtomic(file, `${JSON.stringify(known)}\n`, { mode: 0o600 });
    },
  };
}

/** A file that cannot be read is an empty history. */
async function readList(files: Files, file: string): Promise<string[]> {
  const stat = await files.stat(file, { link: true }).catch(() => undefined);
  if (stat?.kind !== "file" || stat.size > LARGEST) return [];
  const json = tryParseJson((await files.read(file)) ?? new Uint8Array());
  if (!json.ok || !Array.isArray(json.value)) return [];
  return json.value.filter((one): one is string => typeof one === "string");
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

/** Files whose name begins with what was typed come first, then those with it in their path. */
function fileItems(files: readonly string[], typed: string): AutocompleteItem[] {
  const wanted = typed.toLowerCase();
  const ranked = files
    .filter((file) => /^[^\s\u0000-\u001f]+$/.test(file))
    .map((file) => ({ file, rank: rankOf(file.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank < NOT_FOUND);
  ranked.sort((a, b) => a.rank - b.rank || a.file.length - b.file.length || (a.file < b.file ? -1 : 1));
  return ranked.slice(0, MOST).map(({ file }) => ({ value: `@${file}`, label: clean(file) }));
}

const NOT_FOUND = 4;

function rankOf(file: string, wanted: string): number {
  if (file.startsWith(wanted)) return 0;
  const name = file.slice(file.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 1;
  if (file.includes(wanted)) return 2;
  return isSpreadOver(file, wanted) ? 3 : NOT_FOUND;
}

function isSpreadOver(file: string, wanted: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    at = file.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

const MOST_ECHOED = 12;
const MOST_QUEUED = 3;

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
const MOST_LINES_SAID = 40;

/** The end of a conversation that is resumed, so that a person sees where it is. */
export function saidLines(
  said: readonly { role: "user" | "assistant"; text: string }[],
  screen: TalkScreen,
): string[] {
  const before = said.length - MOST_SAID;
  const lines = said.slice(-MOST_SAID).flatMap(({ role, text }) => {
    if (role === "user") return echoLines(text, screen);
    const block = markdownLines(text.trim(), screen.colours, screen.columns);
    const more = block.length - MOST_LINES_SAID;
    return ["", ...(more > 0 ? [screen.colours.dim("…")] : []), ...block.slice(-MOST_LINES_SAID)];
  });
  return before > 0 ? [screen.colours.dim(`… ${plural(before, "earlier message")}`), ...lines] : lines;
}

const KEYS: readonly (readonly [string, string])[] = [
  ["Enter", "send the message; while the model works, with its next request"],
  ["Ctrl-J", "begin a new line"],
  ["Up, Down", "recall earlier messages"],
  ["Tab", "complete a file after @, or a command after /"],
  ["Esc", "interrupt; what is queued is sent next"],
  ["Ctrl-C", "interrupt, then clear the editor, then end"],
  ["Ctrl-D", "end"],
  ["/exit", "end"],
  ["shot.png", "the path of an image in a message sends the image"],
];

/** The keys, which /help adds at a terminal. */
export function keyLines({ colours, columns }: TalkScreen): string[] {
  const width = Math.max(...KEYS.map(([key]) => key.length));
  return [
    "",
    colours.bold("Keys:"),
    ...KEYS.flatMap(([key, effect]) => hang(`${key.padEnd(width)}  ${effect}`, columns)),
  ];
}

export function queuedLines(queue: readonly string[], { colours, columns }: TalkScreen): string[] {
  const more = queue.length - MOST_QUEUED;
  return [
    ...queue
      .slice(0, MOST_QUEUED)
      .map((text) => colours.dim(cut(`queued: ${clean(text.slice(0, 500))}`, columns - 1))),
    ...(more > 0 ? [colours.dim(`and ${more} more`)] : []),
  ];
}

export function hintLines(
  {
    notice,
    question: open,
  }: { notice: string; question?: Pick<TalkQuestion, "question" | "mode"> & { isTyping: boolean } },
  { colours, columns }: TalkScreen,
): string[] {
  const lines = notice === "" ? [] : wrap(clean(notice), columns - 1).map((line) => colours.yellow(line));
  if (open === undefined) return lines;
  return [...lines, colours.bold(cut(questionHint(open, columns), columns - 1))];
}

function questionHint(
  { question, mode, isTyping }: Pick<TalkQuestion, "question" | "mode"> & { isTyping: boolean },
  columns: number,
): string {
  if (mode === "remark") return "Say why not: Enter sends it, Esc goes back";
  if (mode === "edit") return "Change the call: Enter runs it, Esc goes back";
  return isTyping
    ? "A call waits for you: Enter queues the message, then answer"
    : keysLine(question, columns);
}

/** The answer to a question, as it is printed. */
export function describeReply(reply: Reply): string {
  if (reply.verdict === "reject")
    return reply.remark === undefined ? "  refused" : `  refused: ${clean(reply.remark)}`;
  if (reply.args !== undefined) return "  allowed as edited";
  if (reply.edits === true) return "  every edit of the file is allowed for this session";
  return reply.always === true ? "  allowed for this session" : "  allowed";
}

/** How the question is answered: by a key, or with a text that is being typed. */
type QuestionMode = "keys" | "remark" | "edit";

export interface TalkQuestion {
  question: UserQuestion;
  mode: QuestionMode;
  answer(reply: Reply): void;
}

/** The answers that are possible beside yes and no. */
type Offer = Pick<UserQuestion, "mayRemember" | "edits">;

/** The keys for the answers that allow more than this call. */
export const MORE_KEYS = { always: "a", edits: "f" };

/** A key that answers, in a word and in more of them, and the answer. */
type AnswerKey = readonly [key: string, word: string, words: string, reply: Reply | "remark" | "edit"];

function keysFor({ mayRemember, edits }: Offer): readonly AnswerKey[] {
  const always: AnswerKey = [MORE_KEYS.always, "always", "always", { verdict: "approve", always: true }];
  const file: AnswerKey = [
    MORE_KEYS.edits,
    "file",
    "every edit of the file",
    { verdict: "approve", edits: true },
  ];
  return [
    ["y", "yes", "yes", { verdict: "approve" }],
    ["n", "no", "no", { verdict: "reject" }],
    ...(mayRemember ? [always] : []),
    ...(edits === undefined ? [] : [file]),
    ["e", "edit", "edit the call", "edit"],
    ["r", "remark", "no, with a remark", "remark"],
  ];
}

/** The meaning of a key; `undefined`: it is none of the keys that answer. */
export function answerOfKey(key: string, offer: Offer): AnswerKey[3] | undefined {
  return keysFor(offer).find(([one]) => one === key.toLowerCase())?.[3];
}

function keysLine(offer: Offer, columns: number): string {
  const keys = keysFor(offer);
  const long = `Allow this? ${keys.map(([key, , words]) => `${key} ${words}`).join(" · ")}`;
  const short = `Allow? ${keys.map(([key, word]) => `${key} ${word}`).join(" · ")}`;
  const least = `Allow? (${keys.map(([key]) => key).join("/")})`;
  return [long, short].find((line) => line.length < columns) ?? least;
}

/** The text to edit: the command itself, or the arguments as JSON. */
export function editableText({ args }: UserQuestion): string {
  return commandOf(args) ?? JSON.stringify(args, undefined, 2);
}

/** The call with the edited text, or why the text cannot be used. */
export function readEdited(text: string, { args }: UserQuestion): { reply: Reply } | { problem: string } {
  if (commandOf(args) !== undefined && typeof args === "object")
    return { reply: { verdict: "approve", args: { ...args, command: text } } };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { reply: { verdict: "approve", args: value } };
    return { problem: "the arguments must be a JSON object" };
  } catch (error) {
    return { problem: `not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function commandOf(args: unknown): string | undefined {
  return textField(args, "command");
}
