// Tests that are written into source files: kept as they were at the reference while the rest of the file is
// the attempt's. Pure. By the rules of cargo (doc.rust-lang.org/book/ch11-03), vitest
// (vitest.dev/guide/in-source), pytest and unittest (collection by name and class), node:test (calls of
// `test`), the custom of C to compile a test with `-DTEST`, and of doctest and rustdoc for examples in
// documentation. Leaves which files are source to sort/sort.ts.
import { familyOf } from "../sort/languages.js";

/** A part of a text that is a test. */
type Region = Record<"from" | "to", number>;

interface Mark {
  start: RegExp;
  /** Where the region ends; `undefined`: its end is not there. */
  end: (text: string, found: Region) => number | undefined;
  /** Beginnings of parts that do not run. */
  skips?: RegExp;
  /** Only in a file that a test runner is given, or if checks run examples: a program may have the words. */
  only?: "if-run" | "if-examples-run";
}

const ATTRIBUTES = String.raw`\s*(?:#\[[^\]]*\]\s*)*`;
const MARKS: Readonly<Partial<Record<string, readonly Mark[]>>> = {
  rust: [
    {
      start: new RegExp(
        String.raw`^[ \t]*#\[cfg\((?:(?:all|any)\([^\]]*\b)?test\b[^\]]*\)\]${ATTRIBUTES}(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*[{;]` +
          String.raw`|^[ \t]*#\[(?:\w+::)*(?:test|rstest|test_case)(?:\([^\]]*\))?\]${ATTRIBUTES}(?:pub\s+)?(?:async\s+)?fn\s+\w+[^{;]*\{`,
        "m",
      ),
      end: endOfBrackets,
    },
    {
      start: /^[ \t]*\/\/[/!][ \t]*```[^\n]*/m,
      skips: /^[^`]*```.*\b(?:text|ignore|no_run|compile_fail|console|toml|sh|bash|json)\b/,
      end: endOfFence,
      only: "if-examples-run",
    },
  ],
  js: [
    {
      start: /^[ \t]*if\s*\(\s*import\.meta\.vitest(?:\s*!==?\s*(?:undefined|null))?\s*\)\s*\{/m,
      end: endOfBrackets,
    },
    {
      start:
        /^[ \t]*(?:if\s*\([^\r\n]{0,200}?\)\s*)?(?:await\s+|void\s+)?(?:test|it|describe|suite)(?:\.\w+)*\s*\((?=\s*["'`])/m,
      end: endOfBrackets,
      only: "if-run",
    },
  ],
  python: [
    {
      start: /^(?:@[^\n]*\n){0,20}class\s+\w+\s*\([^)\n]{0,200}\bTestCase\b[^)\n]*\)[^\n]*/m,
      end: endOfIndented,
    },
    {
      start: /^(?:@[^\n]*\n){0,20}(?:class\s+Test\w*|(?:async\s+)?def\s+test\w*)\b[^\n]*/m,
      end: endOfIndented,
      only: "if-run",
    },
    { start: /^[ \t]*>>> /m, end: endOfExample, only: "if-examples-run" },
  ],
  c: [
    {
      start:
        /^[ \t]*#[ \t]*if(?:def\b|\b(?![ \t]*!))[^\r\n]{0,200}\b(?:\w{1,40}_)?(?:UNIT_?|SELF_?)?TEST(?:S|ING)?(?:_\w+)?\b[^\n]*/m,
      end: endOfCondition,
    },
  ],
};

/** The facts about a file besides its texts. */
export interface Usage {
  /** Examples in documentation are run as tests. */
  runsExamples: boolean;
  /** A test runner is given the file. */
  isRun?: boolean;
  /** Texts of tests in files that the attempt changed or removed: a new file with them was moved. */
  moved?: ReadonlySet<string>;
}

/**
 * The attempt's text of a source file with the tests in it as at the reference, those that were added left
 * out. `undefined`: it has none, or they are as they were. `check`: they cannot be told apart from the rest,
 * so the whole file counts as a check. `before`: empty for a new file.
 */
export function withTestsOf(
  { path, before, after }: { path: string; before: string; after: string },
  usage: Usage,
): { text: string } | "check" | undefined {
  const { moved = new Set() } = usage;
  const [old, now] = [regionsIn(path, before, usage), regionsIn(path, after, usage)];
  if (old === undefined || now === undefined) return "check";
  const gone = [...old];
  const added = now.filter(({ key }) => {
    const at = gone.findIndex((one) => one.key === key);
    if (at >= 0) gone.splice(at, 1);
    return at < 0 && !(before === "" && moved.has(key));
  });
  if (gone.length + added.length === 0) return undefined;
  // As many new ones as old ones are missing: each is an old one that was changed.
  const isChanged = gone.length === added.length;
  // One that is inside of something else has no place of its own any more.
  if (!isChanged && gone.some(({ isInside }) => isInside)) return "check";
  let text = after;
  for (const [at, { from, to }] of [...added.entries()].reverse())
    text = text.slice(0, from) + (isChanged ? (gone[at]?.text ?? "") : "") + text.slice(to);
  if (isChanged || gone.length === 0) return { text };
  return { text: `${text.trimEnd()}\n\n${gone.map((one) => one.text).join("\n\n")}\n` };
}

