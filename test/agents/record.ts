// Keeps what a client printed in a case, with nothing of the machine or the day in it: the parsers' fixtures.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

interface Recorded {
  agent: string;
  version: string;
  name: string;
  streams: readonly (readonly string[])[];
}

/** Longer ones tell nothing more. */
const MOST_LINES = 60;

/** Writes `FOLDER/<agent>/<version>/<case>.jsonl`: what its first start in the case printed. */
export function record(folder: string, { agent, version, name, streams }: Recorded): void {
  const lines = streams[0]?.slice(0, MOST_LINES) ?? [];
  if (lines.length === 0) return;
  const place = path.join(folder, agent, version);
  mkdirSync(place, { recursive: true });
  writeFileSync(
    path.join(place, `${name}.jsonl`),
    neutral(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const MEASURED =
  /"(duration_ms|duration_api_ms|retry_delay_ms|ttft_ms|ttft_stream_ms|time_to_request_ms|first_content_frame_ms)":\d+/g;
/** Lists of names in claude's first line (its commands, skills and so on), as far as one is too long. */
const NAMES = /((?:"[^"\\]*",){3})(?:"[^"\\]*",){4,}"[^"\\]*"\]/g;
const SOCKET = /\/cc-socks\/\d+\.sock/g;

/** The same lines with ids counted from 1 in order of appearance, times that stand still, and long lists of names cut. */
function neutral(lines: readonly string[]): string[] {
  const ids = new Map<string, string>();
  const counted = (id: string): string => {
    const known = ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`;
    ids.set(id, known);
    return known;
  };
  return lines.map((line) =>
    line
      .replaceAll(UUID, counted)
      .replaceAll(MOMENT, "2026-01-01T00:00:00.000Z")
      .replaceAll(MEASURED, (_, key: string) => `"${key}":100`)
      .replaceAll(SOCKET, "/cc-socks/1.sock")
      .replaceAll(NAMES, '$1"…"]'),
  );
}
