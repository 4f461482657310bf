// A Makefile the gate's commands run by: the rules there were stay as at the base, rules that an attempt adds may be there too. Pure.

/** A piece of a Makefile: a rule with its recipe, a variable with its lines, or something else. */
interface Piece {
  text: string;
  targets: readonly string[];
  variable: string | undefined;
}

/** Named by make itself, or read by it unasked. */
const SPECIAL = /^(?:\.(?!PHONY$)|SHELL$|MAKE|PATH$|VPATH$|GNUMAKEFLAGS$)|[%$*?]/;

/**
 * The base's Makefile with what the attempt's adds to it behind: rules for other targets, and variables the base never
 * speaks of. `undefined`: nothing else was changed.
 */
export function mergeMakefile(base: string, now: string): string | undefined {
  const old = new Set(piecesOf(base).flatMap(({ targets }) => targets));
  const added = piecesOf(now).filter(({ targets, variable }) => {
    if (variable !== undefined) return !SPECIAL.test(variable) && !mentions(base, variable);
    const own = targets.filter((target) => target !== ".PHONY");
    return own.length > 0 && own.every((target) => !old.has(target) && !SPECIAL.test(target));
  });
  const merged = [base.replace(/\n*$/, "\n"), ...added.map(({ text }) => `${text}\n`)].join("\n");
  return sorted(merged) === sorted(now) ? undefined : merged;
}

function mentions(text: string, variable: string): boolean {
  return text.split(/[^\w.-]+/).includes(variable);
}

/** A Makefile whose lines only stand in another order says the same of the rules both have. */
function sorted(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\.PHONY:/.test(line));
  return lines.sort().join("\n");
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let lines: string[] = [];
  const end = (): void => {
    if (lines.length > 0) pieces.push(readPiece(lines));
    lines = [];
  };
  for (const line of text.replaceAll(/\\\n/g, "\\\u0000").split("\n")) {
    const continues = line.startsWith("\t") && lines.length > 0;
    if (!continues) end();
    if (line.trim() !== "" && !line.startsWith("#")) lines.push(line.replaceAll("\u0000", "\n"));
  }
  end();
  return pieces;
}

function readPiece(lines: readonly string[]): Piece {
  const [head = ""] = lines;
  const text = lines.join("\n");
  const variable = /^(?:export\s+|override\s+)?([\w.-]+)\s*(?::{1,3}=|\?=|\+=|!=|=)/.exec(head)?.[1];
  if (variable !== undefined) return { text, targets: [], variable };
  const targets = /^([^\t:=#][^:=]*)::?(?!=)/.exec(head)?.[1]?.trim().split(/\s+/) ?? [];
  return { text, targets: targets.filter((target) => target !== ""), variable: undefined };
}
