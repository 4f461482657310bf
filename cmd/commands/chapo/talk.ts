// A conversation at a terminal: text streams above, the editor stays below. Typing while the model works
// queues a message; Esc interrupts. Leaves the lines to src/ui/terminal/talk, and the editor to input.ts.
import { matchesKey, StdinBuffer } from "@mariozechner/pi-tui";
import type { ChapoEvent } from "../../../src/chapo/engine/events.js";
import type { ConversationOutcome } from "../../../src/chapo/engine/world.js";
import type { Chapo } from "../../../src/chapo/session/session-request.js";
import type { RawTerminal, TerminalListener } from "../../../src/system/processes/raw-terminal.js";
import { given } from "../../../src/system/given.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { describeCall, questionLines } from "../../../src/ui/terminal/lines/chapo-lines.js";
import { LiveRegion, type CursorPlace } from "../../../src/ui/terminal/talk/region.js";
import { TalkLines, type TalkScreen } from "../../../src/ui/terminal/talk/talk-lines.js";
import { clean, cut, wrap } from "../../../src/ui/text.js";
import { showCount } from "../../../src/ui/view/words/amounts.js";
import type { CommandContext, Signal } from "../../context/command-context.js";
import type { Reply, UserQuestion } from "../../../src/chapo/engine/calls/pending.js";
import { listProjectFiles } from "../../../src/chapo/tools/files/files-find.js";
import { toDefinitionPlace } from "../../../src/chapo/definitions.js";
import { listCommands } from "../../../src/chapo/prompt/commands.js";
import { nameOfUser } from "../../lookup/caller.js";
import {
  MORE_KEYS,
  MessageEditor,
  answerOfKey,
  answerOfText,
  completionsOf,
  describeReply,
  echoLines,
  editableText,
  questionHint,
  queuedLines,
  saidLines,
  type Completions,
  type TalkQuestion,
} from "./input.js";
import { openHere, type ChapoCall, type SessionListener } from "./site.js";

/** The parts that a conversation at a terminal is opened with. */
interface TalkPlace {
  context: CommandContext;
  terminal: RawTerminal;
  model: string;
  completions: Completions;
}

/** How it ended: with the last outcome, or by a signal. */
interface TalkEnd {
  outcome?: ConversationOutcome;
  signal?: Signal;
  /** The session that the person goes to. */
  next?: string;
}

