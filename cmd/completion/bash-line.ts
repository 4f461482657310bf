// bash's rules for words: how a line falls into them, and how a word is written so that bash takes it as it is, and runs nothing.
// Pure. Nothing is expanded: a variable or a command in a line stays the text it is.

/** A quotation mark that is open where the line ends. */
type Quote = "" | '"' | "'";

/** A line up to the cursor. */
export interface BashLine {
  /** The words before the last one, without their quotes; the program's name first. */
  words: readonly string[];
  /** The last word without its quotes; empty behind a space. */
  current: string;
  /** What of `current` stands before the part that bash replaces, and the quotation mark open there. */
  kept: string;
  quote: Quote;
  /** The last word is where output goes, or input comes from. */
  redirected: boolean;
}

/** A word as it was typed. */
interface Word {
  raw: string;
  redirects: boolean;
}

/** `piece`: the end of the line that bash replaces, as it says itself. */
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

/** The last one may be empty: what is typed next begins there. */
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

/** A word, or its end, as it is typed behind an open quotation mark or none; `undefined` where bash cannot write it there. */
export function quoteForBash(text: string, open: Quote): string | undefined {
  switch (open) {
    case "":
      // Everything but what is known to be harmless.
      return text.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, "\\$&");
    case "'":
      return text.replaceAll("'", "'\\''");
    default:
      // Of a line typed by a person bash reads "!" as history, even there, and a backslash before it stays.
      return text.includes("!") ? undefined : text.replace(/["\\$`]/g, "\\$&");
  }
}
