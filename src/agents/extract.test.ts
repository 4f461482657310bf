import * as fc from "fast-check";
import { expect, test } from "vitest";
import { extractReport } from "./extract.js";
import { findObjects } from "./json-objects.js";

const done = { task_id: "T1", status: "done" as const };

test.each([
  ["bare", `Some words.\n${JSON.stringify(done)}`],
  ["fenced", `Some words.\n\`\`\`json\n${JSON.stringify(done, null, 2)}\n\`\`\`\nBye.`],
  ["after braces that are not JSON", `function f() { return {a: 1}; } { {{ "x\n${JSON.stringify(done)} }} {`],
  ["after an odd quote", `It's 5" wide {not json ${JSON.stringify(done)}`],
  ["within another object", JSON.stringify({ result: [{ deep: { ...done, summary: 'say "{" and "}"' } }] })],
  ["before an object that is none", `${JSON.stringify(done)}\n{"status":"ok"}\n{"a":[1,2]}`],
])("finds a summary: %s", (_name, message) => {
  expect(extractReport(message)).toMatchObject({ found: done });
});

test("the last one wins, and an outer one over those inside it", () => {
  const first = JSON.stringify({ task_id: "T1", status: "blocked" });
  const outer = JSON.stringify({ ...done, inner: { task_id: "T9", status: "skipped" } });
  expect(extractReport(`${first}\n${outer}`)).toEqual({ found: done });
  expect(extractReport(`${outer}\n${first}`)).toEqual({ found: { task_id: "T1", status: "blocked" } });
});

test("says why something like a summary is none", () => {
  expect(extractReport('{"task_id":"T1","status":"halfway"}')).toMatchObject({
    invalid: expect.stringContaining("status") as string,
  });
  expect(extractReport('words\n{"task_id":"T1", "status": "do')).toEqual({
    invalid:
      "the summary that begins at line 2, column 1 of the final message stops being JSON at line 2, column 28",
  });
  expect(extractReport('{"task_id":"T1",\n "status": done}')).toEqual({
    invalid:
      "the summary that begins at line 1, column 1 of the final message stops being JSON at line 2, column 12",
  });
});

test.each([
  ["an id in marks and a sentence as status", { task_id: 7, status: "**Done.**" }, { task_id: "7" }],
  ["a word of other tools", { task_id: "T1", status: "Completed" }, { task_id: "T1" }],
  [
    "lists for a text, a text for lists",
    { summary: ["a", "b"], files: "a.ts" },
    { summary: "a\nb", files: ["a.ts"] },
  ],
  ["no text for a list", { blockers: " " }, { blockers: [] }],
  [
    "tasks as texts, without a title, with words",
    {
      new_tasks: [
        "Fix it",
        { details: "Test it.\nWell.", priority: "high", depends_on: "T1, T2", Files: "a" },
      ],
    },
    {
      new_tasks: [
        { title: "Fix it" },
        {
          title: "Test it.",
          details: "Test it.\nWell.",
          priority: 2,
          depends_on: ["T1", "T2"],
          files: ["a"],
        },
      ],
    },
  ],
  ["one new task for a list", { new_tasks: { title: "Fix it" } }, { new_tasks: [{ title: "Fix it" }] }],
])("a report with one meaning is read: %s", (_name, given, meant) => {
  const found = { task_id: null, status: "done", ...meant };
  expect(extractReport(JSON.stringify({ status: "done", ...given }))).toEqual({ found });
});

test.each([
  { new_tasks: [{}] },
  { new_tasks: [7] },
  { files: 3 },
  { status: "in progress" },
  { summary: { a: 1 } },
])("a report that could mean anything is not read: %j", (given) => {
  expect(extractReport(JSON.stringify({ status: "done", summary: "x", ...given }))).toHaveProperty("invalid");
});

