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

/** The program's files of one floor by name, without tests and test support. In `ui` the shape of an answer has the answer's name. */
function fileNames(floor: string): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const name of readdirSync(path.join(root, "src", floor), { recursive: true, encoding: "utf8" })) {
    const isSupport =
      /(?:^|\/)(?:testing|testdata|shapes)\//.test(name) || /(?:\.test|^testing|\/testing)\.ts$/.test(name);
    if (!name.endsWith(".ts") || isSupport) continue;
    const base = path.basename(name);
    files.set(base, [...(files.get(base) ?? []), name]);
  }
  return files;
}

test("no two files of a floor have the same name", () => {
  const twice = readdirSync(path.join(root, "src")).flatMap((floor) =>
    [...fileNames(floor)].filter(([, files]) => files.length > 1),
  );
  expect(twice).toEqual([]);
});

test("no two files export a type of the same name", () => {
  const types = exportedTypes();
  expect(types.size).toBeGreaterThan(500);
  expect([...types].filter(([, files]) => files.length > 1)).toEqual([]);
});
