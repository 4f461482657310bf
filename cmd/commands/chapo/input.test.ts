import { expect, test } from "vitest";
import { InputReader, MOST_PASTED } from "./input.js";

/** The keys that a reader passes on for these texts. */
function read(...texts: string[]): string[] {
  const told: string[] = [];
  const reader = new InputReader({
    onKey: (key) => told.push(`key ${JSON.stringify(key)}`),
    onPaste: (text, left) => told.push(`paste ${JSON.stringify(text)} ${left}`),
    onTooLong: (characters) => told.push(`too long ${characters}`),
  });
  for (const text of texts) reader.take(text);
  reader.close();
  return told;
}

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";

test("keys are keys, and a paste is one text wherever its marks are torn", () => {
  expect(read("ab\r")).toEqual(['key "a"', 'key "b"', 'key "\\r"']);
  const whole = `x${BEGIN}1\r\n2\u0000\u001b[A${END}y`;
  const wanted = ['key "x"', 'paste "1\\n2[A" 2', 'key "y"'];
  expect(read(whole)).toEqual(wanted);
  for (let at = 1; at < whole.length; at += 1) {
    // A lone ESC at the end of what came is the key.
    if (whole.slice(0, at).endsWith("\u001b") && at < 3) continue;
    if (whole.slice(0, at) === "x\u001b[") continue;
    expect(read(whole.slice(0, at), whole.slice(at))).toEqual(wanted);
  }
});

test("a paste that is too long is dropped whole, in time that grows with its size alone", () => {
  const piece = "x".repeat(4096);
  const pieces = Array.from({ length: 2560 }, () => piece);
  expect(read(BEGIN, ...pieces, `${END}z`)).toEqual([`too long ${2560 * 4096}`, 'key "z"']);
  expect(read(`${BEGIN}${"x".repeat(MOST_PASTED)}${END}`)[0]).toMatch(/^paste /);
});