test.each([
  ['{"status":"Done"}', "done"],
  ['{"status": "completed"}', "done"],
  ['{"Status":"done"}', "done"],
  ['{"STATUS":"Blocked."}', "blocked"],
  ['It works.\n```json\n{"status":"DONE"}\n```\nAnything else?', "done"],
  ['{"status":"done",}', "done"],
  ['```json\n{"status":"Done","summary":"one\ntwo",}\n```', "done"],
  ['{"status":"Blocked"}\n{"status":"Done"}', "done"],
  ['{"status":"Done"}\n{"status":"halfway"}', "done"],
  ['{"status":"Done"}\n{"status": oops}', "done"],
  // A report as it is counts before one in another spelling.
  ['{"status":"blocked"}\nIt answered {"status":"success"}.', "blocked"],
  ['{"task_id":"T1","status":"skipped"}\n{"status":"done" oops', "skipped"],
])("the least report in another spelling is read: %j", (message, status) => {
  expect(extractReport(message)).toMatchObject({ found: { status } });
});

test.each([
  ['{"status":"halfway"}', 'the status "halfway" is none of done, blocked'],
  ['{"status":"ok"} {"status":429}', 'the status "ok" is none of done'],
  ['{"status":"done" "summary":"x"}', "stops being JSON at line 1, column 18"],
  ['{"status":"success","data":{}}', 'the least report is {"status": "done"}'],
])("a message without a report says why: %j", (message, why) => {
  expect(extractReport(message)).toEqual({ missing: expect.stringContaining(why) as string });
});

test("a broken object with a status does not hide a report that is wrong", () => {
  expect(extractReport('{"task_id":"T1","status":"halfway"} {"status": oops')).toEqual({
    invalid: expect.stringContaining("status: Invalid option") as string,
  });
});

test("an outcome in marks is the stage's", () => {
  expect(extractReport('{"outcome": "`complete`"}', ["complete", "revise"])).toMatchObject({
    found: { outcome: "complete", status: "done" },
  });
});

test.each([
  ["a comma before the end", '{"task_id": "T1", "status": "done", "files": ["a",],\n}'],
  ["comments", '{"task_id": "T1", // mine\n /* all of it */ "status": "done"}'],
  [
    "line breaks and tabs in a text",
    `{"task_id": "T1", "summary": "one${"\n".repeat(30)}\ttwo \\"three\\"", "status": "done"}`,
  ],
  ["another word for done", '{"task_id": "T1", "status": "Success ✅"}'],
])("a report with %s is read", (_, message) => {
  expect(extractReport(`I did {it}.\n${message}\nBye.`)).toMatchObject({
    found: { task_id: "T1", status: "done" },
  });
});

test.each([
  '{"task_id": "T1", "status": "in_progress",}',
  '{"task_id": "T1", "status": done}',
  `{"task_id": "T1", "status": "done" ${",".repeat(3)}}`,
  `{"task_id": "T1", "status": "done", "files": [${'["a",],'.repeat(30)}]}`,
])("a report that can mean more, or has too many slips, is not: %j", (message) => {
  expect(extractReport(message)).toHaveProperty("invalid");
});

test("a valid summary is believed over a broken one after it", () => {
  expect(extractReport(`${JSON.stringify(done)} {"task_id": oops`)).toEqual({ found: done });
});

test.each(["", "no braces", '{"status":"ok"}', '{"id":"T1","title":"x","status":"done"}', "{}", "[1,2,3]"])(
  "is missing in %j",
  (message) => {
    expect(extractReport(message)).toHaveProperty("missing");
  },
);

const prose = fc.string({
  unit: fc.constantFrom("{", "}", '"', "\\", "[", "]", ":", ",", "a", "1", " ", "\n"),
});
const value = fc.jsonValue({ maxDepth: 3 });
const summary = fc.record({
  task_id: fc.option(fc.string()),
  status: fc.constantFrom("done", "blocked", "skipped", "reviewed"),
  summary: fc.string(),
  files: fc.array(fc.string()),
});

