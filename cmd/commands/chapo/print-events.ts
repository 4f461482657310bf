// Prints a session for a person: its steps as short lines on stderr, the answer on stdout. Leaves the text to
// ui/terminal/lines/chapo-lines.ts.
import type { ChapoEvent } from "../../../src/chapo/engine/events.js";
import { openChapoLines } from "../../../src/ui/terminal/lines/chapo-lines.js";
import { coloursFor } from "../../../src/ui/colours.js";
import type { CommandContext } from "../../context/command-context.js";

/** Prints the events of a session in their order. */
export class EventPrinter {
  readonly #context: CommandContext;
  readonly #lines = openChapoLines();
  #last: Promise<void> = Promise.resolve();

  constructor(context: CommandContext) {
    this.#context = context;
  }

  /** Prints an event; returns before it is printed. */
  add(event: ChapoEvent): void {
    this.#last = this.#last.then(() => this.#print(event));
  }

  /** Waits until every added event is printed. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #print(event: ChapoEvent): Promise<void> {
    const { out, err } = this.#context;
    const where = event.type === "answer" || event.type === "clarify" ? out : err;
    const lines = this.#lines(event, {
      colours: coloursFor(where.colour),
      ...(where.isTerminal ? { columns: where.columns() } : {}),
    });
    if (lines.length === 0) return;
    if (where === out) await out.write(`${lines.join("\n")}\n`);
    else await this.#context.report({ level: event.type === "error" ? "error" : "info", lines });
  }
}
