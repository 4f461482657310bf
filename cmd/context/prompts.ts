// Asks questions on the terminal with @clack/prompts, and adds what the library lacks.
import type { CommandContext, TypedLine } from "./command-context.js";

type Prompts = typeof import("@clack/prompts");

interface Asking {
  output: NodeJS.WriteStream;
  signal: AbortSignal;
}

export interface Desk {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  /** The width of a terminal that reports no size. */
  unknownColumns: number;
  /** Sets what is called after a signal; a terminal that is read in lines sends Ctrl-C as one. */
  onInterrupt: (listener: (() => void) | undefined) => void;
  /** Called when a question is cancelled by a key: ends the program, unless a command handles it. */
  onTurnedAway: () => void;
}

export function questionsAt(desk: Desk): Pick<CommandContext, "confirm" | "choose" | "ask" | "askLine"> {
  return {
    confirm: async (message, lines, closed) => {
      if (closed === "no" && isClosed(desk)) return false;
      for (const line of lines) desk.output.write(`${line}\n`);
      const answer = await prompt<boolean>(
        desk,
        (prompts, asking) => prompts.confirm({ message, initialValue: false, ...asking }),
        closed,
      );
      return answer ?? false;
    },
    choose: (message, choices) =>
      prompt<string>(desk, (prompts, asking) =>
        prompts.select({ message, options: [...choices], ...asking }),
      ),
    ask: async (message, placeholder) => {
      const answer = await prompt<string>(desk, (prompts, asking) =>
        prompts.text({ message, placeholder, defaultValue: "", ...asking }),
      );
      return answer?.trim();
    },
    askLine: (message, placeholder, withdrawn) => askLine(desk, { message, placeholder, withdrawn }),
  };
}

/** Tells the ways apart in which a line is not typed. */
async function askLine(
  desk: Desk,
  { message, placeholder, withdrawn }: { message: string; placeholder: string; withdrawn: AbortSignal },
): Promise<TypedLine> {
  if (isAborted(withdrawn)) return "withdrawn";
  if (isClosed(desk)) return "closed";
  const shown = await show<string>(
    desk,
    (prompts, asking) => prompts.text({ message, placeholder, defaultValue: "", ...asking }),
    withdrawn,
  );
  if ("value" in shown) return { line: shown.value.trim() };
  if (isAborted(withdrawn)) return "withdrawn";
  if (shown.isClosed) return "closed";
  if (!shown.isInterrupted) desk.onTurnedAway();
  return "stopped";
}

function isClosed({ input }: Desk): boolean {
  return input.readableEnded || input.destroyed;
}

/** It can change while a prompt is shown. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

/** The answer; `undefined` when it was cancelled and the program continues, as with `closed`. */
async function prompt<T extends string | boolean>(
  desk: Desk,
  ask: (prompts: Prompts, asking: Asking) => Promise<T | symbol>,
  closed?: "no",
): Promise<T | undefined> {
  const shown = await show(desk, ask);
  if ("value" in shown) return shown.value;
  if (!shown.isInterrupted && !(shown.isClosed && closed === "no")) desk.onTurnedAway();
  return undefined;
}

/** `isClosed`: its input was; `isInterrupted`: it ended with a signal, which the program has taken. */
type Shown<T> = { value: T } | { isClosed: boolean; isInterrupted: boolean };

/** The prompt's answer, or how it was cancelled. */
async function show<T extends string | boolean>(
  { input, output, unknownColumns, onInterrupt }: Desk,
  ask: (prompts: Prompts, asking: Asking) => Promise<T | symbol>,
  withdrawn?: AbortSignal,
): Promise<Shown<T>> {
  const prompts = await import("@clack/prompts");
  // The prompt wraps its text at the reported width.
  if (output.isTTY && output.columns === 0) output.columns = unknownColumns;
  // Ctrl-D closes the prompt's input, which the prompt does not notice.
  const closed = new AbortController();
  const interrupted = new AbortController();
  const onEnd = (): void => {
    closed.abort();
  };
  const onKey = (_text: unknown, key: { ctrl?: boolean; name?: string }): void => {
    if (key.ctrl === true && key.name === "d") onEnd();
  };
  onInterrupt(() => {
    interrupted.abort();
  });
  input.on("keypress", onKey).on("end", onEnd);
  const ends = [closed.signal, interrupted.signal, ...(withdrawn === undefined ? [] : [withdrawn])];
  const answer = await ask(prompts, { output, signal: AbortSignal.any(ends) });
  input.off("keypress", onKey).off("end", onEnd);
  onInterrupt(undefined);
  if (typeof answer !== "symbol") return { value: answer };
  return { isClosed: isAborted(closed.signal), isInterrupted: isAborted(interrupted.signal) };
}
