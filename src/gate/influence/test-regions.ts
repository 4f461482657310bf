// Finds the parts of a source file that are tests, by the marks of each language. Pure.
// By the rules of cargo (doc.rust-lang.org/book/ch11-03), vitest (vitest.dev/guide/in-source), pytest and unittest (collection by name
// and class), node:test (calls of `test`), and the custom of C to compile a test with `-DTEST`.
// Leaves what becomes of these parts to tests-in-source.ts.

/** A part of a text. */
export interface Region {
  from: number;
  to: number;
}

interface Mark {
  start: RegExp;
  /** Where the region ends; `undefined`: its end is not there. */
  end: (text: string, found: Region) => number | undefined;
  /** Only in a file that a test runner is given: elsewhere a program may have the same words. */
  isOnlyIfRun?: true;
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
      isOnlyIfRun: true,
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
      isOnlyIfRun: true,
    },
  ],
  // Only a test that begins and ends at the margin: others count as parts that cannot be told apart.
  zig: [{ start: /^test\b[^\r\n{]*\{[ \t]*$/m, end: endAtMargin }],
  c: [
    {
      start:
        /^[ \t]*#[ \t]*if(?:def\b|\b(?![ \t]*!))[^\r\n]{0,200}\b(?:\w{1,40}_)?(?:UNIT_?|SELF_?)?TEST(?:S|ING)?(?:_\w+)?\b[^\n]*/m,
      end: endOfCondition,
    },
  ],
};

/** Whether a text has a part that begins as a test of its language. `isRun`: a test runner is given the file. */
export function hasTests(text: string, family: string, isRun: boolean): boolean {
  return marksOf(family, isRun).some(({ start }) => start.test(text));
}

/** The regions of tests in a text, in order and apart; `undefined` where the end of one cannot be told. */
export function testRegions(text: string, family: string, isRun: boolean): Region[] | undefined {
  const found: Region[] = [];
  for (const { start, end } of marksOf(family, isRun)) {
    const every = new RegExp(start.source, "gm");
    for (let one = every.exec(text); one !== null; one = every.exec(text)) {
      const to = end(text, { from: one.index, to: every.lastIndex });
      if (to === undefined) return undefined;
      found.push({ from: one.index, to });
      every.lastIndex = Math.max(to, one.index + 1);
    }
  }
  found.sort((a, b) => a.from - b.from);
  return found.filter(({ from }, at) => at === 0 || found.slice(0, at).every(({ to }) => to <= from));
}

function marksOf(family: string, isRun: boolean): readonly Mark[] {
  return (MARKS[family] ?? []).filter(({ isOnlyIfRun }) => isRun || isOnlyIfRun !== true);
}

/** Comments, texts and single characters, in which brackets mean nothing; and brackets. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|r(#{0,9})"[\s\S]*?(?:"\1|$)|"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|'(?:\\.|[^'\\\n])'|`(?:\\[\s\S]|[^`\\])*(?:`|\\?$)|[{}()]/g;

/** Behind the bracket that closes the one with which the mark ends; a mark without one is the whole region. */
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

/** Behind the first bracket at the margin. No text of Zig has one there. */
function endAtMargin(text: string, { to }: Region): number | undefined {
  const at = text.indexOf("\n}", to);
  return at < 0 ? undefined : at + 2;
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
