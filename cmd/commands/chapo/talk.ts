// A conversation at a terminal: text streams above, the editor stays below. Typing while the model works queues a message; Esc
// interrupts. Leaves the lines to src/ui/terminal/talk, the editing to editor.ts, and the work to src/chapo.
import { matchesKey } from "@mariozechner/pi-tui";
import type { ChapoEvent } from "../../../src/chapo/engine/events.js";
import type { ConversationOutcome } from "../../../src/chapo/engine/world.js";
import type { Chapo } from "../../../src/chapo/session/session-request.js";
import type { RawTerminal, TerminalListener } from "../../../src/system/processes/raw-terminal.js";
import { given } from "../../../src/system/given.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { describeCall, questionLines } from "../../../src/ui/terminal/lines/chapo-lines.js";
import { LiveRegion, type CursorPlace } from "../../../src/ui/terminal/talk/region.js";
import { TalkLines, type TalkScreen } from "../../../src/ui/terminal/talk/talk-lines.js";
import { clean, wrap } from "../../../src/ui/text.js";
import { plural, showCount } from "../../../src/ui/view/words/amounts.js";
import type { CommandContext, Signal } from "../../context/command-context.js";
import type { Reply, UserQuestion } from "../../../src/chapo/engine/calls/pending.js";
import { listProjectFiles } from "../../../src/chapo/tools/files/files-find.js";
import { toDefinitionPlace } from "../../../src/chapo/definitions.js";
import { listCommands } from "../../../src/chapo/prompt/commands.js";
import { UserError } from "../../../src/system/errors.js";
import { nameOfUser } from "../../lookup/name-of-user.js";
import {
  InputReader,
  MORE_KEYS,
  MOST_PASTED,
  MessageEditor,
  answerOfKey,
  completionsOf,
  describeReply,
  echoLines,
  editableText,
  hintLines,
  keyLines,
  openHistory,
  queuedLines,
  readEdited,
  saidLines,
  type Completions,
  type History,
  type InputListener,
  type TalkQuestion,
} from "./input.js";
import { openHere, type ChapoCall, type SessionListener } from "./site.js";

/** The parts that a conversation at a terminal is opened with. */
interface TalkPlace {
  context: CommandContext;
  terminal: RawTerminal;
  model: string;
  history: History;
  completions: Completions;
}

/** How it ended: with the last outcome, or by a signal. */
interface TalkEnd {
  outcome?: ConversationOutcome;
  signal?: Signal;
  /** The session that the person wants to go to. */
  resume?: string;
}

const TICK_MS = 100;

/** The screen, the keys and the queue of one conversation. */
class Talk implements InputListener, TerminalListener {
  readonly #place: TalkPlace;
  readonly #region: LiveRegion;
  readonly #lines: TalkLines;
  readonly #editor: MessageEditor;
  readonly #input: InputReader;
  readonly #colours;
  readonly #queue: string[] = [];
  #printed: string[] = [];
  #notice = "";
  #question: TalkQuestion | undefined;
  /** The text in the editor before a remark or an edit. */
  #draft = "";
  #turn: AbortController | undefined;
  #signal: Signal | undefined;
  #isOver = false;
  #resume: string | undefined;
  #wake: (() => void) | undefined;

  constructor(place: TalkPlace) {
    const { context, terminal, model, completions } = place;
    this.#place = place;
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
    this.#input = new InputReader(this);
  }

  /** Takes the keys and the signals; what is typed before a session is open is queued. */
  async start(): Promise<void> {
    const { context, terminal, history } = this.#place;
    for (const typed of await history.read()) this.#editor.remember(typed);
    context.onSignal((signal) => this.#signalled(signal));
    terminal.listen(this);
  }

  onInput(text: string): void {
    this.#input.take(text);
  }

  onResize(): void {
    this.#region.resized();
    this.#draw();
  }

  onClosed(): void {
    this.#signalled("SIGHUP");
  }

  /** Sends the message, or those that are typed; resolves when the person ends it, or when `message` and the queue are done. */
  async run(chapo: Chapo, message: string | undefined): Promise<TalkEnd> {
    const ticker = this.#place.context.ports.clock.every(TICK_MS, () => {
      if (this.#turn !== undefined) this.#draw();
    });
    this.#isOver = false;
    this.#resume = undefined;
    this.#lines.begin(chapo.usage());
    if (message === undefined) this.#greet(chapo);
    else this.#queue.push(message);
    try {
      return await this.#converse(chapo, message !== undefined);
    } finally {
      ticker.cancel();
      await this.#saveHistory();
    }
  }

