// Lets one question at a time reach the person: the calls and questions of a session's conversations wait for their turn.
// ask-permission.ts and take-steps.ts ask.
/** The queue of one session in one process. `Outcome`: how a conversation ends whose question waits for an absent person. */
export class AskQueue<Outcome extends object> {
  #holder: string | undefined;
  #parked: Outcome | undefined;
  readonly #waiting = new Set<() => void>();

  /** `holder`: the call that waited when the session was opened. */
  constructor(holder?: string) {
    this.#holder = holder;
  }

  /** Waits for the turn of a call. Returns the outcome instead if the one before it waits for an absent person. */
  async enter(who: string): Promise<Outcome | undefined> {
    while (this.#holder !== undefined && this.#holder !== who) {
      if (this.#parked !== undefined) return this.#parked;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    this.#holder = who;
    return undefined;
  }

  /** The holder waits for a person who is not there. */
  park(who: string, outcome: Outcome): void {
    if (this.#holder !== who) return;
    this.#parked = outcome;
    this.#wake();
  }

  /** The turn of a call is over. */
  leave(who: string): void {
    if (this.#holder !== who) return;
    this.#holder = undefined;
    this.#wake();
  }

  /** A conversation has ended; its call does not wait any more, unless for an absent person. */
  end(conversation: string): void {
    if (this.#parked === undefined && this.#holder?.startsWith(`${conversation}/`) === true)
      this.leave(this.#holder);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

/** The name of a call in the queue. Calls of two conversations can have one id. */
export function nameInQueue(conversation: { id: string }, call: string): string {
  return `${conversation.id}/${call}`;
}
