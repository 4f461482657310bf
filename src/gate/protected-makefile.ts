// A Makefile the gate's commands run by: the rules there were stay as at the base, rules that an attempt adds may be there too. Pure.

/** A piece of a Makefile: a rule with its recipe, a variable with its lines, or something else. */
interface Piece {
  text: string;
  targets: readonly string[];
  /** What the targets of a rule wait for, and what is run for them. */
  needs: readonly string[];
  recipe: readonly string[];
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

/** The lines that make runs for these goals (words that are none are left out; the first rule's target without any), variables the file sets written out. */
export function recipesFor(text: string, goals: readonly string[]): string[] {
  const pieces = piecesOf(text);
  const values = new Map<string, string>([["MAKE", "make"]]);
  for (const piece of pieces) {
    if (piece.variable !== undefined) values.set(piece.variable, piece.text.replace(/^[^=]*=\s*/, ""));
  }
  const targets = pieces.flatMap((piece) => piece.targets);
  const named = goals.filter((goal) => targets.includes(goal));
  const wanted = new Set(
    named.length > 0 ? named : targets.filter((one) => !one.startsWith(".")).slice(0, 1),
  );
  // A set that grows is gone through to its end.
  for (const goal of wanted) {
    for (const { targets: own, needs } of pieces) {
      if (own.includes(goal)) for (const need of needs) wanted.add(need);
    }
  }
  const run = pieces.filter((piece) => piece.targets.some((target) => wanted.has(target)));
  return run.flatMap(({ recipe }) => recipe.map((line) => writeOut(line, values)));
}

function writeOut(line: string, values: ReadonlyMap<string, string>): string {
  let text = line;
  // A variable may name others, and itself.
  for (let depth = 0; depth < 5; depth++) {
    text = text.replace(/\$[({]([\w.-]+)[)}]/g, (whole, name: string) => values.get(name) ?? whole);
  }
  return text.replace(/^[@+\s-]+/, "");
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
  if (variable !== undefined) return { text, targets: [], needs: [], recipe: [], variable };
  const [, before = "", needs = "", line] = /^([^\t:=#][^:=]*)::?(?!=)([^;#]*)(?:;(.*))?/.exec(head) ?? [];
  const recipe = [...(line === undefined ? [] : [line]), ...lines.slice(1)];
  return { text, targets: namesIn(before), needs: namesIn(needs), recipe, variable: undefined };
}

function namesIn(text: string): string[] {
  return text.split(/\s+/).filter((name) => name !== "");
}
