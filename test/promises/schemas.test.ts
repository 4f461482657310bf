import { readFileSync, readdirSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect, test } from "vitest";
import { PUBLISHED, schemaText, STORED, type PublishedSchema } from "../../scripts/schema-list.js";

const root = new URL("../../", import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), "utf8");

function validator({ path, make }: PublishedSchema) {
  const ajv = new Ajv2020({ strict: true, strictTuples: false, strictTypes: false, allErrors: true });
  formats.default(ajv);
  const schema = make();
  if (typeof schema !== "object" || schema === null) throw new Error(`${path} is not an object`);
  return ajv.compile(schema);
}

test.each(STORED)("$path is in step with the code", (schema) => {
  expect(text(schema.path)).toBe(schemaText(schema));
});

test.each(PUBLISHED)("$path says which draft it is, and has a title", (published) => {
  const schema = published.make();
  expect(schema).toHaveProperty("$schema", "https://json-schema.org/draft/2020-12/schema");
  expect(schema).toHaveProperty("title", expect.stringMatching(/^\S.*/));
  expect(validator(published)).toBeTypeOf("function");
});

test("this project's own backlog is valid", () => {
  const backlog: unknown = JSON.parse(text("to-do.json"));
  expect(backlog).toHaveProperty("$schema", "./run.schema.json");
  const [schema] = STORED;
  expect(schema?.path).toBe("run.schema.json");
  const valid = validator(schema as PublishedSchema);
  valid(backlog);
  expect(valid.errors).toBeNull();
});

test("no schema file is left over", () => {
  const lying = readdirSync(new URL("schemas", root), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => `schemas/${name}`);
  const stored = STORED.map(({ path }) => path).filter((path) => path.startsWith("schemas/"));
  expect(lying.sort()).toEqual(stored.sort());
});
