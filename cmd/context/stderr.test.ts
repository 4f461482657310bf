import { expect, test } from "vitest";
import type { Diagnostics } from "../../src/ui/terminal/diagnostics.js";
import { voiceOf, type Voice } from "./stderr.js";

function voice(diagnostics: Diagnostics): { voice: Voice; said: () => string } {
  let said = "";
  const write = (text: string): Promise<void> => {
    said += text;
    return Promise.resolve();
  };
  const raw = { write, isTerminal: true, colour: true, columns: () => 80, rows: () => 24 };
  return { voice: voiceOf(raw, diagnostics, () => 0), said: () => said };
}

test("words that are written bare are warnings, and JSON where all is", async () => {
  for (const [level, format, wanted] of [
    ["info", "text", "looper: a\n  b\n"],
    ["warn", "text", "looper: a\n  b\n"],
    ["error", "text", ""],
    ["error", "json", ""],
  ] as const) {
    const { voice: one, said } = voice({ level, format });
    await one.err.write("looper: a\n  b\n");
    expect(said()).toBe(wanted);
  }
  const { voice: json, said } = voice({ level: "warn", format: "json" });
  await json.err.write("looper: a\n\n  b\n");
  await json.say({ level: "info", lines: ["not this"] });
  const lines = said().trimEnd().split("\n");
  const time = "1970-01-01T00:00:00.000Z";
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { level: "warn", time, msg: "a" },
    { level: "warn", time, msg: "b" },
  ]);
});

test("JSON has no colour, whatever the terminal has", () => {
  expect(voice({ level: "info", format: "json" }).voice.err.colour).toBe(false);
  expect(voice({ level: "info", format: "text" }).voice.err.colour).toBe(true);
});
