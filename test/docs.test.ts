// What the documents say of the program is what it does: generated parts are in step, links lead somewhere, commands and flags exist.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fillDocument, fillPart, PARTS } from "../scripts/doc-parts.js";

const root = new URL("../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");

test.each([...new Set(PARTS.map(({ file }) => file))])(
  "%s: what is generated is in step (npm run docs)",
  (file) => {
    const text = read(file);
    expect(fillDocument(file, text)).toBe(text);
  },
);

test("a part is put between its own markers, and nothing else is touched", () => {
  const text =
    "a\n<!-- generated: x -->\nold\n<!-- /generated -->\nb\n<!-- generated: y -->\n<!-- /generated -->\n";
  const filled = fillPart(text, "x", "new", "page.md");
  expect(filled).toBe(text.replace("old", "\nnew\n"));
  expect(fillPart(filled, "x", "new", "page.md")).toBe(filled);
  expect(() => fillPart(text, "z", "new", "page.md")).toThrow("page.md has no <!-- generated: z -->");
});
