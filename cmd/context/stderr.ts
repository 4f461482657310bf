// How words reach stderr: each note through here, in the level and form that were asked for.
import { noteText, type Diagnostics, type Note } from "../../src/ui/terminal/diagnostics.js";
import type { Output } from "../../src/ui/output.js";

/** stderr for commands. */
export interface Voice {
  /** As it is, but that words written to it bare count as warnings. */
  err: Output;
  say(note: Note): Promise<void>;
}

/** `now`: epoch ms. */
export function voiceOf(raw: Output, diagnostics: Diagnostics, now: () => number): Voice {
  const say = (note: Note): Promise<void> => {
    const text = noteText(note, diagnostics, now());
    return text === "" ? Promise.resolve() : raw.write(text);
  };
  const write = async (text: string): Promise<void> => {
    if (diagnostics.level === "error") return;
    if (diagnostics.format === "text") return raw.write(text);
    for (const line of text.split("\n")) if (line !== "") await say({ level: "warn", lines: [line] });
  };
  return { say, err: { ...raw, write, colour: raw.colour && diagnostics.format === "text" } };
}
