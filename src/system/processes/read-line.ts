// Reads one line from a stream that a person types into, where the terminal cannot edit lines itself.
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

export type LineInput = Readable;
export type LineOutput = Writable;

/** Writes a text and reads a line; `undefined` where the input is at its end or `signal` aborts. */
export function readLine(
  input: LineInput,
  { output, signal }: { output?: LineOutput; signal?: AbortSignal },
  text: string,
): Promise<string | undefined> {
  if (signal?.aborted === true || input.readableEnded || input.destroyed) return Promise.resolve(undefined);
  output?.write(text);
  const lines = createInterface({ input, terminal: false });
  const close = (): void => {
    lines.close();
  };
  signal?.addEventListener("abort", close);
  return new Promise((resolve) => {
    lines.once("close", () => {
      signal?.removeEventListener("abort", close);
      resolve(undefined);
    });
    lines.once("line", (line) => {
      resolve(line);
      close();
    });
  });
}
