// How a task of a backlog is reported by the engine: a tool whose arguments are the summary, so no text is parsed. Pure.
// Leaves what the summary is worth to the loop.
import { judgeReport } from "../../agents/extract.js";
import type { HostRequest } from "../../agents/hosted/hosted.js";
import { summaryJsonSchema } from "../../todo/check/schema.js";
import type { Summary } from "../../todo/model/summary.js";
import type { Finish } from "../engine/world.js";

export const REPORT = "report_summary";

type Asked = Pick<HostRequest, "phase" | "taskId">;

/** The tool a conversation about this request ends with. Whose task it is need not be said. */
export function createReportTool(request: Asked): Finish {
  const { $schema: _draft, $id: _id, title: _title, ...parameters } = summaryJsonSchema();
  return {
    tool: {
      name: REPORT,
      description: "Reports how the work ended, and ends it. Nothing can be done after it.",
      parameters: { ...parameters, required: ["status"] },
    },
    read: (args) => readReport(args, request),
  };
}

/** What the model is told beside the run's prompt, which asks for a text. */
export function addReportInstructions(prompt: string): string {
  return `${prompt.trimEnd()}\n\nHere you report with the tool ${REPORT}: what is asked for above as a JSON object are its arguments. Call it once, last; do not write the object.`;
}

function readReport(args: unknown, { phase, taskId }: Asked): { value: Summary } | { problem: string } {
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return { problem: "the arguments must be an object with task_id, status, summary" };
  const report = judgeReport({ task_id: taskId ?? null, ...args });
  if ("invalid" in report) return { problem: report.invalid };
  if ("missing" in report) return { problem: report.missing };
  const { found } = report;
  if (taskId !== undefined && found.task_id !== null && found.task_id !== taskId)
    return { problem: `task_id: the task is ${taskId}` };
  const isReviewed = found.status === "reviewed";
  if (phase === "iteration" && isReviewed)
    return { problem: "status: of a task it is done, blocked or skipped" };
  if (phase === "review" && !isReviewed) return { problem: "status: of a review it is reviewed" };
  return { value: found };
}
