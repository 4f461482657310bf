// A pattern of JavaScript in ripgrep's words, such that ripgrep finds every line JavaScript would, or more. Pure.

/** A byte that is no character: JavaScript sees one there. */
const NO_CHARACTER = "(?-u:[\\x80-\\xff])";

/** What comes next in a pattern, and what ripgrep calls it. Whatever none of these takes means something else there. */
const TOKENS: readonly [RegExp, (found: string) => string][] = [
  [/^(?:\(\?:|\((?!\?)|[)|^$*+?]|\{\d+(?:,\d*)?\})/, keep],
  [/^\.|^\[\^(?:[^\\[\]&~^-]|[^\\[\]&~^-]-[^\\[\]&~^-])+\]/, (found) => `(?:${found}|${NO_CHARACTER})`],
  [/^\[(?:[^\\[\]&~^-]|[^\\[\]&~^-]-[^\\[\]&~^-]|\\[dw])+\]/, keep],
  [/^\\[dwt]/, keep],
  [/^\\s/, () => "[\\s\\x{FEFF}]"],
  [/^\\b/, () => "(?-u:\\b)"],
  [/^\\[^a-z0-9\n]/i, (found) => escapeLiteral(found.slice(1))],
  [/^[^\\{}[\]()|^$*+?.\n\r\uFFFD]/u, escapeLiteral],
];

/** `undefined` where it cannot be said in ripgrep's words. */
export function translatePattern(source: string): string | undefined {
  let said = "";
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at);
    const token = TOKENS.map(([form, say]) => ({ found: form.exec(rest)?.[0], say })).find(
      ({ found }) => found !== undefined,
    );
    if (token?.found === undefined) return undefined;
    said += token.say(token.found);
    at += token.found.length;
  }
  return said;
}

function keep(found: string): string {
  return found;
}

function escapeLiteral(char: string): string {
  return /^[A-Za-z0-9 ]$/.test(char) ? char : `\\x{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
