// Takes in what a process prints: lines to the reader, events to whoever listens, in order and as fast as they take them.
// Secrets go out here, before any text is cut: half a key is not known as one any more.
import { errorMessage } from "../system/errors.js";
import type { Clock } from "../system/ports.js";
import type { Price } from "../config/prices.js";
import type { AgentContext, AgentEvent, Used } from "./agent.js";
import { boundEvent } from "./bounds.js";
import { priced } from "./prices.js";
import { maskKeyLines, redactValue } from "../system/redact.js";
import { splitLines } from "./lines.js";
import type { FailureFacts } from "./limit-facts.js";
import type { Closing, Reader } from "./reader.js";
import type { Spent } from "./stopped.js";
import { countTurns, NO_TURNS } from "./turns.js";
import { addUsed, NOTHING_USED } from "./usage.js";

const STDERR_TAIL = 16 * 1024;
const MAX_STDERR_LINE = 1024 * 1024;
/** What tells events apart, and names the two ends of a tool's use. */
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
  spend(what: Spent, amount: number): number;
  /** What it has used may have changed. */
  onUsed(): void;
  /** What its tokens cost, for one that does not tell. */
  price: Price | undefined;
  /** What it says can no longer be taken in; called once. */
  onBroken(message: string): void;
}

/** What was heard, to the end. */
export interface Heard {
  closing: Closing;
  /** The last part of stderr. */
  stderr: string;
  /** The last it wrote of itself, it wrote to stderr. */
  stderrLast: boolean;
  /** The last line only said that it waits, and what for. */
  waiting?: FailureFacts;
  unknownEvents: number;
}

/** What comes on two pipes within this time came in no order: opencode's last words of a stream are read after its error. */
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

  constructor(rules: ListenRules<S>) {
    this.#rules = rules;
    this.#state = rules.reader.start;
  }

  onStdout(chunk: Uint8Array): Promise<void> {
    return this.#guard(async () => {
      const lines = this.#splitter.push(this.#allowed(chunk));
      if (this.#rules.reader.isText === true) this.#rules.onPrinted(true);
      else if (lines.length === 0) this.#rules.onPrinted(false);
      await this.#takeLines(lines);
      this.#rules.onUsed();
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

  /** What it has used so far, told or not. */
  used(): Used {
    const { reader, price } = this.#rules;
    const soFar = reader.soFar?.(this.#state);
    return soFar === undefined ? this.#told : addUsed(this.#told, priced(soFar, price));
  }

  /** By its own word the work is done: only its end is still to come. */
  hasFinished(): boolean {
    const { terminal } = this.#rules.reader.close(this.#state);
    return terminal?.good === true && terminal.assumed !== true;
  }

  /** To be called once both pipes are drained. */
  async finish(): Promise<Heard> {
    let closing: Closing = { events: [], final: "" };
    await this.#guard(async () => {
      await this.#takeLines(this.#splitter.end());
      await this.#takeErrors(this.#errors.end());
      closing = this.#clean(this.#rules.reader.close(this.#state));
      await this.#tell(closing.events);
    });
    return {
      closing,
      stderr: this.#stderr,
      stderrLast: this.#stderrLast,
      unknownEvents: this.#unknownEvents,
      ...(this.#waiting === undefined ? {} : { waiting: this.#waiting }),
    };
  }

  #allowed(chunk: Uint8Array): Uint8Array {
    return chunk.subarray(0, this.#rules.spend("output", chunk.length));
  }

  async #takeLines(lines: readonly string[]): Promise<void> {
    const { reader, context, clock } = this.#rules;
    for (const raw of lines) {
      const line = this.#maskLine(raw);
      const held = context.onLine(line);
      if (held !== undefined) await held;
      const reading = reader.read(this.#state, line, clock.monotonic());
      this.#state = reading.state;
      if (reading.waiting === undefined) this.#rules.onPrinted(true);
      this.#spoke({ stderr: false, waiting: reading.waiting });
      if (reading.inVain !== undefined) this.#rules.onVain(reading.inVain);
      if (!reading.known) this.#unknownEvents += 1;
      if (reading.events.length > 0) await this.#tell(reading.events);
    }
  }

  async #tell(events: readonly AgentEvent[]): Promise<void> {
    const { context } = this.#rules;
    for (const said of events) {
      const event = said.type === "usage" ? priced(said, this.#rules.price) : said;
      if (event.type === "usage") this.#told = addUsed(this.#told, event);
      const { count } = this.#turns;
      this.#turns = countTurns(this.#turns, event);
      if (this.#turns.count > count) this.#rules.spend("turns", 1);
      // What it cost is told in any case.
      if (this.#rules.spend("events", 1) === 0 && event.type !== "usage") continue;
      const held = context.onEvent(boundEvent(redactValue((text) => context.redact(text), event, KEPT)));
      if (held !== undefined) await held;
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

  /** What it says once it is being ended says nothing of what it was about. */
  #spoke({ stderr, waiting }: { stderr: boolean; waiting: FailureFacts | undefined }): void {
    if (this.#rules.stopping()) return;
    const now = this.#rules.clock.monotonic();
    if (stderr) this.#stderrAt = now;
    const after = waiting === undefined && now - this.#stderrAt > SAME_MOMENT_MS;
    this.#stderrLast = stderr || (!after && this.#stderrLast);
    this.#waiting = waiting;
  }

  async #takeErrors(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    this.#spoke({ stderr: true, waiting: this.#waiting });
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
