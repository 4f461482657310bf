// Glob patterns: `**`, `*`, `?`, `[a-z]`, `{a,b}`. Pure. Does not use a regular expression, which many stars in a hostile
// pattern would make very slow. project-files.ts lists the paths.

const LONGEST = 1000;
const MOST_ALTERNATIVES = 256;

/** Whether a path with `/` between its parts matches. */
export type GlobMatch = (path: string) => boolean;

/** Compiles a pattern, or returns what is wrong with it. A star also matches names that begin with a dot. */
export function compileGlob(pattern: string): { matches: GlobMatch } | { problem: string } {
  if (pattern.length > LONGEST) return { problem: `pattern: longer than ${LONGEST} characters` };
  const spelled = pattern.trim().replace(/^(?:\.\/)+/, "");
  if (spelled === "") return { problem: "pattern: empty; give one like **/*.ts" };
  if (spelled.startsWith("/") || spelled.split("/").includes(".."))
    return { problem: `pattern: ${pattern} leads outside; it is relative to the folder that is searched` };
  const alternatives = expandBraces(spelled);
  if (alternatives === undefined)
    return { problem: `pattern: the braces expand to more than ${MOST_ALTERNATIVES} patterns` };
  const compiled = alternatives.map((one) => one.split("/").map(compileSegment));
  return {
    matches: (path) => {
      const parts = path.split("/");
      return compiled.some((segments) => matchSequence(segments, parts, matchSegment));
    },
  };
}

/** Expands all braces; `undefined` when there are too many alternatives. An unmatched brace is an ordinary character. */
function expandBraces(pattern: string): string[] | undefined {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = findBraces(next);
    if (group === undefined) done.push(next);
    else open.push(...group.options.toReversed().map((option) => group.before + option + group.after));
    if (done.length + open.length > MOST_ALTERNATIVES) return undefined;
  }
  return done;
}

/** Finds the first complete group with a comma and splits it at its own commas. */
function findBraces(pattern: string): { before: string; options: string[]; after: string } | undefined {
  for (let start = pattern.indexOf("{"); start >= 0; start = pattern.indexOf("{", start + 1)) {
    let depth = 0;
    const cuts = [start];
    for (let at = start; at < pattern.length; at++) {
      const char = pattern[at];
      if (char === "{") depth++;
      if (char === "," && depth === 1) cuts.push(at);
      if (char !== "}" || --depth > 0) continue;
      if (cuts.length === 1) break;
      cuts.push(at);
      const options = cuts.slice(1).map((cut, n) => pattern.slice((cuts[n] ?? start) + 1, cut));
      return { before: pattern.slice(0, start), options, after: pattern.slice(at + 1) };
    }
  }
  return undefined;
}

/** Either any number of items or a test for one item. */
type Element<T> = "any" | T;
type CharTest = (char: string) => boolean;
type Segment = Element<readonly Element<CharTest>[]>;

function compileSegment(segment: string): Segment {
  if (segment === "**") return "any";
  const tests: Element<CharTest>[] = [];
  const chars = Array.from(segment);
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? "";
    const close = char === "[" ? chars.indexOf("]", at + 2) : -1;
    if (close > 0) {
      tests.push(compileCharClass(chars.slice(at + 1, close)));
      at = close;
    } else if (char === "*") {
      if (tests.at(-1) !== "any") tests.push("any");
    } else if (char === "?") tests.push(() => true);
    else {
      const literal = char === "\\" ? (chars[++at] ?? "\\") : char;
      tests.push((other) => other === literal);
    }
  }
  return tests;
}

function compileCharClass(chars: readonly string[]): CharTest {
  const negated = chars[0] === "!" || chars[0] === "^";
  const set = negated ? chars.slice(1) : chars;
  const ranges: [string, string][] = [];
  for (let at = 0; at < set.length; at++) {
    const from = set[at] ?? "";
    const to = set[at + 1] === "-" ? set[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== negated;
}

function matchSegment(tests: readonly Element<CharTest>[], part: string): boolean {
  return matchSequence(tests, Array.from(part), (test, char) => test(char));
}

/** Whether the items match the elements. Only the last "any" needs to be retried, so the cost is quadratic at worst. */
function matchSequence<E, T>(
  elements: readonly Element<E>[],
  items: readonly T[],
  one: (element: E, item: T) => boolean,
): boolean {
  let element = 0;
  let item = 0;
  let retry: { element: number; item: number } | undefined;
  while (item < items.length) {
    const current = elements[element];
    if (current === "any") retry = { element: ++element, item };
    else if (current !== undefined && one(current, items[item] as T)) {
      element++;
      item++;
    } else if (retry !== undefined) {
      retry.item++;
      ({ element, item } = retry);
    } else return false;
  }
  return elements.slice(element).every((rest) => rest === "any");
}
