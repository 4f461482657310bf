// A Makefile the gate's commands run by: the rules there were stay as at the base, rules that an attempt adds may be there too. Pure.
// It is read as make reads it, as far as a line could otherwise pass for what it is not; nothing is expanded.
import { isDeepStrictEqual } from "node:util";

/** A piece of a Makefile: a rule with its recipe, a variable with its lines, or something else. */
interface Piece {
  /** The first is its head; of one that is no rule, all there is. */
  lines: string[];
  targets: readonly string[];
  /** What the targets of a rule wait for, and what is run for them. */
  needs: readonly string[];
  recipe: string[];
  variable: string | undefined;
}

/** Named by make itself, or read by it unasked. */
const SPECIAL = /^(?:\.|MAKE|(?:SHELL|PATH|HOME|VPATH|GNUMAKEFLAGS)$)|[%$*?[]/;

/** A line that begins with one of these is no rule, whatever else stands in it. */
const DIRECTIVE =
  /^(?:[-s]?include|-?load|(?:un)?export|override|private|(?:un)?define|endef|ifn?def|ifn?eq|else|endif|vpath)$/;

/**
 * The base's Makefile with what the attempt's adds to it behind: rules for other targets, and variables the base never
 * speaks of. `undefined`: nothing else was changed.
 */
export function mergeMakefile(base: string, now: string): string | undefined {
  const [old, all] = [piecesOf(base), piecesOf(now)];
  const isMade = madeByPattern(old);
  const isAdded = additionTo(base, old, isMade);
  const added = all.filter(isAdded);
  // Of a phony target no pattern is looked for.
  const phony = targetsOf(
    [...old, ...added].filter(({ targets, recipe }) => recipe.length > 0 || !targets.some(isMade)),
  );
  const fresh = phonyOf(all).filter((name) => phony.includes(name) && !phonyOf(old).includes(name));
  const behind = [...added.map(textOf), ...phonyLine(fresh)];
  const merged = [base.replace(/\n*$/, "\n"), ...behind.map((text) => `${text}\n`)].join("\n");
  const isSame = isDeepStrictEqual(outline(piecesOf(merged), isAdded), outline(all, isAdded));
  return isSame ? undefined : merged;
}

/** The lines that make runs for these goals (words that are none are left out; the first rule's target without any), variables the file sets written out. */
export function recipesFor(text: string, goals: readonly string[]): string[] {
  const pieces = piecesOf(text);
  const values = new Map<string, string>([["MAKE", "make"]]);
  for (const piece of pieces) {
    if (piece.variable !== undefined) values.set(piece.variable, textOf(piece).replace(/^[^=]*=\s*/, ""));
  }
  const targets = targetsOf(pieces);
  const named = goals.filter((goal) => targets.includes(goal));
  const wanted = new Set(named.length > 0 ? named : firstGoal(pieces));
  // A set that grows is gone through to its end.
  for (const goal of wanted) {
    for (const { targets: own, needs } of pieces) {
      if (own.includes(goal)) for (const need of needs) wanted.add(need);
    }
  }
  const run = pieces.filter((piece) => piece.targets.some((target) => wanted.has(target)));
  return run.flatMap(({ recipe }) => recipe.map((line) => writeOut(line, values)));
}

/** The targets of a Makefile; `undefined` where more may come from elsewhere: other files, patterns, variables. */
export function makeTargets(text: string): readonly string[] | undefined {
  const targets = targetsOf(piecesOf(text));
  const isOpen =
    /^\s*(?:[-s]?include|-?load)\b|\beval\b/m.test(text) ||
    targets.some((one) => /[%$]|^\.DEFAULT$/.test(one));
  return isOpen ? undefined : targets;
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

/** Tells which targets a rule with a pattern is for. */
function madeByPattern(pieces: readonly Piece[]): (target: string) => boolean {
  const patterns = targetsOf(pieces).filter((target) => target.includes("%"));
  // The pattern is for a name in any folder.
  const tests = patterns.map(
    (target) => new RegExp(`^(?:.*/)?${target.replaceAll(/[^\w%]/g, "\\$&").replace("%", ".+")}$`),
  );
  return (target) => tests.some((test) => test.test(target));
}

/** Tells what may stand beside these pieces without changing what they do. */
function additionTo(
  base: string,
  old: readonly Piece[],
  isMade: (target: string) => boolean,
): (piece: Piece) => boolean {
  const taken = new Set(targetsOf(old));
  return ({ lines: [head = ""], targets, recipe, variable }) => {
    // What is exported reaches what every rule runs; what is evaluated may be any line at all.
    if (/^export\s|[({]\s*(?:call\s+)?eval\b/.test(head)) return false;
    if (variable !== undefined) return !SPECIAL.test(variable) && !mentions(base, variable);
    // A rule of its own is taken instead of the pattern; one without a recipe only says what else is needed.
    if (recipe.length > 0 && targets.some(isMade)) return false;
    return targets.length > 0 && targets.every((target) => !taken.has(target) && !SPECIAL.test(target));
  };
}

/** What has to be the same where only additions differ: what is no addition, the goal of a bare `make`, the phony targets. */
function outline(pieces: readonly Piece[], isAdded: (piece: Piece) => boolean): object {
  const kept = pieces.flatMap((piece, at) => {
    // Of lines that are neither rule nor variable, what they belong to may be what stands before them.
    if (isOther(piece))
      return [
        pieces
          .slice(Math.max(0, at - 1), at + 1)
          .map(textOf)
          .join("\n"),
      ];
    return isPhony(piece) || isAdded(piece) ? [] : [textOf(piece)];
  });
  return { kept, goal: firstGoal(pieces), phony: new Set(phonyOf(pieces)) };
}

function firstGoal(pieces: readonly Piece[]): string[] {
  return targetsOf(pieces)
    .filter((target) => !/^\.|%/.test(target))
    .slice(0, 1);
}

function phonyOf(pieces: readonly Piece[]): string[] {
  return pieces.filter(isPhony).flatMap(({ needs }) => needs);
}

function phonyLine(names: readonly string[]): string[] {
  return names.length > 0 ? [`.PHONY: ${names.join(" ")}`] : [];
}

function isPhony({ targets, recipe }: Piece): boolean {
  return targets.join(" ") === ".PHONY" && recipe.length === 0;
}

function isOther({ targets, variable }: Piece): boolean {
  return targets.length === 0 && variable === undefined;
}

function targetsOf(pieces: readonly Piece[]): string[] {
  return pieces.flatMap(({ targets }) => targets);
}

function textOf({ lines }: Piece): string {
  return lines.join("\n");
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  // A line goes on where it ends in a backslash, not in two: these are one that is meant.
  for (const line of text.replaceAll("\r\n", "\n").split(/(?<!(?<!\\)\\(?:\\\\)*)\n/)) {
    // Neither ends a recipe.
    if (line.trim() === "" || /^ *#/.test(line)) continue;
    const rule = pieces.at(-1);
    if (line.startsWith("\t") && rule !== undefined && rule.targets.length > 0) {
      rule.lines.push(line);
      rule.recipe.push(line);
    } else pieces.push(readHead(line));
  }
  return pieces;
}

function readHead(head: string): Piece {
  const piece: Piece = { lines: [head], targets: [], needs: [], recipe: [], variable: undefined };
  const variable = /^(?:export\s+|override\s+)?([\w.-]+)\s*(?::{1,3}=|\?=|\+=|!=|=)/.exec(head)?.[1];
  if (variable !== undefined) return { ...piece, variable };
  const rule = /^([^\t:=#][^:=#]*?)&?(?!:+=)::?([^;#]*)(?:;([^]*))?/.exec(head);
  const [, before = "", needs = "", line] = rule ?? [];
  const targets = namesIn(before);
  if (DIRECTIVE.test(targets[0] ?? "")) return piece;
  return { ...piece, targets, needs: namesIn(needs), recipe: line === undefined ? [] : [line] };
}

function namesIn(text: string): string[] {
  return text.split(/\s+/).filter((name) => name !== "");
}
