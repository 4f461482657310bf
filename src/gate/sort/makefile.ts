// Reads a Makefile that the gate's commands use: what make runs for a goal, and while it reads its rules.
// Pure. Lines are read as make reads them, so that none is mistaken for another kind.

interface Rule {
  targets: readonly string[];
  /** The prerequisites; `recipe` has the lines that the rule runs. */
  needs: readonly string[];
  recipe: string[];
}

const VARIABLE = /^(?:export\s+|override\s+)?([\w.-]+)\s*(?::{1,3}=|\?=|\+=|!=|=)\s*([^]*)/;
const RULE = /^([^\t:=#][^:=#]*?)&?(?!:+=)::?([^;#]*)(?:;([^]*))?/;
/** A line that begins with one of these words is not a rule. */
const DIRECTIVE =
  /^(?:[-s]?include|-?load|(?:un)?export|override|private|(?:un)?define|endef|ifn?def|ifn?eq|else|endif|vpath)$/;
/** A line continues after a backslash at its end, but not after two, which are an escaped backslash. */
const LINE_END = /(?<!(?<!\\)\\(?:\\\\){0,20})\n/;

/**
 * The lines that make runs for these goals, with the file's variables expanded. Words that are not targets
 * are ignored; without a goal it is the first rule's target.
 */
export function listRecipes(text: string, goals: readonly string[]): string[] {
  const { rules, values } = readRules(text);
  const targets = rules.flatMap((rule) => rule.targets);
  const named = goals.filter((goal) => targets.includes(goal));
  const first = targets.filter((target) => !/^\.|%/.test(target)).slice(0, 1);
  const wanted = new Set(named.length > 0 ? named : first);
  // The loop also visits goals added during it.
  for (const goal of wanted)
    for (const rule of rules)
      if (rule.targets.includes(goal)) for (const need of rule.needs) wanted.add(need);
  return rules
    .filter((rule) => rule.targets.some((target) => wanted.has(target)))
    .flatMap(({ recipe }) => recipe.map((line) => writeOut(line, values)));
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

function readRules(text: string): { rules: Rule[]; values: ReadonlyMap<string, string> } {
  const rules: Rule[] = [];
  const values = new Map<string, string>([["MAKE", "make"]]);
  let open: Rule | undefined;
  for (const line of text.replaceAll("\r\n", "\n").split(LINE_END)) {
    // Blank lines, comments and conditions do not end a recipe.
    if (line.trim() === "" || /^ *(?:#|(?:ifn?def|ifn?eq|else|endif)(?=[\s(]|$))/.test(line)) continue;
    if (line.startsWith("\t") && open !== undefined) {
      open.recipe.push(line);
      continue;
    }
    const [, variable, value = ""] = VARIABLE.exec(line) ?? [];
    if (variable !== undefined) values.set(variable, value);
    const [, targets = "", needs = "", recipe] = RULE.exec(line) ?? [];
    // A line without a rule has no targets: no goal runs it.
    open = DIRECTIVE.test(wordsOf(targets)[0] ?? "")
      ? undefined
      : { targets: wordsOf(targets), needs: wordsOf(needs), recipe: recipe === undefined ? [] : [recipe] };
    if (open !== undefined) rules.push(open);
  }
  return { rules, values };
}

function writeOut(line: string, values: ReadonlyMap<string, string>): string {
  let text = line;
  // A variable may refer to others and to itself.
  for (let depth = 0; depth < 5; depth++)
    text = text.replace(/\$[({]([\w.-]+)[)}]/g, (whole, name: string) => values.get(name) ?? whole);
  return text.replace(/^[@+\s-]+/, "");
}

function wordsOf(text: string): string[] {
  return text.match(/\S+/g) ?? [];
}
