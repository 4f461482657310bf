// The tool with which the engine reports a task of a backlog. Its arguments are the summary, so that no text is parsed. Pure.
// The loop judges the summary.
import { extractReport, judgeReport } from "../../agents/extract.js";
import type { FoundReport } from "../../agents/agent.js";
import type { HostRequest } from "../../agents/hosted/hosted.js";
import { summaryJsonSchema } from "../../todo/check/schema.js";
import type { StageAgentReport } from "../../todo/model/summary.js";
import type { Finish } from "../engine/world.js";

export const REPORT = "report_summary";

type Asked = Pick<HostRequest, "phase" | "taskId" | "stage">;

/** Creates the tool that ends a conversation about this request. The task's id is optional. */
export function createReportTool(request: Asked): Finish {
  const schema = request.stage?.schema ?? summaryJsonSchema();
  const { $schema: _draft, $id: _id, title: _title, ...parameters } = schema;
  return {
    tool: {
      name: REPORT,
      description: "Reports how the work ended and ends the session. No further call is possible.",
      parameters: { ...parameters, required: ["status"] },
    },
    read: (args) => readReport(args, request),
    readText: (text) => {
      const report = extractReport(text, request.stage?.outcomes);
      return "missing" in report ? undefined : checkReport(report, request);
    },
  };
}

/** Adds instructions for the tool to the run's prompt, which asks for a text. */
export function addReportInstructions(prompt: string): string {
  return `${prompt.trimEnd()}\n\nHere you report by calling the tool ${REPORT}, once, as your last call: the fields of the JSON object described above are its arguments.`;
}

type ReadReport = { value: StageAgentReport } | { problem: string };

function readReport(args: unknown, asked: Asked): ReadReport {
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return { problem: "the arguments must be an object with task_id, status, summary" };
  const { taskId, stage } = asked;
  return checkReport(judgeReport({ task_id: taskId ?? null, ...args }, stage?.outcomes), asked);
}

/** Checks that a report is about this request. */
function checkReport(report: FoundReport, { phase, taskId }: Asked): ReadReport {
  if ("invalid" in report) return { problem: report.invalid };
  if ("missing" in report) return { problem: report.missing };
  const { found } = report;
  if (taskId !== undefined && found.task_id !== null && found.task_id !== taskId)
    return { problem: `task_id: the task is ${taskId}` };
  const isReviewed = found.status === "reviewed";
  if (phase === "iteration" && isReviewed)
    return { problem: "status: must be done, blocked or skipped for a task" };
  if (phase === "review" && !isReviewed) return { problem: "status: must be reviewed for a review" };
  return { value: found };
}
