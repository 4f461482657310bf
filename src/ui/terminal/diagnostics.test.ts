import { expect, test } from "vitest";
import { LEVELS, noteText, type Level, type StderrNote } from "./diagnostics.js";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const note: StderrNote = {
  level: "warn",
  lines: ["looper: the \u001b[31mdisk\u001b[39m is full", "  free\u0007 some"],
  facts: { type: "warning", task_id: undefined },
};

test.each<[Level, Level[]]>([
  ["error", ["error"]],
  ["warn", ["error", "warn"]],
  ["info", ["error", "warn", "info"]],
  ["debug", ["error", "warn", "info", "debug"]],
])("at %s: %j", (level, shown) => {
  const said = LEVELS.filter(
    (one) => noteText({ ...note, level: one }, { level, format: "text" }, NOW) !== "",
  );
  expect(said).toEqual(shown);
});

test("text is as a person sees it; nothing to say is nothing", () => {
  expect(noteText({ ...note, lines: ["a", "  b"] }, { level: "warn", format: "text" }, NOW)).toBe("a\n  b\n");
  expect(noteText({ ...note, lines: [] }, { level: "warn", format: "json" }, NOW)).toBe("");
});

test("JSON: one line, without colour and without what only a person needs", () => {
  const text = noteText(note, { level: "warn", format: "json" }, NOW);
  expect(text.endsWith("}\n")).toBe(true);
  expect(JSON.parse(text)).toEqual({
    level: "warn",
    time: "2026-01-02T03:04:05.678Z",
    msg: "the disk is full",
    hint: "free some",
    type: "warning",
  });
});
