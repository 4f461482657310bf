// Reads a Makefile that the gate's commands use: what make runs for a goal, and its targets. Pure. Lines are read as make
// reads them, so that none is mistaken for another kind.

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

/** A line that begins with one of these words is not a rule. */
const DIRECTIVE =
  /^(?:[-s]?include|-?load|(?:un)?export|override|private|(?:un)?define|endef|ifn?def|ifn?eq|else|endif|vpath)$/;

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

/** Commands that make runs while it reads its rules: `$(shell CMD)`, `NAME != CMD`. */
export function commandsInRules(text: string): string[] {
  const functions = [...text.matchAll(/\$[({]shell[ \t]((?:[^(){}]|\([^()]*\)|\{[^{}]*\})*)[)}]/g)];
  const assignments = [...text.matchAll(/^[\w.-]+[ \t]*!=[ \t]*(.+)/gm)];
  return [...functions, ...assignments].map(([, command = ""]) => command);
}

/** Commands whose output are arguments of a compiler: `cc $(CMD) -o a`. */
export function commandsForFlags(text: string): string[] {
  const calls = text.matchAll(
    /(?<![\w./-])(?:g?cc|[cg]\+\+|clang(?:\+\+)?|tcc|rustc|javac|ld|\$\((?:CC|CXX)\))(?:-\d+)?[ \t][^\n;|&]*/g,
  );
  return [...calls].flatMap(([call]) =>
    [...call.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)].map(([, plain, ticks]) => plain ?? ticks ?? ""),
  );
}

function writeOut(line: string, values: ReadonlyMap<string, string>): string {
  let text = line;
  // A variable may refer to others and to itself.
  for (let depth = 0; depth < 5; depth++) {
    text = text.replace(/\$[({]([\w.-]+)[)}]/g, (whole, name: string) => values.get(name) ?? whole);
  }
  return text.replace(/^[@+\s-]+/, "");
}

function firstGoal(pieces: readonly Piece[]): string[] {
  return targetsOf(pieces)
    .filter((target) => !/^\.|%/.test(target))
    .slice(0, 1);
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
  for (const line of text.replaceAll("\r\n", "\n").split(/(?<!(?<!\\)\\(?:\\\\){0,20})\n/)) {
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
