// A backlog in other forms; the checklist is read back to the same tasks.
import fc from "fast-check";
import { expect, test } from "vitest";
import { planImport } from "../import/plan.js";
import { readImport } from "../import/read.js";
import { backlog, task } from "../../testing/testing.js";
import { STATUSES } from "../../model/status.js";
import { TaskId, type Backlog, type Task } from "../../model/task.js";
import { exportCsv } from "./csv.js";
import { exportMarkdown } from "./markdown.js";

function readBack(markdown: string): Task[] {
  const read = readImport(Buffer.from(markdown), "-");
  if (!read.ok) throw new Error(read.error.what);
  const { tasks, notes } = planImport(read.value);
  expect(notes.filter((note) => !note.includes("lines of text"))).toEqual([]);
  return tasks;
}

const told = ({ id, title, status, priority, depends_on = [], tags = [] }: Task) => ({
  id,
  title,
  status,
  priority,
  depends_on,
  tags,
});

const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "T1: ",
    "(P1)",
    "(blocked)",
    "#x",
    " ",
    "- [ ] ",
    "<!-- looper {} -->",
    "-->",
    "**a**: ",
    "\n",
    "```",
    "é́",
    "(after T1)",
    "[high]",
    "# h",
    "\ud800",
  ),
);
const words = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
const title = words.filter((text) => text !== "");
const id = fc
  .oneof(
    fc.stringMatching(/^T\d{1,2}$/),
    words.map((text) => text.replaceAll(/\s/gu, "")),
  )
  .filter((text) => TaskId.safeParse(text).success);

const tasks = fc.uniqueArray(id, { minLength: 1, maxLength: 6 }).chain((ids) =>
  fc.tuple(
    ...ids.map((one, at) =>
      fc.record({
        id: fc.constant(TaskId.parse(one)),
        title,
        status: fc.constantFrom(...STATUSES),
        priority: fc.integer({ min: 1, max: 5 }),
        depends_on: fc.subarray(ids.slice(0, at)).map((edges) => edges.map((edge) => TaskId.parse(edge))),
        tags: fc.array(words, { maxLength: 3 }),
        description: words,
        details: words,
        steps: fc.array(words, { maxLength: 2 }),
      }),
    ),
  ),
);

test("an exported checklist is read back to the same tasks", () => {
  fc.assert(
    fc.property(tasks, (made) => {
      expect(readBack(exportMarkdown(backlog(...made))).map(told)).toEqual(made.map(told));
    }),
    { numRuns: 500 },
  );
});

test("an exported checklist uses words wherever they are exact", () => {
  const whole: Backlog = {
    ...backlog(
      task("T1", { title: "Set up", status: "done", priority: 1 }),
      task("T2", {
        title: "Login",
        depends_on: [TaskId.parse("T1")],
        tags: ["api", "two words"],
        status: "blocked",
        blockers: ["no key"],
        details: "One.\n\nTwo.",
        steps: ["form", "session"],
      }),
    ),
    project: { name: "Shop" },
  };
  expect(exportMarkdown(whole)).toBe(`# Shop

- [x] **T1**: Set up (P1)
- [ ] **T2**: Login (after T1) (blocked) #api <!-- looper {"tags":["api","two words"]} -->

  One.

  Two.

  Blocked: no key

  - [ ] form
  - [ ] session
`);
});

test("an edit of the checklist by a person takes precedence", () => {
  const [first = ""] = exportMarkdown(backlog(task("T1", { title: "a  b", tags: ["x"] })))
    .split("\n")
    .slice(2);
  expect(first).toContain("<!-- looper");
  expect(readBack(`${first.replace("a b", "a c").replace("[ ]", "[x]")}\n`).map(told)).toMatchObject([
    { id: "T1", title: "a c", status: "done", tags: ["x"] },
  ]);
});

/** RFC 4180, read. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

test("CSV has a header, a row for each task, whole cells, and no formulas", () => {
  fc.assert(
    fc.property(tasks, (made) => {
      const [header = [], ...rows] = readCsv(exportCsv(backlog(...made)));
      expect(rows).toHaveLength(made.length);
      for (const [at, row] of rows.entries()) {
        expect(row).toHaveLength(header.length);
        for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
        const cell = row[header.indexOf("title")] ?? "";
        const { title: wanted = "" } = made[at] ?? {};
        expect([wanted, `'${wanted}`]).toContain(cell);
      }
    }),
  );
});

test("CSV has formulas as text and lists joined", () => {
  const text = exportCsv(
    backlog(
      task("T1", {
        title: '=HYPERLINK("http://x")',
        tags: ["a", "b"],
        steps: ["one", "two"],
        depends_on: [],
      }),
      task("T2", { title: "-1+1", meta: { a: 1 } }),
    ),
  );
  const [header, first, second] = readCsv(text);
  expect(header?.slice(0, 4)).toEqual(["id", "title", "status", "priority"]);
  expect(first).toEqual(expect.arrayContaining(["T1", `'=HYPERLINK("http://x")`, "a, b", "one\ntwo"]));
  expect(second).toEqual(expect.arrayContaining(["'-1+1", '{"a":1}']));
});