test("law: a summary at the end is found, whatever braces stand before it in lines of their own", () => {
  fc.assert(
    fc.property(fc.array(prose), summary, (before, given) => {
      // A quote or bracket left open before would make it part of another value; a closed line of prose does not.
      const text = `${before.join("\n")}\n.\n${JSON.stringify(given)}`;
      const id = (given.task_id ?? "").trim();
      expect(extractReport(text)).toEqual({ found: { ...given, task_id: id === "" ? null : id } });
    }),
    { numRuns: 500 },
  );
});

test("law: the objects found are valid JSON, disjoint, in order, and none that begins outside them is missed", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          prose,
          value.map((json) => JSON.stringify(json)),
        ),
      ),
      (parts) => {
        const text = parts.join(" ");
        const { objects } = findObjects(text, "task_id");
        let last = 0;
        for (const { start, end } of objects) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(typeof JSON.parse(text.slice(start, end))).toBe("object");
          expect(beginsObject(text.slice(last, start))).toBe(false);
          last = end;
        }
        expect(beginsObject(text.slice(last))).toBe(false);
      },
    ),
    { numRuns: 500 },
  );
});

/** The slow way: every brace with every later brace. */
function beginsObject(text: string): boolean {
  for (let start = text.indexOf("{"); start !== -1; start = text.indexOf("{", start + 1)) {
    for (let end = text.indexOf("}", start); end !== -1; end = text.indexOf("}", end + 1)) {
      if (isJson(text.slice(start, end + 1))) return true;
    }
  }
  return false;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** So long that a search that reads its input twice runs into the test's timeout. */
const MUCH = 4 * 1024 * 1024;

test.each([
  ["open braces", "{"],
  ["members that never close", '{"a":'],
  ["arrays that never close", '{"a":['],
  ["braces in strings", '{"{'],
  ["quotes and braces", '{"'],
  ["escaped quotes", '{"\\"'],
  ["spaces", "{   "],
  ["closed objects", '{"task_id":1}'],
  ["numbers", '{"a":11111111,'],
])("4 MiB of %s are read to the end", (_name, part) => {
  const message = part.repeat(MUCH / part.length);
  const report = extractReport(`${message}\n${JSON.stringify(done)}`);
  expect("found" in report || "invalid" in report || "missing" in report).toBe(true);
});

test("nesting of 200,000 neither overflows nor hides the summary after it", () => {
  const deep = '{"a":'.repeat(200_000) + "1" + "}".repeat(200_000);
  expect(extractReport(`${deep} ${JSON.stringify(done)}`)).toEqual({ found: done });
});

test("null means left out, as the strict schema has agents say it", () => {
  const summary = {
    task_id: null,
    status: "done",
    summary: "ok",
    files: null,
    blockers: null,
    new_tasks: [{ title: "x", id: null }],
  };
  expect(extractReport(JSON.stringify(summary))).toEqual({
    found: { task_id: null, status: "done", summary: "ok", new_tasks: [{ title: "x" }] },
  });
});

test.each([
  ['{"status":"done","summary":"I did it"}', { status: "done", summary: "I did it" }],
  ['{"task_id":"","status":"done"}', { status: "done" }],
  ['{"status":"blocked","blockers":["a key"]}', { status: "blocked", blockers: ["a key"] }],
  [
    '{"status":"reviewed","summary":"All well.","added_tasks":0}',
    { status: "reviewed", summary: "All well." },
  ],
  ['{"status":"reviewed"}', { status: "reviewed" }],
])("a summary without a task_id is for the task given: %s", (text, found) => {
  expect(extractReport(`Words.\n${text}`)).toEqual({ found: { task_id: null, ...found } });
});

test("an object with an id of its own, or another status, is not a summary", () => {
  expect(extractReport('{"id":"T1","status":"done"}')).toHaveProperty("missing");
  expect(extractReport('{"status":"ok"}')).toHaveProperty("missing");
});
