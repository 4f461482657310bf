// A session as a person reads it: what it does as short lines on stderr, the answer on stdout. Leaves the words to
// ui/terminal/chapo-lines.ts.
import type { ChapoEvent } from "../../../src/chapo/engine/events.js";
import { openChapoLines } from "../../../src/ui/terminal/chapo-lines.js";
import { coloursFor } from "../../../src/ui/colours.js";
import type { CommandContext } from "../../context/command-context.js";

export class Telling {
  readonly #context: CommandContext;
  readonly #lines = openChapoLines();
  #last: Promise<void> = Promise.resolve();

  constructor(context: CommandContext) {
    this.#context = context;
  }

  /** Tells an event; returns before it is told. */
  see(event: ChapoEvent): void {
    this.#last = this.#last.then(() => this.#tell(event));
  }

  /** Once all that was seen is told. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #tell(event: ChapoEvent): Promise<void> {
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
