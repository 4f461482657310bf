// Reads TAP, versions 12 to 14, among other output, with subtests as node's runner, Perl and TAP 14 write
// them. Pure. report.ts finds it in a text.
import { joinName, type CleanPart, type TestReport } from "./test-names.js";
import type { TestStatus } from "../verdict.js";

const INDENT = 4;
const POINT = /^(not )?ok(?: (\d+))?(?: -(?: (.*))?)?$/;
/** A point with a name but no dash needs a number: `ok then` is a test's own output. */
const BARE_POINT = /^(not )?ok (\d+) (.*)$/;
const PLAN = /^1\.\.(\d+)\b/;
const VERSION = /^TAP version \d+$/;
const SUBTEST = /^# Subtest: (.*)$/;
const BAIL_OUT = /^Bail out!/i;
const DIRECTIVE = /#\s*(?:(skip|todo)\b|time=)/iy;

const MISSED_PLAN = "(as many tests as planned)";
const BAILED_OUT = "(no bail out)";

/** Reads every document in the text, one after the other. */
export function readTap(text: string, clean: CleanPart): TestReport {
  const reading = new Reading();
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end === -1 ? text.length : end);
    reading.line(line.trimEnd());
    start = end === -1 ? text.length : end + 1;
  }
  return {
    how: "read",
    cases: reading.end().map(({ groups, name, status }) => {
      const suite = groups.map(clean).filter((part) => part !== "");
      return { name: joinName(suite.reduce(joinName, ""), clean(name)), status };
    }),
  };
}

interface Point {
  /** The names of the subtests that it is in. */
  groups: string[];
  name: string;
  status: TestStatus;
}

/** A document, or the subtests of one point, which comes last unless they are in braces behind it. */
interface Group {
  name: string | undefined;
  /** Of the group and of those in it. */
  all: Point[];
  points: number;
  planned: number | undefined;
  /** The plan came after the points. */
  over: boolean;
}

class Reading {
  readonly #closed: Point[] = [];
  /** The open groups by level. */
  readonly #open: Group[] = [];
  /** The last name after `# Subtest:`, by level. */
  readonly #announced: string[] = [];
  /** The indentation of the open YAML block. */
  #yaml = Infinity;
  #afterPoint = false;

  line(line: string): void {
    const rest = line.trimStart();
    const indent = line.length - rest.length;
    if (rest === "" || this.#inYaml(indent, rest)) return;
    const afterPoint = this.#afterPoint;
    this.#afterPoint = false;
    if (afterPoint && rest === "---") this.#yaml = indent;
    // A line with any other indentation was printed by a test.
    if (indent % INDENT !== 0 || indent / INDENT > Math.max(1, this.#open.length)) return;
    this.#tap(indent / INDENT, rest);
  }

  /** The points, after every line was read. */
  end(): readonly Point[] {
    this.#closeTo(0);
    return this.#closed;
  }

  #inYaml(indent: number, rest: string): boolean {
    const inside = indent >= this.#yaml;
    // A block that was cut off does not hide the tests after it.
    if (!inside || (indent === this.#yaml && rest === "...")) this.#yaml = Infinity;
    return inside;
  }

  #tap(level: number, rest: string): void {
    const [, planned] = PLAN.exec(rest) ?? [];
    const [, subtest] = SUBTEST.exec(rest) ?? [];
    const point = POINT.exec(rest) ?? BARE_POINT.exec(rest);
    if (point !== null) {
      this.#readPoint(level, point[1] === undefined, point[3] ?? "", point[2] ?? "");
    } else if (planned !== undefined) {
      this.#closeTo(level + 1);
      // A second plan begins a new document, for instance when a script runs two programs.
      if (this.#open[level]?.planned !== undefined) this.#closeTo(level);
      const group = this.#at(level);
      group.planned = Number(planned);
      group.over = group.points > 0;
    } else if (subtest !== undefined) {
      this.#at(level);
      this.#announced[level] = subtest;
    } else if (VERSION.test(rest)) {
      this.#closeTo(level);
    } else if (rest === "}") {
      this.#closeTo(level + 1);
    } else if (BAIL_OUT.test(rest)) {
      this.#at(0).all.push({ groups: [], name: BAILED_OUT, status: "failed" });
    }
  }

  #readPoint(level: number, ok: boolean, text: string, number: string): void {
    const opens = text.endsWith(" {");
    const { name, skipped } = splitDirective(opens ? text.slice(0, -2) : text);
    this.#closeTo(level + 1, name);
    if (this.#open[level]?.over === true) this.#closeTo(level);
    const group = this.#at(level);
    group.points += 1;
    const status = skipped ? "skipped" : ok ? "passed" : "failed";
    group.all.push({ groups: [], name: name === "" ? number : name, status });
    if (opens) this.#at(level + 1).name = name;
    this.#afterPoint = true;
  }

  /** The open group of a level, with those above it. */
  #at(level: number): Group {
    while (this.#open.length <= level)
      this.#open.push({ name: undefined, all: [], points: 0, planned: undefined, over: false });
    return this.#open[level] as Group;
  }

  /** Closes a level and those below it. `name`: of the point that ends the level. */
  #closeTo(level: number, name?: string): void {
    while (this.#open.length > level) {
      const group = this.#open.pop() as Group;
      const own = group.name ?? (this.#open.length === level ? name : undefined);
      const parent = this.#open.at(-1);
      if (group.planned !== undefined && group.planned !== group.points)
        group.all.push({ groups: [], name: MISSED_PLAN, status: "failed" });
      for (const point of group.all) {
        if (parent !== undefined) point.groups.unshift(own ?? this.#announced[this.#open.length - 1] ?? "");
        (parent?.all ?? this.#closed).push(point);
      }
    }
  }
}

/** Splits `name # SKIP why`: a hash after a space begins a directive only before SKIP, TODO or `time=`. */
function splitDirective(text: string): { name: string; skipped: boolean } {
  for (let at = text.indexOf("#"); at !== -1; at = text.indexOf("#", at + 1)) {
    DIRECTIVE.lastIndex = at;
    const found = at === 0 || text[at - 1] === " " ? DIRECTIVE.exec(text) : null;
    if (found !== null)
      return { name: unescape(text.slice(0, at).trimEnd()), skipped: found[1] !== undefined };
  }
  return { name: unescape(text), skipped: false };
}

function unescape(text: string): string {
  return text.replaceAll(/\\([#\\])/g, "$1");
}
