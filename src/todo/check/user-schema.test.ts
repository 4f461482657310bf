import { expect, test } from "vitest";
import { compileUserSchema } from "./user-schema.js";

function findings(schema: unknown, value: unknown): unknown {
  const compiled = compileUserSchema(schema);
  return compiled.ok ? compiled.value(value) : compiled.error;
}

test.each([
  [
    "http://json-schema.org/draft-07/schema#",
    { definitions: { n: { type: "number" } }, $ref: "#/definitions/n" },
  ],
  ["https://json-schema.org/draft/2019-09/schema", { $recursiveAnchor: true, type: "number" }],
  ["https://json-schema.org/draft/2020-12/schema", { $defs: { n: { type: "number" } }, $ref: "#/$defs/n" }],
  [undefined, { type: "number", "x-mine": 1, format: "whatever" }],
])("a schema of %s", ($schema, rest) => {
  const schema = $schema === undefined ? rest : { $schema, ...rest };
  expect(findings(schema, 1)).toEqual([]);
  expect(findings(schema, "1")).toMatchObject([{ rule: "schema", pointer: "" }]);
});

test("prefixItems is a keyword only in draft 2020-12", () => {
  const prefixItems = [{ type: "string" }];
  expect(findings({ prefixItems }, [1])).toHaveLength(1);
  expect(findings({ $schema: "http://json-schema.org/draft-07/schema#", prefixItems }, [1])).toEqual([]);
});

test("a key that is not allowed has the place of the key, and every problem is reported", () => {
  const schema = { properties: { a: { format: "date" } }, additionalProperties: false };
  expect(findings(schema, { a: "x", "b/c~": 1 })).toEqual([
    expect.objectContaining({ pointer: "/b~1c~0", atKey: true }),
    expect.objectContaining({ pointer: "/a" }),
  ]);
});

test("a violation has ajv's message and its place in the schema", () => {
  const schema = { type: "object", required: ["a"], additionalProperties: false };
  expect(findings(schema, 1)).toEqual([
    { rule: "schema", pointer: "", message: "must be object (#/type)", suggestion: null },
  ]);
  expect(findings(schema, { b: 1 })).toEqual([
    {
      rule: "schema",
      pointer: "",
      message: "must have required property 'a' (#/required)",
      suggestion: null,
    },
    {
      rule: "schema",
      pointer: "/b",
      atKey: true,
      message: 'the key "b" is not allowed (#/additionalProperties)',
      suggestion: null,
    },
  ]);
  expect(
    findings({ properties: { x: { propertyNames: { maxLength: 1 } } } }, { x: { ab: 1 } }),
  ).toMatchObject([{ pointer: "/x" }, { pointer: "/x" }]);
});

test("a schema may be true or false", () => {
  expect(findings(true, 1)).toEqual([]);
  expect(findings(false, 1)).toMatchObject([
    { pointer: "", message: "boolean schema is false (#/false schema)" },
  ]);
});

test.each([
  [1, "a JSON Schema is an object, not 1"],
  [null, "a JSON Schema is an object, not null"],
  [[], "a JSON Schema is an object, not an array"],
  [{ type: "banana" }, "schema is invalid"],
  [{ $ref: "https://example.com/other.json" }, "can't resolve reference https://example.com/other.json"],
  [{ $schema: 7 }, "$schema must be a string"],
  [{ $schema: "https://example.com/draft" }, "no schema with key or ref"],
])("%j cannot be used, and says why", (schema, why) => {
  expect(findings(schema, 1)).toContain(why);
});