  /** Names the session, and shows where a resumed one is; once for each session. */
  #greet(chapo: Chapo): void {
    this.print([this.#colours.dim(`session ${chapo.id} · /help · Ctrl-D ends`)]);
    if (this.#greeted !== chapo.id) this.print(saidLines(chapo.said(), this.#screen()));
    this.#greeted = chapo.id;
  }
  #greeted = "";

  add(event: ChapoEvent): void {
    this.print(this.#lines.take(event, this.#screen()));
  }

  /** Takes the queued messages for the turn in progress; commands wait for its end. */
  takeMessages(): readonly string[] {
    const end = this.#queue.findIndex((text) => text.startsWith("/"));
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
    const { context } = this.#place;
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
    this.#input.close();
    this.#region.clear();
    for (const line of this.#printed) this.#place.terminal.write(`${line}\r\n`);
    this.#place.terminal.close();
  }
  #isClosed = false;

  async #converse(chapo: Chapo, once: boolean): Promise<TalkEnd> {
    let outcome: ConversationOutcome | undefined;
    if (chapo.pending() !== undefined) await this.#work((signal) => chapo.proceed(signal));
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
      outcome = await this.#work((signal) => chapo.send(next, signal));
      if (next.trim() === "/help") this.print(keyLines(this.#screen()));
    }
    return { ...given({ outcome, signal: this.#signal, resume: this.#resume }) };
  }

  async #work(work: (signal: AbortSignal) => Promise<ConversationOutcome>): Promise<ConversationOutcome> {
    const turn = new AbortController();
    this.#turn = turn;
    this.#signal = undefined;
    this.#lines.setBusy("thinking", this.#place.context.ports.clock.now());
    this.#draw();
    try {
      return await work(turn.signal);
    } finally {
      this.#turn = undefined;
      this.#lines.setBusy(undefined, 0);
      this.#draw();
      void this.#saveHistory();
    }
  }

  /** A history that cannot be written is not worth an error. */
  #saveHistory(): Promise<void> {
    return this.#place.history.save().catch(() => undefined);
  }

  #submitted(text: string): void {
    const open = this.#question;
    if (open !== undefined && open.mode !== "keys") this.#answerWithText(open, text);
    else if (text.trim() !== "") this.#say(text);
    this.#draw();
  }

  #say(text: string): void {
    this.#editor.remember(text);
    void this.#place.history.add(text).catch(() => undefined);
    const [, session] = /^\/resume\s+(\S+)\s*$/.exec(text) ?? [];
    if (/^\/(?:exit|quit)\s*$/.test(text)) this.#end();
    else if (session !== undefined && this.#turn === undefined) {
      this.#resume = session;
      this.#end();
    } else this.#queue.push(text);
    this.#wake?.();
  }

  #answerWithText(open: TalkQuestion, text: string): void {
    const read =
      open.mode === "remark"
        ? { reply: { verdict: "reject" as const, ...(text.trim() === "" ? {} : { remark: text.trim() }) } }
        : readEdited(text, open.question);
    if ("problem" in read) {
      this.#notice = read.problem;
      this.#editor.setText(text);
      return;
    }
    this.#editor.setText(this.#draft);
    open.answer(read.reply);
  }

  onKey(key: string): void {
    this.#notice = "";
    if (matchesKey(key, "ctrl+c")) this.#interrupted();
    else if (matchesKey(key, "ctrl+d") && this.#editor.text === "") this.#end();
    else if (matchesKey(key, "escape") && !this.#editor.isCompleting) this.#escaped(key);
    else if (this.#question?.mode === "keys" && this.#editor.text === "") this.#answered(key, this.#question);
    else this.#editor.key(key);
    this.#draw();
  }

  #answered(key: string, open: TalkQuestion): void {
    const reply = answerOfKey(key, open.question);
    if (reply === undefined) return;
    if (typeof reply === "object") {
      open.answer(reply);
      return;
    }
    open.mode = reply;
    this.#draft = "";
    if (reply === "edit") this.#editor.setText(editableText(open.question));
  }

  /** Esc leaves a remark or an edit; else it ends the turn, and what is queued is sent next. */
  #escaped(key: string): void {
    const open = this.#question;
    if (open !== undefined && open.mode !== "keys") {
      open.mode = "keys";
      this.#editor.setText(this.#draft);
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

  onTooLong(characters: number): void {
    this.#notice = `what you pasted has ${showCount(characters)} characters, at most ${showCount(MOST_PASTED)} fit: put it into a file and name it with @`;
    this.#draw();
  }

  onPaste(text: string, left: number): void {
    const broken = text.split("\ufffd").length - 1;
    this.#notice = [
      left === 0 ? "" : `${plural(left, "control character")} left out of what you pasted`,
      broken === 0
        ? ""
        : `${plural(broken, "place")} of what you pasted ${broken === 1 ? "is" : "are"} not valid UTF-8`,
    ]
      .filter((part) => part !== "")
      .join("; ");
    // A pasted text is never the answer to a question.
    if (text !== "") this.#editor.paste(text);
    this.#draw();
  }

  #screen(): TalkScreen {
    return { colours: this.#colours, columns: Math.max(10, this.#place.context.out.columns()) };
  }

  #draw(): void {
    if (this.#isClosed) return;
    const screen = this.#screen();
    const now = this.#place.context.ports.clock.now();
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
    this.#region.draw(printed, [...above, ...lines, this.#lines.footer(screen)], place);
  }

  #hints(screen: TalkScreen): string[] {
    const open = this.#question;
    const question = open === undefined ? {} : { question: { ...open, isTyping: this.#editor.text !== "" } };
    return hintLines({ notice: this.#notice, ...question }, screen);
  }
}

/** A command of the terminal alone. */
const EXIT = { name: "exit", description: "end the conversation" };
/** How long a list of files is offered before it is read again, in ms. */
const FRESH_MS = 5_000;

/** Opens sessions, and talks until the person ends it; or until `message` is answered. */
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
    history: openHistory(ports.files, site.sessionsFolder, site.redact),
    completions: { commands: [...commands, EXIT], files: createFileList(context, place) },
  });
  const open = (resume: string | undefined): Promise<Chapo> =>
    openHere(call, { model, resume }, listenerOf(call, talk));
  try {
    await talk.start();
    let chapo = await open(call.request.session);
    for (;;) {
      const end = await converse(talk, chapo, message);
      if (end.resume === undefined) return end;
      const next = await openOther(talk, end.resume, open);
      chapo = next ?? (await open(chapo.id));
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

async function converse(talk: Talk, chapo: Chapo, message: string | undefined): Promise<TalkEnd> {
  try {
    return await talk.run(chapo, message);
  } finally {
    await chapo.close();
  }
}

/** Opens another session; one that cannot be opened is a message, and the conversation continues in the one before. */
async function openOther(
  talk: Talk,
  id: string,
  open: (id: string) => Promise<Chapo>,
): Promise<Chapo | undefined> {
  try {
    return await open(id);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    talk.warn(error.message);
    return undefined;
  }
}

function createFileList(
  { ports }: CommandContext,
  place: Parameters<typeof listProjectFiles>[0],
): () => Promise<readonly string[]> {
  let known: { files: readonly string[]; at: number } | undefined;
  return async () => {
    const now = ports.clock.now();
    if (known !== undefined && now - known.at < FRESH_MS) return known.files;
    const listed = await listProjectFiles(place, "").catch(() => []);
    known = { files: listed.map(({ path }) => path), at: now };
    return known.files;
  };
}
