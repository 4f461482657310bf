// Checks that the agents' output was understood; newer clients print lines that this version does not know.
import path from "node:path";
import type { Project } from "../../../../src/config/project/open-project.js";
import { findRun, readLines } from "../../../../src/logging/read.js";
import { plural } from "../../../../src/ui/view/words/amounts.js";
import type { CommandContext } from "../../../context/command-context.js";
import { fine, warning, type Check } from "../../../../src/ui/answers/project/doctor.js";

/** How many bytes at the end of the log are read. */
const LOOKED_AT = 16 * 1024 * 1024;

/** Counts the unknown lines of the last run. */
export async function checkAgentOutput({ ports }: CommandContext, project: Project): Promise<Check> {
  const name = "agent output";
  const folder = await findRun(ports, project.logDir);
  const stat = folder === undefined ? undefined : await ports.files.stat(path.join(folder, "events.jsonl"));
  if (folder === undefined || stat?.kind !== "file") return fine(name, "no run yet");
  const unknown = new Map<string, number>();
  for await (const { type, value } of readLines(ports, folder, Math.max(0, stat.size - LOOKED_AT))) {
    const { agent, unknown_events: lines } = value;
    if (type !== "agent_finished" || typeof agent !== "string" || typeof lines !== "number" || lines === 0)
      continue;
    unknown.set(agent, (unknown.get(agent) ?? 0) + lines);
  }
  if (unknown.size === 0) return fine(name, "all of it was understood in the last run");
  const told = [...unknown].map(([agent, lines]) => `${plural(lines, "line")} of ${agent}`);
  return warning(
    name,
    `not understood in the last run: ${told.join(", ")}`,
    `they are kept in ${path.join(folder, "*", "output.jsonl")}; a newer looper may know them`,
  );
}
