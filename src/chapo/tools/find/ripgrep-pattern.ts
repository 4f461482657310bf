// Translates a JavaScript pattern for ripgrep so that ripgrep finds at least every line that JavaScript would. Pure.

/** A byte outside any character, which JavaScript decodes as a replacement character. */
const NO_CHARACTER = "(?-u:[\\x80-\\xff])";

/** The tokens of a pattern and their ripgrep spelling. Any other token means something different in ripgrep. */
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

/** Returns the translated pattern; `undefined` if ripgrep has no equivalent. */
export function translatePattern(source: string): string | undefined {
  let translated = "";
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at);
    const token = TOKENS.map(([form, say]) => ({ found: form.exec(rest)?.[0], say })).find(
      ({ found }) => found !== undefined,
    );
    if (token?.found === undefined) return undefined;
    translated += token.say(token.found);
    at += token.found.length;
  }
  return translated;
}

function keep(found: string): string {
  return found;
}

function escapeLiteral(char: string): string {
  return /^[A-Za-z0-9 ]$/.test(char) ? char : `\\x{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
