// The file in which an agent leaves requests to the runner while it works: `agent.jsonl` in the folder of its step. `looper mcp`
// writes it, and any program of the agent may. src/loop/perform/agent/agent-requests.ts decides about the requests.
import { join } from "node:path";
import { z } from "zod";
import { splitLines } from "../agents/process/lines.js";
import { UserError } from "../system/errors.js";
import type { Ports } from "../system/ports.js";
import { parseJson } from "../system/text/json.js";
import { NewTask, StageAgentReport } from "../todo/model/summary.js";
import { appendLine } from "./control.js";

/** The attempt that the line belongs to; absent: the one in whose folder the file is. */
const whose = {
  at: z.string().optional().describe("RFC 3339"),
  task_id: z.string().optional(),
  attempt: z.int().optional(),
};

export const AgentLine = z.discriminatedUnion("type", [
  z
    .object({ type: z.literal("report"), ...whose, report: StageAgentReport })
    .describe("Replaces the report of the final message; the last one counts"),
  z.object({ type: z.literal("add_task"), ...whose, task: NewTask }).describe("Joins the report's new_tasks"),
  z
    .object({ type: z.literal("ask_human"), ...whose, question: z.string().trim().min(1) })
    .describe("Joins the report's questions"),
  z.object({ type: z.literal("note"), ...whose, text: z.string().trim().min(1) }).describe("Is logged"),
]);
/** A line of `agent.jsonl`. */
export type AgentLine = z.infer<typeof AgentLine>;

/** The facts that a run's log begins with, in the folder of a step whose agent does not see the log. */
export const RUN_FACTS = "run.json";

/** The variable that names the folder of the step in an agent's environment. */
export const STEP_DIR = "LOOPER_STEP_DIR";
export const AGENT_FILE = "agent.jsonl";

/** Longer lines cannot be read. */
const LONGEST_LINE = 1024 * 1024;
/** The lines of an attempt that count; those after them are counted only. */
const MOST_LINES = 1000;
const CHUNK = 1024 * 1024;
/** The rest of a longer file is not read. */
const MOST_BYTES = 1024 * 1024 * 1024;

/** Appends a request to the file in the step's folder, which must exist. */
export async function writeAgentLine(
  ports: Pick<Ports, "files">,
  folder: string,
  line: AgentLine,
): Promise<void> {
  if (Buffer.byteLength(JSON.stringify(line)) > LONGEST_LINE)
    throw new UserError("no", `this ${line.type} is longer than 1 MiB`, "shorten it");
  await appendLine(ports, join(folder, AGENT_FILE), line);
}

/** Lines that were read, and a sentence for each that was not. */
export interface AgentLines {
  lines: AgentLine[];
  warnings: string[];
}

/** The first lines that cannot be read are named; the rest is counted. */
const MOST_NAMED = 5;

/** Returns a function that reads the lines since its last call. A half line at the end counts as a line. */
export function openAgentFile({ files }: Pick<Ports, "files">, folder: string): () => Promise<AgentLines> {
  const path = join(folder, AGENT_FILE);
  const seen = { from: 0, number: 0, taken: 0 };
  return async () => {
    const lines: AgentLine[] = [];
    const warnings: string[] = [];
    const stat = await files.stat(path, { link: true });
    if (stat === undefined || (stat.kind === "file" && stat.size <= seen.from)) return { lines, warnings };
    // A pipe would never end.
    if (stat.kind !== "file") return { lines, warnings: [`${AGENT_FILE} is not read: it is not a file`] };
    let [unread, beyond] = [0, 0];
    const take = (text: string): void => {
      const number = ++seen.number;
      const read = text.trim() === "" ? undefined : readLine(text);
      if (read === undefined) return;
      if ("line" in read && ++seen.taken <= MOST_LINES) lines.push(read.line);
      else if ("line" in read) beyond++;
      else if (++unread <= MOST_NAMED)
        warnings.push(`line ${String(number)} of ${AGENT_FILE} is not used: ${read.why}`);
    };
    const size = Math.min(stat.size, MOST_BYTES);
    const splitter = splitLines(LONGEST_LINE);
    while (seen.from < size) {
      const bytes = await files.readRange(path, seen.from, Math.min(CHUNK, size - seen.from));
      if (bytes.length === 0) break;
      seen.from += bytes.length;
      splitter.push(bytes).forEach(take);
    }
    splitter.end().forEach(take);
    if (stat.size > size) {
      seen.from = stat.size;
      warnings.push(`${AGENT_FILE} is too long: what follows its first GiB is not read`);
    }
    if (unread > MOST_NAMED)
      warnings.push(`${String(unread - MOST_NAMED)} more lines of ${AGENT_FILE} are not used`);
    if (beyond > 0)
      warnings.push(
        `${String(beyond)} lines of ${AGENT_FILE} are not used: an attempt has at most ${String(MOST_LINES)} requests`,
      );
    return { lines, warnings };
  };
}

const KNOWN: ReadonlySet<unknown> = new Set(AgentLine.options.map(({ shape }) => shape.type.value));

function readLine(text: string): { line: AgentLine } | { why: string } {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { why: text.length >= LONGEST_LINE ? "it is longer than 1 MiB" : "it is not a JSON object" };
  const type: unknown = "type" in value ? value.type : undefined;
  if (!KNOWN.has(type))
    return {
      why: type === undefined ? "it has no type" : `its type is ${JSON.stringify(type).slice(0, 60)}`,
    };
  const read = AgentLine.safeParse(value);
  if (read.success) return { line: read.data };
  return {
    why: read.error.issues
      .map(({ path, message }) => `${path.join(".")}: ${message}`)
      .slice(0, 3)
      .join("; "),
  };
}
