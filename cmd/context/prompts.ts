// Asks questions on the terminal with @clack/prompts, and adds what the library lacks. Leaves to looper.ts whether a person is there.
import type { Choice, CommandContext } from "./command-context.js";

type Prompts = typeof import("@clack/prompts");

/** The options of every prompt. */
interface Asking {
  output: NodeJS.WriteStream;
  signal: AbortSignal;
}

/** Where questions are asked. */
export interface Desk {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  /** The width of a terminal that reports no size. */
  unknownColumns: number;
  /** Called when a person cancels a question with Ctrl-C or Ctrl-D: ends the program, unless a command handles it. */
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
          message,
          options: optionsOf(choices),
          initialValues,
          required: false,
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

/** Shows a prompt; `undefined` when the person cancels it and the program continues. */
async function prompt<T extends string | boolean | string[]>(
  { input, output, unknownColumns, onTurnedAway }: Desk,
  show: (prompts: Prompts, asking: Asking) => Promise<T | symbol>,
): Promise<T | undefined> {
  const prompts = await import("@clack/prompts");
  // The prompt wraps its text at the reported width.
  if (output.isTTY && output.columns === 0) output.columns = unknownColumns;
  // Ctrl-D closes the prompt's input, which the prompt does not notice.
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
