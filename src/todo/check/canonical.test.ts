import fc from "fast-check";
import { expect, test } from "vitest";
import { formatBacklog } from "./canonical.js";

const format = (text: string): string => {
  const formatted = formatBacklog(Buffer.from(text));
  if (!formatted.ok) throw new Error(formatted.error[0]?.message);
  return formatted.value;
};
const rulesOf = (bytes: Uint8Array | string): string[] => {
  const formatted = formatBacklog(Buffer.from(bytes));
  return formatted.ok ? [] : formatted.error.map(({ rule }) => rule);
};

test("formatting sorts keys and tasks, removes empty values, and keeps unknown keys last", () => {
  const text = `\ufeff{"tasks":[
    {"zebra":[],"status":"todo","priority":2,"title":"b","id":"T10","meta":{"b":[],"a":""},"tags":[],"details":""},
    {"title":"a","id":"T2","status":"done","priority":2,"depends_on":["T1"]},
    {"id":"T3","title":"\\u00e4","priority":1,"status":"todo"}],\r\n
    "x": 1, "meta": {}, "source_files":[],"project":{"root":"a","name":""},"schema_version":1}`;
  expect(format(text)).toBe(
    `${JSON.stringify(
      {
        schema_version: 1,
        project: { name: "", root: "a" },
        source_files: [],
        tasks: [
          { id: "T3", title: "ä", priority: 1, status: "todo" },
          { id: "T2", title: "a", priority: 2, status: "done", depends_on: ["T1"] },
          { id: "T10", title: "b", priority: 2, status: "todo", meta: { b: [], a: "" }, zebra: [] },
        ],
        meta: {},
        x: 1,
      },
      null,
      2,
    )}\n`,
  );
});

test("a task file that is not a valid backlog is formatted too", () => {
  expect(
    JSON.parse(format('{"tasks":[3,{"id":"b"},{"id":"a","priority":"high"},{"priority":5},null]}')),
  ).toEqual({
    tasks: [{ priority: 5 }, 3, null, { id: "a", priority: "high" }, { id: "b" }],
  });
});

test.each([
  ["no JSON", "{", ["syntax"]],
  ["nothing", "", ["syntax"]],
  ["a key twice", '{"tasks":[],"a":1,"a":2}', ["duplicate-key"]],
  ["a number that would change", '{"tasks":[],"a":12345678901234567890}', ["number"]],
  ["no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), ["utf-8"]],
  ["nesting", `{"tasks":[],"a":${"[".repeat(300)}${"]".repeat(300)}}`, ["nesting"]],
  ["no tasks", '{"a":1}', ["wrong-type"]],
  ["tasks that are not a list", '{"tasks":{}}', ["wrong-type"]],
  ["a list", "[]", ["wrong-type"]],
])("%s is refused", (_what, bytes, rules) => {
  expect(rulesOf(bytes)).toEqual(rules);
});

test("formatting twice changes nothing more, and no value is lost", () => {
  const task = fc.record(
    {
      id: fc.string(),
      title: fc.string(),
      priority: fc.oneof(fc.integer(), fc.string()),
      tags: fc.array(fc.string()),
      meta: fc.jsonValue(),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const file = fc.record({ tasks: fc.array(fc.oneof(task, fc.jsonValue())), meta: fc.jsonValue() });
  fc.assert(
    fc.property(file, (value) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const once = formatBacklog(bytes);
      fc.pre(once.ok);
      expect(formatBacklog(Buffer.from(once.value))).toEqual(once);
      const after = JSON.parse(once.value) as { tasks: unknown[]; meta: unknown };
      const before = JSON.parse(JSON.stringify(value)) as { tasks: unknown[]; meta: unknown };
      expect(after.meta).toEqual(before.meta);
      expect(after.tasks).toHaveLength(before.tasks.length);
      const rest = ({ tags: _tags, title: _title, ...others }: Record<string, unknown>): string =>
        JSON.stringify(Object.entries(others).sort());
      const kept = (tasks: unknown[]): string[] =>
        tasks
          .map((one) =>
            typeof one === "object" && one !== null && !Array.isArray(one)
              ? rest(one as Record<string, unknown>)
              : JSON.stringify(one),
          )
          .sort();
      expect(kept(after.tasks)).toEqual(kept(before.tasks));
    }),
    { numRuns: 300 },
  );
});
