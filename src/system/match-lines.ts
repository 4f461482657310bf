// Lines that match an expression somebody else wrote: some expressions take for ever on some lines, and only a context of
// its own can be stopped in the middle of one. Leaves where the lines come from to the caller.
import { createContext, Script } from "node:vm";
import { errorCode, errorMessage } from "./errors.js";

const MATCHING = new Script("const made = new RegExp(source); lines.map((line) => made.test(line))");

/** Which of the lines match; or a problem: no such expression, or not done within `limitMs`. */
export function matchLines(
  source: string,
  lines: readonly string[],
  limitMs: number,
): readonly string[] | { problem: string } {
  try {
    const found: unknown = MATCHING.runInContext(createContext({ source, lines: [...lines] }), {
      timeout: limitMs,
    });
    const matches = Array.isArray(found) ? found : [];
    return lines.filter((_, at) => matches[at] === true);
  } catch (error) {
    if (errorCode(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      return { problem: `${source}: takes too long on this text; use a simpler expression` };
    return { problem: errorMessage(error) };
  }
}
