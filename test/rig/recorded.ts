// The runs of earlier versions in test/recorded, for tests. Each file has the index files of a run, then the lines of its log.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the recorded runs. */
export const RECORDED = fileURLToPath(new URL("../recorded", import.meta.url));

/** The names of the recorded runs. */
export const RECORDED_RUNS: readonly string[] = readdirSync(RECORDED).filter((name) =>
  name.endsWith(".jsonl"),
);

/** The text of a recorded run. */
export function readRecorded(name: string): string {
  return readFileSync(join(RECORDED, name), "utf8");
}

/** Writes a recorded run into a folder laid out like a run's. */
export function unpackRecorded(text: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const lines = text.split("\n").filter((line) => line !== "");
  const isIndex = (line: string): boolean => line.startsWith('{"index":');
  for (const line of lines.filter(isIndex)) {
    const { index, rows } = JSON.parse(line) as { index: string; rows: unknown };
    writeFileSync(join(folder, index), JSON.stringify(rows));
  }
  const log = lines.filter((line) => !isIndex(line)).map((line) => `${line}\n`);
  writeFileSync(join(folder, "events.jsonl"), log.join(""));
}