/** The texts of the tests in a source file. */
export function testTexts({ path, text }: { path: string; text: string }, isRun: boolean): string[] {
  return (regionsIn(path, text, { isRun, runsExamples: false }) ?? []).map(({ key }) => key);
}

/** Whether a source file has examples in its documentation. */
export function hasExamples(path: string, text: string): boolean {
  const marks = MARKS[familyOf(path) ?? ""] ?? [];
  return marks.some(({ only, start }) => only === "if-examples-run" && start.test(text));
}

/** A test in a text. `key`: the text, however far it is indented. `isInside`: of a function, a class or documentation. */
interface Test extends Region {
  text: string;
  key: string;
  isInside: boolean;
}

/** The tests in a text, in order and apart; `undefined` where the end of one cannot be told. */
function regionsIn(
  path: string,
  text: string,
  { isRun = false, runsExamples }: Pick<Usage, "isRun" | "runsExamples">,
): Test[] | undefined {
  const found: (Region & { isExample: boolean })[] = [];
  for (const { start, end, only, skips } of MARKS[familyOf(path) ?? ""] ?? []) {
    if ((only === "if-run" && !isRun) || (only === "if-examples-run" && !runsExamples)) continue;
    const every = new RegExp(start.source, "gm");
    for (let one = every.exec(text); one !== null; one = every.exec(text)) {
      const to = end(text, { from: one.index, to: every.lastIndex });
      if (to === undefined) return undefined;
      if (skips?.test(one[0]) !== true)
        found.push({ from: one.index, to, isExample: only === "if-examples-run" });
      every.lastIndex = Math.max(to, one.index + 1);
    }
  }
  found.sort((a, b) => a.from - b.from);
  const apart = found.filter(({ from }, at) => found.slice(0, at).every(({ to }) => to <= from));
  return apart.map(({ from, to, isExample }) => {
    const own = text.slice(from, to);
    const lines = own.split("\n").map((line) => line.trim());
    return { from, to, text: own, key: lines.join("\n").trim(), isInside: isExample || /^[ \t]/.test(own) };
  });
}

/** Comments, texts and single characters, in which brackets mean nothing; and brackets. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|r(#{0,9})"[\s\S]*?(?:"\1|$)|"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|'(?:\\.|[^'\\\n])'|`(?:\\[\s\S]|[^`\\])*(?:`|\\?$)|[{}()]/g;

/** Behind the bracket that closes the one at the mark's end; a mark without one is the whole region. */
function endOfBrackets(text: string, { to }: Region): number | undefined {
  const open = text.charAt(to - 1);
  if (open !== "{" && open !== "(") return to;
  const close = open === "{" ? "}" : ")";
  TOKEN.lastIndex = to;
  let depth = 1;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    if (token[0] === open) depth++;
    if (token[0] === close && --depth === 0) return TOKEN.lastIndex;
  }
  return undefined;
}

/** Behind the last line that is indented, or is inside of brackets. */
function endOfIndented(text: string, { to }: Region): number {
  const lines = text.slice(to).split("\n");
  let end = to + (lines[0] ?? "").length;
  let at = end;
  for (const line of lines.slice(1)) {
    if (/^[^\s)\]}]/.test(line)) break;
    at += 1 + line.length;
    if (line.trim() !== "") end = at;
  }
  return end;
}

/** Behind the `#endif` of a condition. */
function endOfCondition(text: string, { to }: Region): number | undefined {
  const every = /^[ \t]*#[ \t]*(if|endif)[^\n]*/gm;
  every.lastIndex = to;
  let depth = 1;
  for (let one = every.exec(text); one !== null; one = every.exec(text)) {
    depth += one[1] === "if" ? 1 : -1;
    if (depth === 0) return every.lastIndex;
  }
  return undefined;
}

/** Before the next blank line, or the end of the documentation. */
function endOfExample(text: string, { to }: Region): number {
  const end = /\n\s*(?:\n|$|"""|''')/.exec(text.slice(to));
  return end === null ? text.length : to + end.index;
}

/** Behind the fence that closes this one. */
function endOfFence(text: string, { to }: Region): number | undefined {
  const every = /^[ \t]*\/\/[/!][ \t]*```/gm;
  every.lastIndex = to;
  return every.test(text) ? every.lastIndex : undefined;
}
