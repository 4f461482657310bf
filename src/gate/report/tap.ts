// Reads TAP, versions 12 to 14, among other output, with subtests as node's runner, Perl and TAP 14 write them. Pure.
// report.ts finds it in a text.
import { joinName, type CleanPart, type TestReport, type TestCase } from "./test-names.js";
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
  return { how: "read", cases: reading.end(clean) };
}

/** A document, or the subtests of one point. */
interface Group {
  parent: Group | undefined;
  /** Final only once the group's point is read, which comes last; "" for a document. */
  name: string;
  /** Opened by a point with a brace, so that no later point names it. */
  braced: boolean;
  planned: number | undefined;
  /** The plan came after the points. */
  over: boolean;
  points: number;
}

function newGroup(parent: Group | undefined, name: string, braced = false): Group {
  return { parent, name, braced, planned: undefined, over: false, points: 0 };
}

interface Point {
  group: Group;
  name: string;
  status: TestStatus;
}

class Reading {
  readonly #points: Point[] = [];
  /** Parents before their children. */
  readonly #groups: Group[] = [];
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

  /** The cases, after every line was read. */
  end(clean: CleanPart): TestCase[] {
    this.#closeTo(0);
    const names = new Map<Group | undefined, string>();
    for (const group of this.#groups) {
      const outer = names.get(group.parent) ?? "";
      const own = clean(group.name);
      names.set(group, own === "" ? outer : joinName(outer, own));
    }
    return this.#points.map(({ group, name, status }) => ({
      name: joinName(names.get(group) ?? "", clean(name)),
      status,
    }));
  }

  #inYaml(indent: number, rest: string): boolean {
    const inside = indent >= this.#yaml;
    // A block that was cut off does not hide the tests after it.
    if (!inside || (indent === this.#yaml && rest === "...")) this.#yaml = Infinity;
    return inside;
  }

  #tap(level: number, rest: string): void {
    const plan = PLAN.exec(rest);
    const point = POINT.exec(rest) ?? BARE_POINT.exec(rest);
    const subtest = SUBTEST.exec(rest);
    if (point !== null) {
      this.#readPoint(level, point[1] === undefined, point[3] ?? "", point[2] ?? "");
    } else if (plan !== null) {
      this.#readPlan(level, Number(plan[1]));
    } else if (subtest !== null) {
      this.#at(level);
      this.#announced[level] = subtest[1] ?? "";
    } else if (VERSION.test(rest)) {
      this.#closeTo(level);
    } else if (rest === "}") {
      this.#closeTo(level + 1);
    } else if (BAIL_OUT.test(rest)) {
      this.#points.push({ group: this.#at(0), name: BAILED_OUT, status: "failed" });
    }
  }

  #readPoint(level: number, ok: boolean, text: string, number: string): void {
    const subtests = this.#open[level + 1];
    const opens = text.endsWith(" {");
    const { name, skipped } = splitDirective(opens ? text.slice(0, -2) : text);
    if (subtests?.braced === false) subtests.name = name;
    this.#closeTo(level + 1);
    if (this.#open[level]?.over === true) this.#again(level);
    const group = this.#at(level);
    group.points += 1;
    const status = skipped ? "skipped" : ok ? "passed" : "failed";
    this.#points.push({ group, name: name === "" ? number : name, status });
    if (opens) this.#push(newGroup(group, name, true));
    this.#afterPoint = true;
  }

  #readPlan(level: number, planned: number): void {
    this.#closeTo(level + 1);
    // A second plan begins a new document, for instance when a script runs two programs.
    if (this.#open[level]?.planned !== undefined) this.#again(level);
    const group = this.#at(level);
    group.planned = planned;
    group.over = group.points > 0;
  }

  /** Returns the open group of a level, and opens it if necessary. */
  #at(level: number): Group {
    const open = this.#open[level];
    if (open !== undefined) return open;
    if (level === 0) return this.#push(newGroup(undefined, ""));
    return this.#push(newGroup(this.#at(level - 1), this.#announced[level - 1] ?? ""));
  }

  #push(group: Group): Group {
    this.#open.push(group);
    this.#groups.push(group);
    return group;
  }

  #again(level: number): void {
    const before = this.#at(level);
    this.#closeTo(level);
    this.#push(newGroup(before.parent, before.name, before.braced));
  }

  #closeTo(level: number): void {
    for (const group of this.#open.splice(level)) {
      if (group.planned === undefined || group.planned === group.points) continue;
      this.#points.push({ group, name: MISSED_PLAN, status: "failed" });
    }
  }
}

/** Splits `name # SKIP why`: a hash after a space begins a directive only if SKIP, TODO or `time=` follows. */
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
