// Messages from another process to a run in progress: lines of `control.jsonl` in the run's folder. The loop finds that
// run and acts on the messages.
import { join } from "node:path";
import { z } from "zod";
import { environmentError } from "../system/errors.js";
import type { Ports } from "../system/ports.js";
import { parseJson } from "../system/text/json.js";
import { PersonChange } from "../todo/model/changes/person-change.js";
import { isDateTime } from "../todo/model/date-time.js";

const at = z.string().refine(isDateTime).describe("When it was said, RFC 3339");

const ControlLine = z.discriminatedUnion("type", [
  z
    .strictObject({ type: z.literal("edit"), at, changes: z.array(PersonChange) })
    .describe("The task file was changed by an editing command"),
  z
    .strictObject({ type: z.literal("stop"), at, now: z.boolean() })
    .describe("The run is to end: once the agents have finished, or now"),
]);
/** A line of `control.jsonl`. */
export type ControlLine = z.infer<typeof ControlLine>;

const FILE = "control.jsonl";

/** Sends a message to the run that logs into `folder`. */
export async function tellRun(ports: Pick<Ports, "files">, folder: string, line: ControlLine): Promise<void> {
  await appendLine(ports, join(folder, FILE), line);
}

/** Appends a line that another process is to read. It begins a line of its own, even if the line before it was only half written. */
export async function appendLine({ files }: Pick<Ports, "files">, path: string, line: object): Promise<void> {
  const kind = (await files.stat(path, { link: true }))?.kind ?? "file";
  // A project from an archive may bring its own log folder, with a link in it to a file elsewhere.
  if (kind !== "file") throw environmentError(`cannot write ${path}: it is not a file`, "remove it");
  const file = await files.openAppend(path, { mode: 0o600 });
  try {
    await file.append(`\n${JSON.stringify(line)}\n`);
  } finally {
    await file.close();
  }
}

/** Returns a function that reads the messages since its last call, in order; it skips invalid lines. */
export function openControl({ files }: Pick<Ports, "files">, folder: string): () => Promise<ControlLine[]> {
  const path = join(folder, FILE);
  let from = 0;
  return async () => {
    const size = (await files.stat(path))?.size ?? 0;
    if (size <= from) return [];
    const bytes = Buffer.from(await files.readRange(path, from, size - from));
    const end = bytes.lastIndexOf("\n") + 1;
    from += end;
    return bytes
      .subarray(0, end)
      .toString("utf8")
      .split("\n")
      .flatMap((text) => ControlLine.safeParse(parseJson(text)).data ?? []);
  };
}
