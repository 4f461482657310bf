import type { StepEvent } from "../../logging/events/events.js";

/** Events that wait for `step`, in the order they came. */
export class Inbox {
  readonly #waiting: StepEvent[] = [];
  #failure: { error: unknown } | undefined;
  #wake: (() => void) | undefined;

  put(event: StepEvent): void {
    this.#waiting.push(event);
    this.#wake?.();
  }

  /** Makes every later `take` throw: an internal error, or a log that cannot be written. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  /** The next event; waits for one. */
  async take(): Promise<StepEvent> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const event = this.#waiting.shift();
      if (event !== undefined) return event;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
