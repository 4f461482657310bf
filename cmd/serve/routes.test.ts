import { expect, test } from "vitest";
import { isRecord } from "../../src/system/text/json.js";
import { count } from "./route.js";
import { openApi, ROUTES } from "./routes.js";

test("each route is described once, and no sentence or place is empty", () => {
  const named = ROUTES.map(({ method, base, path }) => `${method} ${base}${path}`);
  expect(new Set(named).size).toBe(named.length);
  for (const { does, path } of ROUTES)
    expect([does.endsWith("."), path.startsWith("/")]).toEqual([true, true]);
});

test("a reader changes nothing but the own session", () => {
  const changing = ROUTES.filter(({ method, role }) => method !== "GET" && role === "read");
  expect(changing.map(({ method, path }) => `${method} ${path}`)).toEqual(["DELETE /session"]);
});

test("the OpenAPI document has every route, with its parameters and its errors", () => {
  const { paths } = openApi("1.0.0") as { paths: Record<string, Record<string, unknown>> };
  for (const { method, base, path, errors } of ROUTES) {
    const operation = paths[base + path]?.[method.toLowerCase()];
    const { parameters, responses } = isRecord(operation) ? operation : {};
    for (const [, name] of path.matchAll(/\{(\w+)\}/g))
      expect(parameters, path).toContainEqual(expect.objectContaining({ name, in: "path", required: true }));
    for (const status of errors) expect(responses, path).toHaveProperty(String(status));
  }
  expect(paths).toHaveProperty(["/api/ws/chat", "get", "summary"]);
});

test.each(["", "-1", "1.5", "1e3", " 1", "0x1", "1234567890123456", "101", "__proto__"])(
  "%j is not a number in a query",
  (text) => {
    expect(count(100).safeParse(text).success).toBe(false);
  },
);

test("a number in a query is read", () => {
  expect([count(100).parse("0"), count(100).parse("100")]).toEqual([0, 100]);
});
