// Questions for a terminal that cannot move its cursor (TERM=dumb): lines are printed, and a line is read. The same functions as
// those of @clack/prompts that prompts.ts uses.
import { readLine, type LineInput, type LineOutput } from "../../src/system/processes/read-line.js";
import type { Choice } from "./command-context.js";

interface Asking {
  message: string;
  output?: LineOutput;
  signal?: AbortSignal;
}

/** The prompts; a symbol where the person cancels. */
export interface Prompts {
  confirm(asking: Asking & { initialValue: boolean }): Promise<boolean | symbol>;
  select(asking: Asking & { options: Choice[] }): Promise<string | symbol>;
  multiselect(
    asking: Asking & { options: Choice[]; initialValues: string[]; required: boolean },
  ): Promise<string[] | symbol>;
  text(asking: Asking & { placeholder: string; defaultValue: string }): Promise<string | symbol>;
}

const CANCELLED = Symbol("cancelled");

export function plainPrompts(input: LineInput): Prompts {
  const ask = async (asking: Asking, hint: string): Promise<string | symbol> =>
    (await readLine(input, asking, `${asking.message}${hint} `)) ?? CANCELLED;
  return {
    confirm: async (asking) => {
      const line = await ask(asking, " (y/N)");
      return typeof line === "symbol" ? line : /^y(?:es)?$/i.test(line.trim());
    },
    select: async (asking) => {
      for (;;) {
        const line = await ask(list(asking), " (1)");
        if (typeof line === "symbol") return line;
        const [chosen, ...more] = readChoices(line, asking.options) ?? [];
        if (chosen !== undefined && more.length === 0) return chosen;
      }
    },
    multiselect: async (asking) => {
      for (;;) {
        const line = await ask(list(asking), " (numbers, or 0 for none; 1)");
        if (typeof line === "symbol") return line;
        const chosen = readChoices(line, asking.options);
        if (chosen !== undefined) return chosen;
      }
    },
    text: (asking) => ask(asking, ":"),
  };
}

function list<T extends Asking & { options: Choice[] }>(asking: T): T {
  for (const [at, { label, hint }] of asking.options.entries())
    asking.output?.write(`  ${at + 1} ${label}${hint === undefined ? "" : ` (${hint})`}\n`);
  return asking;
}

/** The values of the numbers; nothing typed is the first, `undefined` is not understood. */
function readChoices(line: string, options: readonly Choice[]): string[] | undefined {
  const words = line.trim() === "" ? ["1"] : line.trim().split(/[\s,]+/);
  if (words.join() === "0") return [];
  const chosen = words.map((word) => (/^\d+$/.test(word) ? options[Number(word) - 1]?.value : undefined));
  return chosen.every((value) => value !== undefined) ? chosen : undefined;
}
