import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { backlogJsonSchema, summaryJsonSchema, summaryStrictJsonSchema } from "./schema.js";
import { explainShape, isBacklog } from "./shape.js";
import { AgentReport } from "../model/summary.js";
import { Backlog } from "../model/task.js";
import { isDateTime } from "../model/date-time.js";

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    " ",
    "T1",
    "a b",
    "todo",
    "done",
    "reviewed",
    0,
    1,
    5,
    6,
    1.5,
    -1,
    1e300,
    2 ** 53,
    null,
    true,
    "2026-01-02T03:04:05Z",
    "2026-13-02T03:04:05Z",
    "\ud800",
    "\u00a0",
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

function objectsLike(keys: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  return fc.dictionary(fc.constantFrom(...keys, "__proto__", "foo"), odd, { noNullPrototype: false });
}

const good = { id: "T1", title: "x", priority: 1, status: "todo" };
const someTask = fc.oneof(
  objectsLike([...Object.keys(good), "steps", "meta", "created_at", "attempts", "depends_on"]),
  fc.tuple(fc.constant(good), objectsLike(["steps", "updated_at", "attempts", "agent", "title"])).map(both),
);
const someBacklog = fc
  .tuple(
    fc.record({
      schema_version: fc.constantFrom<unknown>(1, 1, 1, 2, "1"),
      source_files: fc.constantFrom<unknown>([], [], ["a"], [1]),
      tasks: fc.array(someTask, { maxLength: 3 }),
    }),
    fc.oneof(fc.constant({}), objectsLike(["project", "meta", "$schema", "tasks"])),
  )
  .map(both);

function both([a, b]: [object, object]): unknown {
  return { ...a, ...b };
}

test("ajv on the published schema and zod agree on every backlog", () => {
  let valid = 0;
  let tried = 0;
  fc.assert(
    fc.property(someBacklog, (value) => {
      tried++;
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      const said = isBacklog(parsed);
      if (said) valid++;
      expect(Backlog.safeParse(parsed).success).toBe(said);
      if (!said) expect(explainShape(parsed)).not.toEqual([]);
    }),
    { numRuns: 3000 },
  );
  expect(valid).toBeGreaterThan(tried / 100);
});

const summaryKeys = ["task_id", "status", "summary", "files", "blockers", "new_tasks", "changes_checks"];
const someSummary = fc
  .tuple(
    fc.constant({ task_id: "T1", status: "done" }),
    objectsLike(summaryKeys),
    fc.record({ new_tasks: fc.array(someTask) }, { requiredKeys: [] }),
  )
  .map(([a, b, c]) => both([{ ...a, ...b }, c]));

test("ajv on the published schema and zod agree on every summary", () => {
  const validate = new Ajv2020({ strictTuples: false }).compile(summaryJsonSchema());
  let valid = 0;
  let tried = 0;
  fc.assert(
    fc.property(someSummary, (value) => {
      tried++;
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      const said = AgentReport.safeParse(parsed).success;
      if (said) valid++;
      expect(validate(parsed)).toBe(said);
    }),
    { numRuns: 3000 },
  );
  expect(valid).toBeGreaterThan(tried / 100);
});

test("the strict variant requires every key, and allows null for optional ones only", () => {
  const validate = new Ajv2020().compile(summaryStrictJsonSchema());
  const task = {
    ...{ id: null, title: "x", description: null, reference: null, priority: 2, details: null, steps: ["a"] },
    ...{ tags: null, files: null, depends_on: null, verify: null, agent: null },
  };
  const whole = {
    task_id: null,
    status: "done",
    summary: null,
    files: [],
    blockers: null,
    new_tasks: [task],
    changes_checks: null,
  };
  expect(validate(whole)).toBe(true);
  for (const key of Object.keys(whole)) {
    const less = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key));
    expect(validate(less), key).toBe(false);
  }
  expect(validate({ ...whole, extra: 1 })).toBe(false);
  expect(validate({ ...whole, status: null })).toBe(false);
  expect(validate({ ...whole, new_tasks: [{ ...task, extra: 1 }] })).toBe(false);
  expect(validate({ ...whole, new_tasks: [{ title: "x" }] })).toBe(false);
  expect(JSON.stringify(summaryStrictJsonSchema())).not.toMatch(
    /"(\$schema|\$id|minLength|minimum|maximum)"/,
  );
});

test("a published schema names its draft and its title", () => {
  expect(backlogJsonSchema()).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:looper:run.schema.json",
    additionalProperties: false,
    required: ["schema_version", "source_files", "tasks"],
    properties: { tasks: { items: { additionalProperties: false, required: Object.keys(good) } } },
  });
  expect(summaryJsonSchema()).toMatchObject({
    $id: "urn:looper:summary.schema.json",
    title: "Looper summary",
  });
  expect(backlogJsonSchema()).toHaveProperty("title", "Looper task file");
  const closed = JSON.stringify(summaryJsonSchema()).includes("additionalProperties");
  expect(closed).toBe(false);
});

test.each([
  ["2026-11-20T21:46:01Z", true],
  ["2026-11-20t21:46:01.5+09:00", true],
  ["2024-02-29T00:00:00Z", true],
  ["0001-01-01T00:00:00Z", true],
  ["2026-02-29T00:00:00Z", false],
  ["2026-11-31T00:00:00Z", false],
  ["2026-00-10T00:00:00Z", false],
  ["2026-11-00T00:00:00Z", false],
  ["2026-11-20T24:00:00Z", false],
  ["2026-11-20T21:46:01", false],
  ["2026-11-20", false],
])("%s is a date and time: %j", (text, expected) => {
  expect(isDateTime(text)).toBe(expected);
});
