// Finds the lines that a pattern matches, within a time limit: a user's pattern can backtrack for years, and only a vm script
// can be stopped from outside. Leaves files, and the use of the lines, to the caller.
import { createContext, Script } from "node:vm";
import { errorCode, errorMessage } from "../errors.js";

const SCRIPT = new Script(`{
  const lines = text.split("\\n");
  if (lines.at(-1) === "") lines.pop();
  const found = [];
  for (let at = 0; at < lines.length && found.length < most; at++) {
    const line = lines[at];
    if (pattern.test(line.endsWith("\\r") ? line.slice(0, -1) : line)) found.push(at);
  }
  found.join();
}`);

/** How much of a text is searched, and for how long. */
export interface MatchBounds {
  /** Lines after which it stops. */
  most: number;
  timeoutMs: number;
}

/** Numbers of the lines that match, from 0, their ends (LF or CRLF) left out; `slow` when the time did not do. */
export type MatchedLines = { lines: number[] } | { slow: true } | { problem: string };

/** Looks for a pattern in one text after the other. Contract: the pattern has neither of the flags `g` and `y`. */
export function lineMatcher(pattern: RegExp): (text: string, bounds: MatchBounds) => MatchedLines {
  const context = createContext({ pattern, text: "", most: 0 });
  return (text, { most, timeoutMs }) => {
    Object.assign(context, { text, most });
    try {
      const found: unknown = SCRIPT.runInContext(context, { timeout: Math.max(1, Math.ceil(timeoutMs)) });
      return { lines: found === "" ? [] : String(found).split(",").map(Number) };
    } catch (error) {
      if (errorCode(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT") return { slow: true };
      return { problem: errorMessage(error) };
    }
  };
}

/** Those of a few lines that match an expression; or a problem: no such expression, or not done within `limitMs`. */
export function matchLines(
  source: string,
  lines: readonly string[],
  limitMs: number,
): readonly string[] | { problem: string } {
  try {
    const text = lines.map((line) => `${line}\n`).join("");
    const matched = lineMatcher(new RegExp(source))(text, { most: lines.length, timeoutMs: limitMs });
    if ("slow" in matched)
      return { problem: `${source}: takes too long on this text; use a simpler expression` };
    return "problem" in matched ? matched : matched.lines.map((at) => lines[at] ?? "");
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}
