import fc from "fast-check";
import { expect, test } from "vitest";
import { UserError } from "../system/errors.js";
import { render, type Variables } from "./render.js";

const fill = (text: string, variables: Variables) => render({ name: "t.md", text }, variables);

test("values go in, spaces inside the braces do not matter", () => {
  expect(fill("a {{x}} b {{ y }}{{x}}", { x: "1", y: "2" })).toBe("a 1 b 21");
});

test("a block stays when its value is not empty, and its own lines vanish", () => {
  const text = "a\n{{#x}}\nx is {{x}}\n{{/x}}\nb\n";
  expect(fill(text, { x: "1" })).toBe("a\nx is 1\nb\n");
  expect(fill(text, { x: "" })).toBe("a\nb\n");
  expect(fill("a{{#x}}, {{x}}{{/x}}.", { x: "" })).toBe("a.");
  expect(fill("a\r\n  {{#x}}\r\nb\r\n{{/x}}", { x: "1" })).toBe("a\r\nb\r\n");
});

test("blocks nest", () => {
  const text = "{{#x}}1{{#y}}2{{/y}}3{{/x}}";
  expect(fill(text, { x: "x", y: "y" })).toBe("123");
  expect(fill(text, { x: "x", y: "" })).toBe("13");
  expect(fill(text, { x: "", y: "y" })).toBe("");
  expect(fill("{{#x}}{{y}}{{#y}}{{y}}{{/y}}{{/x}}", { x: "", y: "y" })).toBe("");
});

test("values are never looked at again", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom("{{y}}", "{{#x}}", "{{/x}}", "{{nope}}", "$&", "$1"),
      (noise, tag) => {
        const value = `${noise}${tag}`;
        expect(fill("<{{x}}|{{y}}>", { x: value, y: "Y" })).toBe(`<${value}|Y>`);
      },
    ),
  );
});

test.each([
  ["a\nb {{z}}", "t.md:2: {{z}} is not a variable of this prompt; known: x"],
  ["{{#x}}\n{{z}}\n{{/x}}", "t.md:2: {{z}}"],
  ["{{ .Task }}", "t.md:1: {{.Task}}"],
  ["{{constructor}}", "t.md:1: {{constructor}}"],
  ["{{}}", "t.md:1: {{}}"],
  ["\n{{#x}}\nb", "t.md:2: {{#x}} is not closed"],
  ["a\n{{/x}}", "t.md:2: {{/x}} closes nothing: no block is open"],
  ["{{#y}}\n{{/x}}", "t.md:2: {{/x}} closes nothing: {{#y}} is open"],
])("%j is refused with template and line", (text, message) => {
  try {
    fill(text, { x: "", ...(text.includes("#y") ? { y: "1" } : {}) });
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ kind: "usage", message: expect.stringContaining(message) as string });
  }
});
