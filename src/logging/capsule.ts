// Packs a run's log into one file for a bug report: a header line, the index files, then the log's own lines.
// JSON Lines, format 1. The caller decides what is redacted.
import { join } from "node:path";
import { z } from "zod";
import type { Ports } from "../system/ports.js";
import { err, ok, type Result } from "../system/result.js";
import { parseJson } from "../system/text/json.js";
import { parseLine, readLines } from "./read.js";

/** The newest format this program writes and reads. */
const FORMAT = 1;

/** The first line. */
const Header = z.object({
  capsule: z.literal("looper"),
  format: z.int(),
  run: z.string(),
  /** The program that packed it, and its platform; `run_started` has the version that made the run. */
  version: z.string(),
  node: z.string(),
  platform: z.string(),
});
export type CapsuleHeader = z.infer<typeof Header>;

/** An index file, under the name it had beside the log. */
const Index = z.object({ index: z.string().regex(/^index-\d+\.json$/), rows: z.array(z.unknown()) });
type Index = z.infer<typeof Index>;

export interface Capsule {
  text: string;
  /** The number of log lines in it. */
  lines: number;
  indexes: number;
}

type FilePorts = Pick<Ports, "files">;

/** Packs the log in a run's folder; every value passes through `clean`. Lines that cannot be read are left out. */
export async function packCapsule(
  ports: FilePorts,
  folder: string,
  { facts, clean }: { facts: Omit<CapsuleHeader, "capsule" | "format">; clean: (value: unknown) => unknown },
): Promise<Capsule> {
  const indexes: Index[] = [];
  const lines: unknown[] = [];
  for await (const { type, value } of readLines(ports, folder)) {
    lines.push(clean(value));
    const index = type === "backlog_read" ? await readIndex(ports, folder, value["index"]) : undefined;
    if (index !== undefined) indexes.push(index);
  }
  const header: CapsuleHeader = { capsule: "looper", format: FORMAT, ...facts };
  const all = [header, ...indexes.map((index) => ({ ...index, rows: clean(index.rows) })), ...lines];
  const text = all.map((value) => `${JSON.stringify(value)}\n`).join("");
  return { text, lines: lines.length, indexes: indexes.length };
}

async function readIndex({ files }: FilePorts, folder: string, name: unknown): Promise<Index | undefined> {
  const named = Index.shape.index.safeParse(name);
  if (!named.success) return undefined;
  const bytes = await files.read(join(folder, named.data));
  const rows = bytes === undefined ? undefined : parseJson(bytes);
  const index = Index.safeParse({ index: named.data, rows });
  return index.success ? index.data : undefined;
}

/** Unpacks a capsule into a folder laid out like a run's, or returns why the text is not a capsule. */
export async function unpackCapsule(
  { files }: FilePorts,
  text: string,
  folder: string,
): Promise<Result<CapsuleHeader, string>> {
  const [first = "", ...rest] = text.split("\n");
  const header = Header.safeParse(parseJson(first));
  if (!header.success) return err("it is not a capsule: its first line does not declare one");
  if (header.data.format > FORMAT) {
    return err(`it is of format ${header.data.format}; this version reads up to ${FORMAT}: update looper`);
  }
  await files.makeFolder(folder, 0o700);
  const lines: string[] = [];
  for (const line of rest.filter((one) => one !== "")) {
    const index = Index.safeParse(parseJson(line));
    if (index.success) {
      await files.writeAtomic(join(folder, index.data.index), JSON.stringify(index.data.rows), {
        mode: 0o600,
      });
    } else if (parseLine(line) !== undefined) lines.push(`${line}\n`);
  }
  await files.writeAtomic(join(folder, "events.jsonl"), lines.join(""), { mode: 0o600 });
  return ok(header.data);
}
