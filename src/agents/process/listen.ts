// Takes the output of a process: passes lines to the reader, and events to the listener, in order and with backpressure.
// Secrets are removed here, before any text is cut: half a key would not be recognised as one.
import { errorMessage } from "../../system/errors.js";
import type { Clock } from "../../system/ports.js";
import type { Price } from "../../config/read/prices.js";
import { given } from "../../system/given.js";
import type { AgentContext, AgentEvent, Used } from "../agent.js";
import { boundEvent } from "./bounds.js";
import { extractReport } from "../extract.js";
import { addCost, addUsed, NOTHING_USED, tokensOf } from "../usage.js";
import { maskKeyLines, redactValue } from "../../system/text/secrets/redact.js";
import { splitLines } from "./lines.js";
import type { FailureFacts } from "../limits/limit-facts.js";
import type { Closing, Reader } from "../limits/reader.js";
import type { LimitedUse } from "./stopped.js";

// Counts an attempt's turns from its events.

/** A turn is what the model says and does until results come back; the next begins with what it does then. */
interface Turns {
  count: number;
  /** Results came back: what the model does next begins a turn. */
  answered: boolean;
  /** Commands that were begun, of which the end was not told yet. */
  begun: number;
}

export const NO_TURNS: Turns = { count: 0, answered: true, begun: 0 };

/** With one event more. The turns of agents it started are their own. */
export function countTurns(turns: Turns, event: AgentEvent): Turns {
  if ("parent" in event) return turns;
  if (event.type === "tool_result") return { ...turns, answered: true };
  if (event.type === "command" && isOver(event)) return endCommand(turns);
  if (!isWork(event)) return turns;
  return {
    count: turns.count + (turns.answered ? 1 : 0),
    answered: false,
    begun: turns.begun + (event.type === "command" ? 1 : 0),
  };
}

/** Mostly a command is told twice, as it begins and when it is over; some clients tell of it only then. */
function endCommand({ count, answered, begun }: Turns): Turns {
  const unheard = begun === 0 && answered;
  return { count: count + (unheard ? 1 : 0), answered: true, begun: Math.max(0, begun - 1) };
}

/** Whether a command has ended. */
export function isOver({ exit_code, duration_ms }: Extract<AgentEvent, { type: "command" }>): boolean {
  return exit_code !== undefined || duration_ms !== undefined;
}

function isWork(event: AgentEvent): boolean {
  if (event.type === "message") return event.role === "assistant" || event.role === "reasoning";
  return event.type === "tool_use" || event.type === "command";
}

const STDERR_TAIL = 16 * 1024;
const MAX_STDERR_LINE = 1024 * 1024;
/** Fields that are never redacted: they tell events apart, and link the two ends of a tool's use. */
const KEPT = new Set(["type", "reason", "id"]);

export interface ListenRules<S> {
  reader: Reader<S>;
  context: AgentContext;
  clock: Clock;
  /** Awaited before anything is passed on. */
  ready(): Promise<void>;
  /** It printed something; a line is a sign of life, of text any part of one. */
  onPrinted(alive: boolean): void;
  /** It asked its provider so many times, and would for ever. */
  onVain(times: number): void;
  /** It is being ended. */
  stopping(): boolean;
  /** How much of this it may still say; what goes beyond is dropped. */
  spend(what: LimitedUse, amount: number): number;
  /** Called when its usage may have changed. */
  onUsed(): void;
  /** The price of its tokens, for an agent that does not report its cost. */
  price: Price | undefined;
  /** Called once when its output can no longer be taken. */
  onBroken(message: string): void;
}

/** The result of listening to the end. */
export interface Heard {
  closing: Closing;
  /** The last part of stderr. */
  stderr: string;
  /** The last it wrote of itself, it wrote to stderr. */
  stderrLast: boolean;
  /** The last line only said that it waits, and what for. */
  waiting?: FailureFacts;
  unknownEvents: number;
  /** It neither said nor did anything, and used no token. */
  began?: false;
}

const NEWLINE = 10;
const RETURN = 13;
/** Replaces bytes that are not UTF-8. */
const UNREADABLE = "\ufffd";
const NOTHING = new Uint8Array();
/** Bytes of output that may wait while what came before is written. */
const MOST_WAITING = 256 * 1024;

/** Output on two pipes within this time has no known order: opencode's last words of a stream are read after its error. */
const SAME_MOMENT_MS = 250;

