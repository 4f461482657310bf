// The folder of a run that a client names, and bytes of the files in it.
import path from "node:path";
import { RUN_ID } from "../../src/logging/run-id.js";
import { redactorFor } from "../../src/system/text/secrets/redactor.js";
import { filterRuns } from "../lookup/find-run.js";
import { ApiError } from "./api-error.js";
import { cleanRange, rangeOf } from "./range.js";
import type { ApiCall } from "./route.js";

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
  const isOwn = (await filterRuns(context, project, [run])).includes(run);
  if (there?.kind !== "folder" || !isOwn)
    throw new ApiError(404, "no-run", `there is no run ${run}, or no longer`);
  const log = await context.ports.files.stat(path.join(folder, "events.jsonl"), { link: true });
  if (log?.kind !== "file") throw new ApiError(404, "no-run", `run ${run} has no log`);
  return folder;
}

/** Bytes of a file by the header `Range`; a secret that begins before them or ends behind them is taken out too. */
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
