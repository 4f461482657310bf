import fc from "fast-check";
import { expect, test } from "vitest";
import { annotation, disarm, END_GROUP, group } from "./commands.js";

/** Whether the runner reads a line as a command: it begins with `::` after white space, or contains the older form anywhere. */
function isObeyed(line: string): boolean {
  return /^[\s\u0085]*::/u.test(line) || /##\w*\[/u.test(line);
}

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom("::", "##[", "##vso[", "#", " ", "\n", "\r", "\u0085", "\u2028", "error", "]", "%0A"),
      fc.string({ unit: "binary", maxLength: 3 }),
    ),
  )
  .map((parts) => parts.join(""));

test("nothing of a text that was disarmed is obeyed, in whatever lines it is read", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(
        disarm(text)
          .split(/\r\n|[\r\n]/)
          .filter(isObeyed),
      ).toEqual([]);
    }),
  );
});

test("text without a command stays as it is; JSON means the same as before", () => {
  const plain = "a: b :: c\n# [x] ##\n  std::vec\n";
  expect(disarm(plain)).toBe(plain);
  expect(disarm("::stop-commands::x\n \t::error::y\na ##[group]b")).toBe(
    "\\::stop-commands::x\n \t\\::error::y\na \\u0023#[group]b",
  );
  fc.assert(
    fc.property(hostile, (value) => {
      expect(JSON.parse(disarm(JSON.stringify({ [value]: [value] }, undefined, 2)))).toEqual({
        [value]: [value],
      });
    }),
  );
});

test("a command is one line, with no more in it than it was given", () => {
  fc.assert(
    fc.property(hostile, hostile, (message, title) => {
      const line = annotation("error", message, { title, line: 3 });
      expect(line).toMatch(/^::error title=[^,:]*,line=3::[^\r\n]*$/u);
      expect(group(title)).toMatch(/^::group::[^\r\n]*$/u);
    }),
  );
});

test("per cent, line breaks, and in properties colon and comma are escaped", () => {
  expect(annotation("error", "50%: a,\nb", { title: "T1: 5%, x", file: "to-do.json", line: 3, col: 1 })).toBe(
    "::error title=T1%3A 5%25%2C x,file=to-do.json,line=3,col=1::50%25: a,%0Ab",
  );
  expect(annotation("warning", "w")).toBe("::warning::w");
  expect([group("a\u0007\nb"), END_GROUP]).toEqual(["::group::a b", "::endgroup::"]);
});