const TICK_MS = 100;
/** The most characters of one paste: more would fill the model's window many times. */
const MOST_PASTED = 1_000_000;
/** A command of the person's own; not an image in Markdown. */
const TYPED = /^!(?!\[)\s*\S/u;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu;

/** The screen, the keys and the queue of one conversation. */
class Talk implements TerminalListener {
  readonly #region: LiveRegion;
  readonly #lines: TalkLines;
  readonly #editor: MessageEditor;
  readonly #input = new StdinBuffer({ timeout: 25 });
  readonly #colours;
  readonly #queue: string[] = [];
  #printed: string[] = [];
  #notice = "";
  #question: TalkQuestion | undefined;
  #turn: AbortController | undefined;
  #signal: Signal | undefined;
  #isOver = false;
  #chapo: Chapo | undefined;
  #wake: (() => void) | undefined;

  constructor(private readonly place: TalkPlace) {
    const { context, terminal, model, completions } = place;
    this.#colours = coloursFor(context.out.colour);
    const [columns, rows] = [() => context.out.columns(), () => context.out.rows()];
    this.#region = new LiveRegion({
      write: (text) => {
        terminal.write(text);
      },
      columns,
      rows,
    });
    this.#lines = new TalkLines(model);
    this.#editor = new MessageEditor({
      rows,
      colours: this.#colours,
      completions: completionsOf(completions),
      onChange: () => {
        this.#draw();
      },
      onSubmit: (text) => {
        this.#submitted(text);
      },
    });
    this.#input.on("data", (key) => {
      this.#typed(key);
    });
    this.#input.on("paste", (text) => {
      this.#pasted(text);
    });
  }

  /** Takes the keys and the signals; what is typed before a session is open is queued. */
  start(): void {
    const { context, terminal } = this.place;
    context.onSignal((signal) => this.#signalled(signal));
    terminal.listen(this);
  }

  onInput(text: string): void {
    this.#input.process(text);
  }

  onResize(): void {
    this.#region.resized();
    this.#draw();
  }

  onClosed(): void {
    this.#signalled("SIGHUP");
  }

  /** Sends the message, or those that are typed, until the person ends it or nothing is left to send. */
  async run(chapo: Chapo, message: string | undefined): Promise<TalkEnd> {
    const ticker = this.place.context.ports.clock.every(TICK_MS, () => {
      if (this.#turn !== undefined) this.#draw();
    });
    this.#chapo = chapo;
    this.#lines.begin(chapo.conversation.usage);
    if (message === undefined) this.#greet(chapo);
    else this.#queue.push(message);
    try {
      return await this.#converse(chapo, message !== undefined);
    } finally {
      ticker.cancel();
    }
  }

  /** Names the session, and shows where a resumed one is. */
  #greet(chapo: Chapo): void {
    this.print([this.#colours.dim(`session ${chapo.id} · /help · Ctrl-D ends`)]);
    this.print(saidLines(chapo.conversation, this.#screen()));
  }

  add(event: ChapoEvent): void {
    this.print(this.#lines.take(event, this.#screen()));
  }

  /** Takes the queued messages for the turn in progress; commands wait for its end. */
  takeMessages(): readonly string[] {
    const end = this.#queue.findIndex((text) => text.startsWith("/") || TYPED.test(text));
    const taken = this.#queue.splice(0, end < 0 ? this.#queue.length : end);
    for (const text of taken) this.print(echoLines(text, this.#screen()));
    return taken;
  }

  /** Prints lines above the editor. */
  print(lines: readonly string[]): void {
    this.#printed.push(...lines);
    this.#draw();
  }

  warn(text: string): void {
    this.print(wrap(clean(text), this.#screen().columns).map(this.#colours.yellow));
  }

  /** Asks before a call; one key answers. */
  ask(question: UserQuestion): Promise<Reply> {
    const { context } = this.place;
    return new Promise((resolve) => {
      const answer = (reply: Reply): void => {
        if (this.#question === undefined) return;
        this.#question = undefined;
        const what = `${question.tool}${describeCall(question.args)}`;
        this.#lines.setBusy(what, context.ports.clock.now());
        this.print([this.#colours.dim(describeReply(reply))]);
        resolve(reply);
      };
      this.#lines.setBusy(undefined, 0);
      this.#question = { question, mode: "keys", answer };
      this.print(questionLines(question, this.#screen(), MORE_KEYS));
    });
  }

  /** Puts the terminal back. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.destroy();
    this.#region.clear();
    for (const line of this.#printed) this.place.terminal.write(`${line}\r\n`);
    this.place.terminal.close();
  }
  #isClosed = false;

  async #converse(chapo: Chapo, once: boolean): Promise<TalkEnd> {
    let outcome: ConversationOutcome | undefined;
    if (chapo.conversation.pending !== undefined) await this.#work((signal) => chapo.proceed(signal));
    while (!this.#isOver) {
      const next = this.#queue.shift();
      if (next === undefined) {
        if (once && outcome !== undefined) break;
        this.#draw();
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
        continue;
      }
      this.print(echoLines(next, this.#screen()));
      if (TYPED.test(next)) {
        await this.#work((signal) => chapo.runTyped(next.slice(1).trim(), signal));
        continue;
      }
      const named = /^\/resume\s+(\S+)\s*$/.exec(next)?.[1];
      if (named !== undefined) {
        const others = await chapo.others();
        const found = others[Number(named) - 1] ?? others.find(({ id }) => id === named);
        if (found !== undefined) return { next: found.id };
        this.warn(`there is no session ${named}; /resume lists them`);
        continue;
      }
      outcome = await this.#work((signal) => chapo.send(next, signal));
    }
    return { ...given({ outcome, signal: this.#signal }) };
  }

  async #work<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const turn = new AbortController();
    this.#turn = turn;
    this.#signal = undefined;
    this.#lines.setBusy("thinking", this.place.context.ports.clock.now());
    this.#draw();
    try {
      return await work(turn.signal);
    } finally {
      this.#turn = undefined;
      this.#lines.setBusy(undefined, 0);
      this.#draw();
    }
  }

  #submitted(text: string): void {
    const open = this.#question;
    if (open !== undefined && open.mode !== "keys") this.#answeredWith(text, open);
    else if (text.trim() !== "") this.#say(text);
    this.#draw();
  }

  #answeredWith(text: string, open: TalkQuestion): void {
    const reply = answerOfText(text, open);
    if (typeof reply === "object") open.answer(reply);
    else {
      this.#notice = reply;
      this.#editor.setText(text);
    }
  }

  #say(text: string): void {
    this.#editor.remember(text);
    if (/^\/(?:exit|quit)\s*$/.test(text)) this.#end();
    else this.#queue.push(text);
    this.#wake?.();
  }

  #typed(key: string): void {
    this.#notice = "";
    if (matchesKey(key, "ctrl+c")) this.#interrupted();
    else if (matchesKey(key, "shift+tab")) this.#changeMode();
    else if (matchesKey(key, "ctrl+o")) this.print(this.#lines.wholeOutput(this.#screen()));
    else if (matchesKey(key, "ctrl+d") && this.#editor.text === "") this.#end();
    else if (matchesKey(key, "escape") && !this.#editor.isCompleting) this.#escaped(key);
    else if (this.#question?.mode === "keys" && this.#editor.text === "") this.#answered(key, this.#question);
    else this.#editor.key(key);
    this.#draw();
  }

  /** The call that waits is asked about all the same. */
  #changeMode(): void {
    const chapo = this.#chapo;
    if (chapo === undefined) return;
    const next = chapo.modes[(chapo.modes.indexOf(chapo.mode()) + 1) % chapo.modes.length];
    if (next !== undefined)
      void chapo.setMode(next).then(() => {
        this.#draw();
      });
  }

  #answered(key: string, open: TalkQuestion): void {
    const reply = answerOfKey(key, open.question);
    if (typeof reply === "object") open.answer(reply);
    else if (reply !== undefined) {
      open.mode = reply;
      if (reply === "edit") this.#editor.setText(editableText(open.question));
    }
  }

  /** Esc leaves a remark or an edit; else it ends the turn, and what is queued is sent next. */
  #escaped(key: string): void {
    const open = this.#question;
    if (open !== undefined && open.mode !== "keys") {
      open.mode = "keys";
      this.#editor.setText("");
    } else if (this.#turn === undefined) this.#editor.key(key);
    else this.#stopTurn();
  }

  /** Ctrl-C ends the turn, then clears the editor, then ends the conversation. */
  #interrupted(): void {
    if (this.#turn !== undefined) {
      const waiting = this.#queue.splice(0);
      if (waiting.length > 0) this.#editor.setText([...waiting, this.#editor.text].join("\n").trimEnd());
      this.#signal = "SIGINT";
      this.#stopTurn();
    } else if (this.#editor.text !== "") this.#editor.setText("");
    else this.#end();
  }

  #stopTurn(): void {
    const open = this.#question;
    this.#turn?.abort();
    open?.answer({ verdict: "reject" });
  }

  #signalled(signal: Signal): boolean {
    if (signal === "SIGINT" && this.#turn !== undefined && this.#signal === undefined) {
      this.#interrupted();
      return true;
    }
    if (this.#isOver) return false;
    this.#signal = signal;
    this.#stopTurn();
    this.#end();
    return true;
  }

  #end(): void {
    this.#isOver = true;
    this.#stopTurn();
    this.#wake?.();
  }

  /** A pasted text is never the answer to a question. */
  #pasted(text: string): void {
    if (text.length <= MOST_PASTED) this.#editor.paste(text.replace(/\r\n?/g, "\n").replace(CONTROL, ""));
    else
      this.#notice = `what you pasted has ${showCount(text.length)} characters, at most ${showCount(MOST_PASTED)} fit: put it into a file and name it with @`;
    this.#draw();
  }

  #screen(): TalkScreen {
    return { colours: this.#colours, columns: Math.max(10, this.place.context.out.columns()) };
  }

  #draw(): void {
    if (this.#isClosed) return;
    const screen = this.#screen();
    const now = this.place.context.ports.clock.now();
    const above = [
      ...this.#lines.live(now, screen),
      ...queuedLines(this.#queue, screen),
      ...this.#hints(screen),
    ];
    const asksForKey = this.#question?.mode === "keys" && this.#editor.text === "";
    const { lines, cursor } = asksForKey
      ? { lines: [], cursor: undefined }
      : this.#editor.render(screen.columns);
    const place: CursorPlace | undefined =
      cursor === undefined ? undefined : { line: above.length + cursor.line, column: cursor.column };
    const printed = this.#printed;
    this.#printed = [];
    this.#region.draw(
      printed,
      [...above, ...lines, this.#lines.footer(screen, this.#chapo?.mode() ?? "")],
      place,
    );
  }

  #hints({ colours, columns }: TalkScreen): string[] {
    const open = this.#question;
    const notice =
      this.#notice === "" ? [] : wrap(this.#notice, columns - 1).map((line) => colours.yellow(line));
    if (open === undefined) return notice;
    const hint = questionHint(open, this.#editor.text !== "");
    return [...notice, colours.bold(cut(hint, columns - 1))];
  }
}

/** A command of the terminal alone. */
const EXIT = { name: "exit", description: "end the conversation" };
/** How long a list of files is offered before it is read again, in ms. */
const FRESH_MS = 5_000;

/** Opens the session, and talks until the person ends it; or until `message` is answered. */
export async function talkHere(
  call: ChapoCall,
  model: string,
  message: string | undefined,
): Promise<TalkEnd> {
  const { context, site } = call;
  const { ports, home, env } = context;
  const place = { files: ports.files, root: site.project.folder };
  const commands = await listCommands(toDefinitionPlace({ ports, root: place.root, home, env }));
  const terminal = await context.openTerminal();
  const talk = new Talk({
    context,
    terminal,
    model,
    completions: { commands: [...commands, EXIT], files: createFileList(context, place) },
  });
  try {
    talk.start();
    let resume = call.request.session;
    let first = message;
    for (;;) {
      const chapo = await openHere(call, { model, resume }, listenerOf(call, talk));
      try {
        const end = await talk.run(chapo, first);
        if (end.next === undefined) return end;
        resume = end.next;
        first = undefined;
      } finally {
        await chapo.close();
      }
    }
  } finally {
    talk.close();
  }
}

function listenerOf({ context, site }: ChapoCall, talk: Talk): SessionListener {
  return {
    ask: async (question) => ({
      ...(await talk.ask(question)),
      by: nameOfUser(context.env),
      via: "terminal" as const,
    }),
    takeMessages: () => talk.takeMessages(),
    onEvent: (event) => {
      talk.add(event);
    },
    onWarning: (text) => {
      talk.warn(`looper: ${site.redact(text)}`);
    },
  };
}

function createFileList({ ports }: CommandContext, place: Parameters<typeof listProjectFiles>[0]) {
  let known: { files: readonly string[]; at: number } | undefined;
  return async () => {
    const now = ports.clock.now();
    if (known !== undefined && now - known.at < FRESH_MS) return known.files;
    const listed = await listProjectFiles(place, "").catch(() => []);
    known = { files: listed.map(({ path }) => path), at: now };
    return known.files;
  };
}
