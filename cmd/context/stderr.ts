// stderr for commands: every note goes through here, in the level and format that were asked for.
import { noteText, type Diagnostics, type StderrNote } from "../../src/ui/terminal/diagnostics.js";
import type { Output } from "../../src/ui/output.js";

export interface Stderr {
  /** The stream itself; text written to it directly counts as a warning. */
  err: Output;
  /** Writes a note, if its level is wanted. */
  report(note: StderrNote): Promise<void>;
}

/** `now`: epoch ms. */
export function openStderr(raw: Output, diagnostics: Diagnostics, now: () => number): Stderr {
  const report = (note: StderrNote): Promise<void> => {
    const text = noteText(note, diagnostics, now());
    return text === "" ? Promise.resolve() : raw.write(text);
  };
  const write = async (text: string): Promise<void> => {
    if (diagnostics.level === "error") return;
    if (diagnostics.format === "text") return raw.write(text);
    for (const line of text.split("\n")) if (line !== "") await report({ level: "warn", lines: [line] });
  };
  return { report, err: { ...raw, write, colour: raw.colour && diagnostics.format === "text" } };
}
