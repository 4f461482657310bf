// Merges a Makefile that the gate's commands use: existing rules stay as at the base, and an attempt may add rules. Pure.
// Lines are read as make reads them, so that none is mistaken for another kind; variables are not expanded.
import { isDeepStrictEqual } from "node:util";

/** A piece of a Makefile: a rule with its recipe, a variable with its lines, or something else. */
interface Piece {
  /** The first line is the head; a piece that is not a rule has only that. */
  lines: string[];
  targets: readonly string[];
  /** The prerequisites of a rule; `recipe` has the lines that it runs. */
  needs: readonly string[];
  recipe: string[];
  variable: string | undefined;
}

/** Targets and variables with a meaning to make itself, and names with patterns. */
const SPECIAL = /^(?:\.|MAKE|(?:SHELL|PATH|HOME|VPATH|GNUMAKEFLAGS)$)|[%$*?[]/;

/** A line that begins with one of these words is not a rule. */
const DIRECTIVE =
  /^(?:[-s]?include|-?load|(?:un)?export|override|private|(?:un)?define|endef|ifn?def|ifn?eq|else|endif|vpath)$/;

/**
 * Appends the attempt's additions to the base's Makefile: rules for other targets, and variables that the base does not
 * mention. `undefined` if the attempt changed nothing else.
 */
export function mergeMakefile(base: string, now: string): string | undefined {
  const [old, all] = [piecesOf(base), piecesOf(now)];
  const isMade = madeByPattern(old);
  const isAdded = additionTo(base, old, isMade);
  const added = all.filter(isAdded);
  // make does not apply pattern rules to a phony target.
  const phony = targetsOf(
    [...old, ...added].filter(({ targets, recipe }) => recipe.length > 0 || !targets.some(isMade)),
  );
  const fresh = phonyOf(all).filter((name) => phony.includes(name) && !phonyOf(old).includes(name));
  const behind = [...added.map(textOf), ...phonyLine(fresh)];
  const merged = [base.replace(/\n*$/, "\n"), ...behind.map((text) => `${text}\n`)].join("\n");
  const isSame = isDeepStrictEqual(outline(piecesOf(merged), isAdded), outline(all, isAdded));
  return isSame ? undefined : merged;
}

/**
 * The lines that make runs for these goals, with the file's variables expanded. Words that are not targets are ignored;
 * without a goal it is the first rule's target.
 */
export function listRecipes(text: string, goals: readonly string[]): string[] {
  const pieces = piecesOf(text);
  const values = new Map<string, string>([["MAKE", "make"]]);
  for (const piece of pieces) {
    if (piece.variable !== undefined) values.set(piece.variable, textOf(piece).replace(/^[^=]*=\s*/, ""));
  }
  const targets = targetsOf(pieces);
  const named = goals.filter((goal) => targets.includes(goal));
  const wanted = new Set(named.length > 0 ? named : firstGoal(pieces));
  // The loop also visits goals added during it.
  for (const goal of wanted) {
    for (const { targets: own, needs } of pieces) {
      if (own.includes(goal)) for (const need of needs) wanted.add(need);
    }
  }
  const run = pieces.filter((piece) => piece.targets.some((target) => wanted.has(target)));
  return run.flatMap(({ recipe }) => recipe.map((line) => writeOut(line, values)));
}

/** The targets of a Makefile; `undefined` if other files, patterns or variables may add more. */
export function listTargets(text: string): readonly string[] | undefined {
  const targets = targetsOf(piecesOf(text));
  const isOpen =
    /^\s*(?:[-s]?include|-?load)\b|\beval\b/m.test(text) ||
    targets.some((one) => /[%$]|^\.DEFAULT$/.test(one));
  return isOpen ? undefined : targets;
}

function writeOut(line: string, values: ReadonlyMap<string, string>): string {
  let text = line;
  // A variable may refer to others and to itself.
  for (let depth = 0; depth < 5; depth++) {
    text = text.replace(/\$[({]([\w.-]+)[)}]/g, (whole, name: string) => values.get(name) ?? whole);
  }
  return text.replace(/^[@+\s-]+/, "");
}

function mentions(text: string, variable: string): boolean {
  return text.split(/[^\w.-]+/).includes(variable);
}

/** Returns whether a pattern rule applies to a target. */
function madeByPattern(pieces: readonly Piece[]): (target: string) => boolean {
  const patterns = targetsOf(pieces).filter((target) => target.includes("%"));
  // A pattern matches a name in any folder.
  const tests = patterns.map(
    (target) => new RegExp(`^(?:.*/)?${target.replaceAll(/[^\w%]/g, "\\$&").replace("%", ".+")}$`),
  );
  return (target) => tests.some((test) => test.test(target));
}

/** Returns whether a piece can be added without changing the effect of the old pieces. */
function additionTo(
  base: string,
  old: readonly Piece[],
  isMade: (target: string) => boolean,
): (piece: Piece) => boolean {
  const taken = new Set(targetsOf(old));
  return ({ lines: [head = ""], targets, recipe, variable }) => {
    // An exported variable affects the commands of every rule, and `eval` may produce any line.
    if (/^export\s|[({]\s*(?:call\s+)?eval\b/.test(head)) return false;
    if (variable !== undefined) return !SPECIAL.test(variable) && !mentions(base, variable);
    // A rule with a recipe would replace the pattern rule; one without only adds prerequisites.
    if (recipe.length > 0 && targets.some(isMade)) return false;
    return targets.length > 0 && targets.every((target) => !taken.has(target) && !SPECIAL.test(target));
  };
}

/** The parts that additions must not change: all other pieces, the goal of a bare `make`, and the phony targets. */
function outline(pieces: readonly Piece[], isAdded: (piece: Piece) => boolean): object {
  const kept = pieces.flatMap((piece, at) => {
    // A line that is neither rule nor variable may belong to the piece before it.
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
  // A line continues after a backslash at its end, but not after two, which are an escaped backslash.
  for (const line of text.replaceAll("\r\n", "\n").split(/(?<!(?<!\\)\\(?:\\\\)*)\n/)) {
    // Blank lines and comments do not end a recipe.
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
