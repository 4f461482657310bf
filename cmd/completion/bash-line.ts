// bash's rules for words: how it splits a line, and how to quote a word so that bash takes it literally and runs nothing.
// Pure. Nothing is expanded: a variable or a command in a line stays the text it is.

/** A quotation mark that is still open at the end of the line. */
type Quote = "" | '"' | "'";

/** A line up to the cursor. */
export interface BashLine {
  /** The words before the last one, without their quotes; the program's name first. */
  words: readonly string[];
  /** The last word without its quotes; empty behind a space. */
  current: string;
  /** The beginning of `current` that bash keeps, and the quotation mark open there. */
  kept: string;
  quote: Quote;
  /** The last word is the target of a redirection. */
  redirected: boolean;
}

/** A word as typed. */
interface Word {
  raw: string;
  redirects: boolean;
}

/** `piece`: the end of the line that bash replaces, according to bash. */
export function readBashLine(line: string, piece: string): BashLine {
  const all = splitLine(line);
  const last = all.pop()?.raw ?? "";
  const target = all.at(-1);
  const kept = last.endsWith(piece) ? last.slice(0, last.length - piece.length) : "";
  return {
    words: withoutRedirects(all).map((raw) => unquote(raw).text),
    current: unquote(last).text,
    kept: unquote(kept).text,
    quote: unquote(kept).open,
    redirected: target?.redirects === true,
  };
}

function withoutRedirects(words: readonly Word[]): string[] {
  return words
    .filter(({ redirects }, at) => !redirects && words[at - 1]?.redirects !== true)
    .map(({ raw }) => raw);
}

/** The last word may be empty, when the cursor follows a space. */
function splitLine(line: string): Word[] {
  const parts =
    /\d?(?:>>|>\||[<>]&?)|(?:\\(?:.|$)|'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|\\?$)|[^\s\\'"<>])+|\s+/gsu;
  const words: Word[] = [];
  let open = false;
  for (const [part] of line.matchAll(parts)) {
    const isSpace = /^\s/u.test(part);
    const redirects = /^\d?[<>]/.test(part);
    open = !isSpace && !redirects;
    if (!isSpace) words.push({ raw: part, redirects });
  }
  return open ? words : [...words, { raw: "", redirects: false }];
}

function unquote(raw: string): { text: string; open: Quote } {
  let text = "";
  let open: Quote = "";
  for (let at = 0; at < raw.length; at++) {
    const sign = raw.charAt(at);
    const next = raw.charAt(at + 1);
    if (sign === open) open = "";
    else if (open === "" && (sign === '"' || sign === "'")) open = sign;
    else if (sign === "\\" && (open === "" || (open === '"' && /["\\$`]/.test(next)))) {
      text += next;
      at++;
    } else text += sign;
  }
  return { text, open };
}

/** A word or its end, quoted to follow the open quotation mark, if any; `undefined` where bash cannot express it. */
export function quoteForBash(text: string, open: Quote): string | undefined {
  switch (open) {
    case "":
      // Escape everything that is not known to be harmless.
      return text.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, "\\$&");
    case "'":
      return text.replaceAll("'", "'\\''");
    default:
      // In an interactive line bash expands "!" even here, and keeps a backslash before it.
      return text.includes("!") ? undefined : text.replace(/["\\$`]/g, "\\$&");
  }
}
