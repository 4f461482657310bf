import { expect, test } from "vitest";
import type { Diagnostics } from "../../src/ui/terminal/diagnostics.js";
import { openStderr, type Stderr } from "./stderr.js";

function openIn(diagnostics: Diagnostics): { stderr: Stderr; written: () => string } {
  let written = "";
  const write = (text: string): Promise<void> => {
    written += text;
    return Promise.resolve();
  };
  const raw = { write, isTerminal: true, colour: true, columns: () => 80, rows: () => 24 };
  return { stderr: openStderr(raw, diagnostics, () => 0), written: () => written };
}

test("text written to stderr directly is a warning, and JSON when JSON is asked for", async () => {
  for (const [level, format, wanted] of [
    ["info", "text", "looper: a\n  b\n"],
    ["warn", "text", "looper: a\n  b\n"],
    ["error", "text", ""],
    ["error", "json", ""],
  ] as const) {
    const { stderr, written } = openIn({ level, format });
    await stderr.err.write("looper: a\n  b\n");
    expect(written()).toBe(wanted);
  }
  const { stderr: json, written } = openIn({ level: "warn", format: "json" });
  await json.err.write("looper: a\n\n  b\n");
  await json.report({ level: "info", lines: ["not this"] });
  const lines = written().trimEnd().split("\n");
  const time = "1970-01-01T00:00:00.000Z";
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { level: "warn", time, msg: "a" },
    { level: "warn", time, msg: "b" },
  ]);
});

test("JSON has no colour, also on a terminal with colours", () => {
  expect(openIn({ level: "info", format: "json" }).stderr.err.colour).toBe(false);
  expect(openIn({ level: "info", format: "text" }).stderr.err.colour).toBe(true);
});
