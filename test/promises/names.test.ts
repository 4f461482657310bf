import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Each exported type, interface and class of the program with its files; the public types in `api/` have the names users know. */
function exportedTypes(): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const top of ["src", "cmd"]) {
    for (const name of readdirSync(path.join(root, top), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts") || name.endsWith(".test.ts") || name.includes("testdata")) continue;
      const text = readFileSync(path.join(root, top, name), "utf8");
      for (const [, type = ""] of text.matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)\b/gm))
        files.set(type, [...(files.get(type) ?? []), path.join(top, name)]);
    }
  }
  return files;
}

test("no two files export a type of the same name", () => {
  const types = exportedTypes();
  expect(types.size).toBeGreaterThan(500);
  expect([...types].filter(([, files]) => files.length > 1)).toEqual([]);
});
