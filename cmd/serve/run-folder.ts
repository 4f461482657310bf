// The folder of a run that a client names, and bytes of the files in it.
import path from "node:path";
import { RUN_ID } from "../../src/logging/run-id.js";
import { redactorFor } from "../../src/system/text/secrets/redactor.js";
import { filterOwnRuns } from "../../src/loop/runs/own-runs.js";
import { ApiError } from "./api-error.js";
import type { ApiCall } from "./route.js";
import type { Redact } from "../../src/system/text/secrets/redact.js";

/** More bytes are asked for one range after the other. */
const MOST_RANGE = 4 << 20;
/** Longer than a secret: so many bytes around a range are read with it. */
const MARGIN = 1 << 16;

/** The folder of a run of this project, below the log folder: a link there is not followed. */
export async function folderOf({ site, context, params }: ApiCall): Promise<string> {
  const run = params["run"] ?? "";
  const project = await site.project();
  const folder = path.join(project.logDir, "runs", run);
  const there = RUN_ID.test(run) ? await context.ports.files.stat(folder, { link: true }) : undefined;
  const isOwn = (await filterOwnRuns({ ports: context.ports, project }, [run])).includes(run);
  if (there?.kind !== "folder" || !isOwn)
    throw new ApiError(404, "no-run", `there is no run ${run}, or no longer`);
  const log = await context.ports.files.stat(path.join(folder, "events.jsonl"), { link: true });
  if (log?.kind !== "file") throw new ApiError(404, "no-run", `run ${run} has no log`);
  return folder;
}

/** Bytes of a file by the header `Range`; a secret that crosses their ends is taken out too. */
export async function rangeAnswer({ context, header }: ApiCall, file: string): Promise<Response> {
  const { files } = context.ports;
  const there = await files.stat(file, { link: true });
  if (there?.kind !== "file") throw new ApiError(404, "no-file", `there is no ${path.basename(file)}`);
  const { size } = there;
  const range = rangeOf(header("range"), { size, most: MOST_RANGE });
  if (range === undefined) throw new ApiError(416, "range", "name a range: Range: bytes=0-65535", { size });
  const from = Math.max(0, range.from - MARGIN);
  const around = await files.readRange(file, from, range.to - from + MARGIN);
  const redact = await redactorFor(context.ports, context.env);
  const bytes = cleanRange(Buffer.from(around), { from: range.from - from, to: range.to - from }, redact);
  return new Response(bytes, {
    status: 206,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": "attachment",
      "content-range": `bytes ${range.from}-${Math.min(range.to, from + around.length) - 1}/${size}`,
    },
  });
}

// Ranges of bytes: what a client asks for, and what of it may be sent.

interface Range {
  from: number;
  /** The first byte that is not in it. */
  to: number;
}

/** The range that the header names, at most `most` bytes; `undefined` without one, and where it is empty. */
export function rangeOf(header: string | undefined, { size, most }: { size: number; most: number }) {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = Math.min(size, from + most, first !== "" && last !== "" ? Number(last) + 1 : size);
  return from < to ? { from, to } : undefined;
}

/**
 * The bytes of a range without secrets. `around` holds them with a margin on both sides, so that a secret which
 * the range cuts in two is found: then the answer is shorter or longer than the range.
 */
export function cleanRange(around: Buffer, { from, to }: Range, redact: Redact): Uint8Array<ArrayBuffer> {
  const text = around.toString("utf8");
  const clean = redact(text);
  if (clean === text) return new Uint8Array(around.subarray(from, to));
  // A margin is cut off up to where a secret leads out of it.
  const start = sameLength(clean, redact(around.toString("utf8", 0, from)));
  const end = sameLength(reversed(clean), reversed(redact(around.toString("utf8", to))));
  return new Uint8Array(Buffer.from(clean.slice(start, Math.max(start, clean.length - end))));
}

/** How long the beginnings are that two texts share. */
function sameLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}

function reversed(text: string): string {
  return text.split("").reverse().join("");
}
