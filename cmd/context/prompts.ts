// Asks a person on the terminal: @clack/prompts, with what it does not do itself. Leaves whether there is a person to looper.ts.
import type { Choice, CommandContext } from "./command-context.js";

type Prompts = typeof import("@clack/prompts");

/** What every prompt takes. */
interface Asking {
  output: NodeJS.WriteStream;
  signal: AbortSignal;
}

/** Where questions are asked. */
export interface Desk {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  /** Of a terminal that does not know its size. */
  unknownColumns: number;
  /** Somebody turned away from a question, by Ctrl-C or Ctrl-D: ends the program, unless a command listens to that. */
  onTurnedAway: () => void;
}

/** The questions a command can ask. */
export function questionsAt(desk: Desk): Pick<CommandContext, "confirm" | "choose" | "chooseSome" | "ask"> {
  return {
    confirm: async (message, lines) => {
      for (const line of lines) desk.output.write(`${line}\n`);
      const answer = await prompt<boolean>(desk, (prompts, asking) =>
        prompts.confirm({ message, initialValue: false, ...asking }),
      );
      return answer ?? false;
    },
    choose: (message, choices) =>
      prompt<string>(desk, (prompts, asking) =>
        prompts.select({ message, options: optionsOf(choices), ...asking }),
      ),
    chooseSome: (message, choices) => {
      const initialValues = choices.slice(0, 1).map(({ value }) => value);
      return prompt<string[]>(desk, (prompts, asking) =>
        prompts.multiselect({
          ...{ message, options: optionsOf(choices), initialValues, required: false },
          ...asking,
        }),
      );
    },
    ask: async (message, placeholder) => {
      const answer = await prompt<string>(desk, (prompts, asking) =>
        prompts.text({ message, placeholder, defaultValue: "", ...asking }),
      );
      return answer?.trim();
    },
  };
}

function optionsOf(choices: readonly Choice[]): Choice[] {
  return choices.map((choice) => ({ ...choice }));
}

/** Shows a prompt; `undefined` when the person turned away from it and the program goes on. */
async function prompt<T extends string | boolean | string[]>(
  { input, output, unknownColumns, onTurnedAway }: Desk,
  show: (prompts: Prompts, asking: Asking) => Promise<T | symbol>,
): Promise<T | undefined> {
  const prompts = await import("@clack/prompts");
  // The prompt folds its words to what the terminal says.
  if (output.isTTY && output.columns === 0) output.columns = unknownColumns;
  // Ctrl-D closes what the prompt reads from, and the prompt does not notice.
  const turnedAway = new AbortController();
  const onKey = (_text: unknown, key: { ctrl?: boolean; name?: string }): void => {
    if (key.ctrl === true && key.name === "d") turnedAway.abort();
  };
  const onEnd = (): void => {
    turnedAway.abort();
  };
  input.on("keypress", onKey).on("end", onEnd);
  const answer = await show(prompts, { output, signal: turnedAway.signal });
  input.off("keypress", onKey).off("end", onEnd);
  if (typeof answer !== "symbol") return answer;
  onTurnedAway();
  return undefined;
}
