import { expect, test } from "vitest";
import { coloursFor, wantsColour } from "./colours.js";

test.each<[Record<string, string>, boolean, boolean]>([
  [{}, true, true],
  [{}, false, false],
  [{ CI: "true" }, false, false],
  [{ TERM: "dumb" }, true, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "false" }, true, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true, false],
])("%j on a terminal (%s): %s", (env, isTerminal, wanted) => {
  expect(wantsColour(env, { isTerminal, refused: false })).toBe(wanted);
  expect(wantsColour(env, { isTerminal, refused: true })).toBe(false);
});

test("colours that are not wanted leave no trace", () => {
  expect(coloursFor(false).red("x")).toBe("x");
  expect(coloursFor(true).red("x")).toBe("\u001b[31mx\u001b[39m");
});