/** Contract: nothing here rejects. The first failure of a callback or of the reader breaks it; from then on all is dropped. */
export class Listener<S> {
  readonly #rules: ListenRules<S>;
  readonly #splitter = splitLines();
  readonly #errors = splitLines(MAX_STDERR_LINE);
  readonly #maskLine = maskKeyLines();
  readonly #maskError = maskKeyLines();
  #state: S;
  #stderr = "";
  #stderrLast = false;
  /** When it last wrote to stderr, by the monotonic clock. */
  #stderrAt = -Infinity;
  #waiting: FailureFacts | undefined;
  #unknownEvents = 0;
  #told: Used = NOTHING_USED;
  #turns = NO_TURNS;
  #atWork = 0;
  #broken = false;
  /** By its own word its work had ended before the last lines. */
  #ended = false;
  /** It said or did something. */
  #worked = false;
  #sessionTold = false;
  /** Bytes of output that were told since what is being written was taken. */
  #waitingBytes = 0;
  /** Never reject: until what is being written is, and until nothing waits any more. */
  #writing: Promise<void> = Promise.resolve();
  #allWritten: Promise<void> | undefined;

  constructor(rules: ListenRules<S>) {
    this.#rules = rules;
    this.#state = rules.reader.start;
  }

  onStdout(chunk: Uint8Array): Promise<void> {
    return this.#guard(async () => {
      const bytes = this.#allowed(chunk);
      const lines = this.#splitter.push(bytes);
      if (this.#rules.reader.isText === true) this.#rules.onPrinted(true);
      else if (lines.length === 0) this.#rules.onPrinted(false);
      const plain = this.#takeLines(lines, bytes);
      if (plain.length > 0) await this.#takeErrors(plain);
      if (lines.length > 0) this.#tellSession();
      this.#rules.onUsed();
      await this.#pause(bytes.length);
    });
  }

  onStderr(chunk: Uint8Array): Promise<void> {
    return this.#guard(() => {
      this.#rules.onPrinted(false);
      return this.#takeErrors(this.#errors.push(this.#allowed(chunk)));
    });
  }

  /** A command or tool of its own is at work, or we hold its output back. */
  silenceIsFine(): boolean {
    return this.#atWork > 0 || this.#rules.reader.busy(this.#state);
  }

  /** The usage so far, reported or not. */
  used(): Used {
    const { reader, price } = this.#rules;
    const soFar = reader.soFar?.(this.#state);
    return soFar === undefined ? this.#told : addUsed(this.#told, addCost(soFar, price));
  }

  #hasBegun(): boolean {
    return this.#worked || this.#unknownEvents > 0 || tokensOf(this.used()) > 0;
  }

  /** By its own word the work is done: only its end is still to come. */
  hasFinished(): boolean {
    const { terminal } = this.#rules.reader.close(this.#state);
    return terminal?.good === true && terminal.assumed !== true;
  }

  /** It failed by its own word and does not ask again, or it is done and has reported: without a report more may follow. */
  hasEnded(): boolean {
    const { terminal, final, summary } = this.#rules.reader.close(this.#state);
    if (terminal?.good !== true) return terminal !== undefined && this.#waiting === undefined;
    return terminal.assumed !== true && (summary !== undefined || !("missing" in extractReport(final)));
  }

  /** To be called once both pipes are drained. */
  async finish(): Promise<Heard> {
    let closing: Closing = { events: [], final: "" };
    await this.#guard(async () => {
      // A client of JSON that prints plain text tells what went wrong, as on stderr.
      const plain = this.#takeLines(this.#splitter.end(), NOTHING);
      await this.#takeErrors([...plain, ...this.#errors.end()]);
      closing = this.#clean(this.#rules.reader.close(this.#state));
      this.#tell(closing.events);
      this.#tellSession();
      await this.#pause(1);
    });
    await this.#allWritten;
    return {
      closing,
      stderr: this.#stderr,
      stderrLast: this.#stderrLast,
      unknownEvents: this.#unknownEvents,
      ...given({ waiting: this.#waiting, began: this.#hasBegun() ? undefined : (false as const) }),
    };
  }

  /** Waits until enough is written. The buffer is bounded, since an agent may print faster than a disk writes. */
  async #pause(told: number): Promise<void> {
    this.#waitingBytes += told;
    this.#allWritten ??= this.#writeAll();
    while (this.#waitingBytes > MOST_WAITING) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waitingBytes > 0) {
      this.#waitingBytes = 0;
      this.#writing = this.#rules.context.onPause().catch((error: unknown) => {
        this.#break(errorMessage(error));
      });
      await this.#writing;
    }
    this.#allWritten = undefined;
  }

  #allowed(chunk: Uint8Array): Uint8Array {
    return chunk.subarray(0, this.#rules.spend("output", chunk.length));
  }

  /** Answers the lines of plain text among them. `bytes`: what the lines came in; the first of them may have begun earlier. */
  #takeLines(raw: readonly string[], bytes: Uint8Array): string[] {
    const { reader, context, clock } = this.#rules;
    const now = clock.monotonic();
    const lines = raw.map(this.#maskLine);
    if (lines.length > 0) context.onOutput(linesForFile({ raw, lines, bytes }, context));
    let alive = false;
    let worked = false;
    const plain: string[] = [];
    for (const line of lines) {
      const reading = reader.read(this.#state, line, now);
      this.#state = reading.state;
      alive ||= reading.waiting === undefined;
      worked ||= reading.events.some(isWork);
      this.#worked ||= worked;
      this.#spoke(now, { stderr: false, waiting: reading.waiting });
      if (reading.inVain !== undefined) this.#rules.onVain(reading.inVain);
      if (!reading.known) this.#unknownEvents += 1;
      if (reading.plain === true) plain.push(line);
      if (reading.events.length > 0) this.#tell(reading.events);
    }
    if (alive && !this.#isChatter(worked)) this.#rules.onPrinted(true);
    return plain;
  }

  /** After the event that ends its work only work is a sign of life: it began anew. */
  #isChatter(worked: boolean): boolean {
    const hadEnded = this.#ended;
    this.#ended = this.hasEnded();
    return hadEnded && this.#ended && !worked;
  }

  #tellSession(): void {
    const { context, reader } = this.#rules;
    if (this.#sessionTold || context.onSession === undefined) return;
    const { session } = reader.close(this.#state);
    if (session === undefined) return;
    this.#sessionTold = true;
    context.onSession(session.id);
  }

  #tell(events: readonly AgentEvent[]): void {
    const { context } = this.#rules;
    for (const said of events) {
      const event = said.type === "usage" ? addCost(said, this.#rules.price) : said;
      if (event.type === "usage") this.#told = addUsed(this.#told, event);
      const { count } = this.#turns;
      this.#turns = countTurns(this.#turns, event);
      if (this.#turns.count > count) this.#rules.spend("turns", 1);
      // Usage is always reported.
      if (this.#rules.spend("events", 1) === 0 && event.type !== "usage") continue;
      context.onEvent(boundEvent(redactValue((text) => context.redact(text), event, KEPT)));
    }
  }

  /** The final message stays as it is: a report is looked for in it, and is redacted as a whole. */
  #clean(closing: Closing): Closing {
    const { terminal, complaint } = closing;
    const clean = <T extends { evidence: string }>(failed: T): T => ({
      ...failed,
      evidence: this.#rules.context.redact(failed.evidence),
    });
    return {
      ...closing,
      ...(terminal?.good === false ? { terminal: clean(terminal) } : {}),
      ...(complaint === undefined ? {} : { complaint: clean(complaint) }),
    };
  }

  /** Records a sign of life. Output after the stop tells nothing about the reason. */
  #spoke(now: number, { stderr, waiting }: { stderr: boolean; waiting: FailureFacts | undefined }): void {
    if (this.#rules.stopping()) return;
    if (stderr) this.#stderrAt = now;
    const after = waiting === undefined && now - this.#stderrAt > SAME_MOMENT_MS;
    this.#stderrLast = stderr || (!after && this.#stderrLast);
    this.#waiting = waiting;
  }

  async #takeErrors(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    this.#spoke(this.#rules.clock.monotonic(), { stderr: true, waiting: this.#waiting });
    const text = this.#rules.context.redact(`${lines.map(this.#maskError).join("\n")}\n`);
    this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL);
    await this.#rules.context.onStderr(text);
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    if (this.#broken) return;
    this.#atWork += 1;
    try {
      await this.#rules.ready();
      await work();
    } catch (error) {
      this.#break(errorMessage(error));
    } finally {
      this.#atWork -= 1;
    }
  }

  #break(message: string): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#rules.onBroken(message);
  }
}

/**
 * Lines as they are to be kept, each with its line end. As the bytes they came in where those spell the same: to spell out what
 * nothing was taken out of costs as much as to understand it. The first may have begun in other bytes.
 */
function linesForFile(
  { raw, lines, bytes }: { raw: readonly string[]; lines: readonly string[]; bytes: Uint8Array },
  context: Pick<AgentContext, "redact">,
): Uint8Array {
  const clean = lines.map((line) => context.redact(line));
  const [first = "", ...rest] = clean;
  const from = bytes.indexOf(NEWLINE) + 1;
  const to = bytes.lastIndexOf(NEWLINE) + 1;
  const asTheyCame = rest.every((line, at) => line === raw[at + 1] && !line.includes(UNREADABLE));
  if (!asTheyCame || from === 0 || bytes.includes(RETURN)) return Buffer.from(`${clean.join("\n")}\n`);
  return Buffer.concat([Buffer.from(`${first}\n`), bytes.subarray(from, to)]);
}
