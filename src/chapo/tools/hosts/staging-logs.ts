// The tool logs_getStagingLogs returns the last lines of the log that the settings name.
import { z } from "zod";
import { errorMessage } from "../../../system/errors.js";
import type { Files } from "../../../system/ports.js";
import { defineTool, done, failed, type Tool } from "../../tool.js";

const USUAL_LINES = 100;
const MOST_LINES = 5_000;
const MOST_BYTES = 28_000;

/** Creates the tool. `file` is absolute, or `undefined` if none is configured. */
export function createStagingLogsTool(files: Files, file: string | undefined): Tool {
  return defineTool({
    name: "logs_getStagingLogs",
    description: "Returns the last lines of the staging log.",
    arguments: z.strictObject({
      lines: z.int().min(1).max(MOST_LINES).optional().describe(`How many; ${USUAL_LINES} by default`),
    }),
    changes: false,
    run: async ({ lines = USUAL_LINES }) => {
      if (file === undefined)
        return failed("no staging log is configured: a person can set logs.staging in the settings");
      try {
        return done(await readLastLines(files, file, lines));
      } catch (error) {
        return failed(`cannot read the staging log (logs.staging): ${errorMessage(error)}`);
      }
    },
  });
}

async function readLastLines(files: Files, file: string, count: number): Promise<string> {
  const stat = await files.stat(file);
  if (stat === undefined) throw new Error(`${file}: no such file`);
  if (stat.size === 0) return "(the log is empty)";
  const from = Math.max(0, stat.size - MOST_BYTES);
  const bytes = await files.readRange(file, from, stat.size - from);
  // The first line may be incomplete; then it is left out.
  const lines = new TextDecoder().decode(bytes).replace(/\n$/, "").split("\n");
  if (from > 0 && lines.length > 1) lines.shift();
  const shown = lines.slice(-count);
  const isCut = from > 0 && shown.length < count;
  return [
    ...(isCut ? [`[the last ${shown.length} lines; more do not fit into a result]`] : []),
    ...shown,
  ].join("\n");
}
