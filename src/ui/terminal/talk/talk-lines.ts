// The lines of a conversation at a terminal: lines that are printed once, in the order of the events, and the lines that change in
// place below them. Each text is shown once, as it comes. Pure. Leaves drawing to region.ts.
import type { Conversation } from "../../../chapo/engine/conversation.js";
import type { ChapoEvent } from "../../../chapo/engine/events.js";
import { cut, clean, hang, showExactly } from "../../text.js";
import { showDuration, showSpent } from "../../view/words/amounts.js";
import { blockLines, describeCall, openChapoLines, type ChapoScreen } from "../lines/chapo-lines.js";
import { diffLines } from "./diff-lines.js";
import { styleRows, type MarkdownState, type TextRow, toRows } from "./markdown.js";

// Text of a model in lines of the terminal's width while it still comes: a line that cannot change any more is
// printed, the last one is shown in place.

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

/** A terminal's width is known. */
export type TalkScreen = ChapoScreen & { columns: number };

/** The call that runs now, and since when (epoch ms). */
interface Busy {
  what: string;
  since: number;
}

type Of<T extends ChapoEvent["type"]> = Extract<ChapoEvent, { type: T }>;

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
/** The calls whose whole results can be shown. */
const MOST_OUTPUTS = 20;

/** The lines of one conversation. */
export class TalkLines {
  readonly #lines = openChapoLines();
  readonly #stream = new StreamLines();
  readonly #thoughts = new StreamLines();
  /** The effect of the printed rows of the text in progress on the next ones. */
  #markdown: MarkdownState = {};
  #model: string;
  /** The text of the request in progress. */
  #text = "";
  #request = 0;
  /** The last text of the model that was printed whole. */
  #shown = "";
  #busy: Busy | undefined;
  /** Calls whose diff was shown with the question. */
  readonly #asked = new Set<string>();
  #spent = { tokens: 0, cost: 0, priced: 0, unpriced: 0 };
  /** The last calls with their whole results, the newest last. */
  readonly #outputs: { call: string; output: string }[] = [];
  readonly #called = new Map<string, string>();
  /** How many of them were shown since the last call. */
  #back = 0;
  #window: { used: number; limit: number } | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  /** Begins with what a session cost so far. */
  begin(usage: Conversation["usage"]): void {
    const { input_tokens: input, output_tokens: output, cached_input_tokens: cached, cost_usd: cost } = usage;
    this.#spent = {
      tokens: input + output + cached,
      cost,
      priced: cost > 0 ? 1 : 0,
      unpriced: usage.unpriced,
    };
    this.#window = undefined;
  }

  /** The lines that an event prints. */
  take(event: ChapoEvent, screen: TalkScreen): string[] {
    this.#note(event);
    if (event.type === "thought") return event.child === undefined ? this.#thought(event, screen) : [];
    return [...this.#finishThoughts(screen), ...this.#lineOf(event, screen)];
  }

  #lineOf(event: ChapoEvent, screen: TalkScreen): string[] {
    switch (event.type) {
      case "delta":
        return event.child === undefined ? this.#delta(event, screen) : [];
      case "message":
        return event.child === undefined ? this.#message(event.data.text, screen) : [];
      case "retry":
        return this.#retry(event, screen);
      case "answer":
        return this.#end(event.data.answer, screen);
      case "clarify":
        return this.#end(event.data.question, screen);
      case "error": {
        const rest = this.#finishText(screen);
        if (event.data.reason === "interrupted") return [...rest, screen.colours.yellow("interrupted")];
        return [...rest, ...this.#lines(event, screen)];
      }
      case "validation":
        // A draft that passed needs no word.
        return event.data.issues.length === 0 ? [] : this.#lines(event, screen);
      case "tool_result":
        return [...this.#lines(event, screen), ...this.#diff(event, screen)];
      default:
        return this.#lines(event, screen);
    }
  }

  /** The lines that change in place: the text that is being written, and what runs for how long. */
  live(now: number, screen: TalkScreen): string[] {
    const text = [
      ...this.#thoughts.tail(screen.columns - THOUGHT.length).map(thoughtLine(screen)),
      ...styleRows(this.#stream.tail(screen.columns), this.#markdown, screen.colours).lines,
    ];
    if (this.#busy === undefined) return text;
    const { what, since } = this.#busy;
    const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? "";
    const time = showSeconds(now - since);
    // The time and the way out stay, however long the call is.
    const end = ` · ${time} · Esc interrupts`;
    const line = `${frame} ${cut(what, Math.max(8, screen.columns - 3 - end.length))}${end}`;
    return [...text, screen.colours.cyan(cut(line, screen.columns - 1))];
  }

  /** The whole result of the last call, then of the one before it, and so on. */
  wholeOutput({ colours, columns }: TalkScreen): string[] {
    const found = this.#outputs.at(-1 - this.#back);
    this.#back = found === undefined ? 0 : this.#back + 1;
    if (found === undefined) return [colours.dim("  no call before it")];
    const lines = showExactly(found.output).flatMap((line) =>
      hang(line.replaceAll("\t", "    "), Math.max(10, columns - 4)),
    );
    return [
      "",
      cut(`• ${clean(found.call)}`, columns - 1),
      ...lines.map((line) => colours.dim(`    ${line}`)),
    ];
  }

  /** The last line: mode, model, tokens, share of the window, dollars. */
  footer({ colours, columns }: TalkScreen, mode: string): string {
    const { tokens, cost, priced, unpriced } = this.#spent;
    const known = priced > 0 ? { cost, ...(unpriced > 0 ? { partly: true as const } : {}) } : {};
    const window =
      this.#window === undefined
        ? ""
        : `${Math.round((100 * this.#window.used) / this.#window.limit)}% of window`;
    // The key is named until there is more to show.
    const parts = [
      tokens === 0 ? `${mode} (Shift-Tab)` : mode,
      clean(this.#model),
      showSpent({ tokens, ...known }),
      window,
    ].filter((part) => part !== "");
    return colours.dim(cut(parts.join(" · "), columns - 1));
  }

  /** The call that runs; `undefined`: nothing. */
  setBusy(what: string | undefined, now: number): void {
    this.#busy = what === undefined ? undefined : { what: clean(what), since: now };
  }

  #note(event: ChapoEvent): void {
    const now = Date.parse(event.timestamp);
    switch (event.type) {
      case "thinking":
        this.#window = event.data.tokenUsage;
        this.setBusy("thinking", now);
        return;
      case "tool_call": {
        const call = `${event.data.tool}${describeCall(event.data.args)}`;
        this.#called.set(event.data.callId, call);
        this.setBusy(call, now);
        return;
      }
      case "tool_result": {
        const { callId, output } = event.data;
        this.#outputs.push({ call: this.#called.get(callId) ?? "", output });
        if (this.#outputs.length > MOST_OUTPUTS) this.#outputs.shift();
        this.#called.delete(callId);
        this.#back = 0;
        this.setBusy("thinking", now);
        return;
      }
      case "action_pending":
        this.#asked.add(event.data.callId);
        return;
      case "usage": {
        const { input_tokens: input, output_tokens: output, cached_input_tokens: cached } = event.data;
        if (event.data.who === "looper") this.#model = event.data.model;
        this.#spent.tokens += input + output + cached;
        if (event.data.cost_usd === undefined) this.#spent.unpriced += 1;
        else {
          this.#spent.cost += event.data.cost_usd;
          this.#spent.priced += 1;
        }
        return;
      }
      default:
    }
  }

  #delta({ data: { request, text } }: Of<"delta">, screen: TalkScreen): string[] {
    if (request !== this.#request) this.#text = "";
    this.#request = request;
    this.#text += text;
    const isFirst = !this.#stream.began;
    const lines = this.#style(this.#stream.take(text, screen.columns), screen);
    return isFirst && this.#hasText() ? ["", ...lines] : lines;
  }

  /** The model's thinking is dimmed, and marked for a terminal without colour. */
  #thought({ data: { text } }: Of<"thought">, screen: TalkScreen): string[] {
    const isFirst = !this.#thoughts.began;
    const lines = this.#thoughts.take(text, screen.columns - THOUGHT.length).map(thoughtLine(screen));
    return isFirst && this.#hasThoughts() ? ["", ...lines] : lines;
  }

  #hasThoughts(): boolean {
    return this.#thoughts.began;
  }

  #finishThoughts(screen: TalkScreen): string[] {
    return this.#thoughts.end(screen.columns - THOUGHT.length).map(thoughtLine(screen));
  }

  #hasText(): boolean {
    return this.#stream.began;
  }

  #message(text: string, screen: TalkScreen): string[] {
    const wasStreamed = this.#text.trim() === text.trim();
    const rest = this.#finishText(screen);
    this.#shown = text.trim();
    return wasStreamed ? rest : [...rest, "", ...blockLines(text, screen)];
  }

  #retry({ data: { failed } }: Of<"retry">, screen: TalkScreen): string[] {
    if (failed !== this.#request || !this.#stream.began) return [];
    return [
      ...this.#finishText(screen),
      screen.colours.yellow("  (the text above is void: it begins again)"),
    ];
  }

  #end(text: string, screen: TalkScreen): string[] {
    const rest = this.#finishText(screen);
    const wasShown = this.#shown === text.trim();
    this.#shown = "";
    return wasShown ? rest : [...rest, "", ...blockLines(text, screen)];
  }

  #finishText(screen: TalkScreen): string[] {
    this.#text = "";
    const lines = this.#style(this.#stream.end(screen.columns), screen);
    this.#markdown = {};
    return lines;
  }

  #style(rows: readonly TextRow[], { colours }: TalkScreen): string[] {
    const { lines, state } = styleRows(rows, this.#markdown, colours);
    this.#markdown = state;
    return lines;
  }

  #diff({ data }: Of<"tool_result">, screen: TalkScreen): string[] {
    const wasShown = this.#asked.delete(data.callId);
    const { diff } = data;
    return diff === undefined || wasShown ? [] : diffLines(diff, screen);
  }
}

/** Before each line of the model's thinking. */
const THOUGHT = "┆ ";

function thoughtLine({ colours }: TalkScreen): (row: TextRow) => string {
  return ({ text }) => colours.dim(`${THOUGHT}${text}`);
}

/** Whole seconds, so that the line changes once a second. */
function showSeconds(ms: number): string {
  return ms < 10_000 ? `${Math.floor(Math.max(0, ms) / 1000)}s` : showDuration(ms);
}
