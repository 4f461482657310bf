// The child process of the agent kind chapo: opens a session for one request of a run and prints its events and its end. The
// engine reports by a tool whose arguments are the summary, so that no text is parsed. run-events.ts converts the events to those
// of all agents.
import path from "node:path";
import { ChapoRequest } from "../../agents/hosted/chapo.js";
import { runHost, writeLine, type HostIo } from "../../agents/hosted/host.js";
import type { EndLine } from "../../agents/hosted/own-lines.js";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import { nodeNetwork } from "../../system/network.js";
import type { Ports } from "../../system/ports.js";
import { Way } from "../../workflow/progress.js";
import { openRowInbox } from "./row-inbox.js";
import { never } from "../../system/never.js";
import { redactorFor } from "../../system/text/secrets/redactor.js";
import { AgentReport, StageAgentReport } from "../../todo/model/summary.js";
import type { ConversationOutcome, UsedUpLimit, Finish } from "../engine/world.js";
import { toRunEvents, type OpenCommands } from "./run-events.js";
import type { Chapo, SessionRequest } from "../session/session-request.js";
import { field, textField } from "../../agents/fields.js";
import { isRecord } from "../../system/text/json.js";
import type { SessionCall } from "../engine/calls/pending.js";
import { extractReport, judgeReport } from "../../agents/extract.js";
import type { FoundReport, WaitingCall } from "../../agents/agent.js";
import type { HostRequest } from "../../agents/hosted/hosted.js";
import { summaryJsonSchema } from "../../todo/check/schema.js";

/** The input and output of a host, with Chapo's folders. */
interface ChapoHostIo extends HostIo {
  /** The user's home folder, absolute. */
  home: string;
  /** Absolute path of the bundled prompts. */
  promptsFolder: string;
}

type Hosted = Pick<Chapo, "id" | "send" | "proceed" | "conversation" | "answer" | "close">;
type Open = (request: SessionRequest) => Promise<Hosted>;

/** Works on the request on stdin in a session of its own. Returns the exit code. */
export async function hostChapo(io: ChapoHostIo, openSession: Open): Promise<number> {
  return runHost(io, ChapoRequest, (request) => work(request, io, openSession));
}

async function work(request: ChapoRequest, io: ChapoHostIo, openSession: Open): Promise<EndLine> {
  const { ports, env, home, promptsFolder } = io;
  const open: OpenCommands = new Map();
  // Events do not wait until the line before is written.
  let written = Promise.resolve();
  const write = (line: unknown): void => {
    written = written.then(() => writeLine(io, line));
    // A wait for it gets the error.
    written.catch(() => undefined);
  };
  const place = await findSession(request, ports);
  const { row, taskId } = request;
  const inbox =
    row === undefined || taskId === undefined
      ? undefined
      : openRowInbox(ports.files, { ...row, task: taskId });
  const session = await openSession({
    ports,
    env,
    home,
    promptsFolder,
    network: nodeNetwork(),
    root: request.cwd,
    settings: toSettings(request.chapo, request.stage !== undefined),
    model: request.model,
    permissions: request.permissions,
    sessionsFolder: place.folder,
    skills: [],
    resume: place.resume,
    inbox,
    // Only in a workflow can the task's row hold the question.
    task: {
      finish: { ...createReportTool(request), maxTurns: request.maxTurns || Infinity },
      mayWait: request.stage !== undefined,
    },
    redact: await redactorFor(ports, env),
    signal: io.stop,
    onEvent: (event) => {
      for (const one of toRunEvents(event, open)) write(one);
    },
    onWarning: (content) => {
      write({ type: "message", role: "system", content });
    },
  });
  try {
    const asked = session.conversation.pending?.asked_at;
    const isAnswered = await takeAnswer(session, request);
    // The prompt, which has all messages until now, is not sent.
    if (isAnswered && asked !== undefined) await inbox?.includeSince(asked);
    const outcome = isAnswered
      ? await session.proceed(io.stop)
      : await session.send(addReportInstructions(request.prompt), io.stop);
    await written;
    return await reportEnd({ io, request, session: session.id }, outcome);
  } finally {
    await session.close();
    await written;
  }
}

/** Returns the folder of the sessions, and the session to resume if it is still there. */
async function findSession(
  { promptFile, sessionsFolder, resume }: ChapoRequest,
  { files }: Ports,
): Promise<{ folder: string; resume?: string }> {
  // Without a workflow: beside the step's other files in the run's log, in no commit and removed with the log.
  const folder = sessionsFolder ?? path.join(path.dirname(promptFile), "chapo");
  const isThere =
    resume !== undefined &&
    (sessionsFolder === undefined || (await files.stat(path.join(folder, resume))) !== undefined);
  return { folder, ...(isThere ? { resume } : {}) };
}

/** Stores the person's answer to the call that waits; false if no such call waits, because the session has taken the answer already. */
async function takeAnswer(session: Hosted, { answered }: ChapoRequest): Promise<boolean> {
  if (answered === undefined || session.conversation.pending?.call !== answered.id) return false;
  const { outcome, arguments: args, comment: remark, by, via } = answered;
  await session.answer({
    verdict: outcome === "reject" ? "reject" : "approve",
    by,
    via: Way.options.find((way) => way === via) ?? "cli",
    remark,
    args: outcome === "edit" ? args : undefined,
  });
  return true;
}

/** Completes the settings for a run. */
function toSettings(chapo: ChapoSettings, isStage: boolean): ChapoSettings {
  return {
    ...chapo,
    ...(isStage ? { maxParallelChildren: chapo.maxParallelChildren ?? 0 } : {}),
    webFetch: { onlyMentioned: chapo.webFetch.onlyMentioned ?? true },
  };
}

type FailedLine = Extract<EndLine, { ok: false }>;

async function reportEnd(
  { io, request, session }: { io: HostIo; request: ChapoRequest; session: string },
  outcome: ConversationOutcome,
): Promise<EndLine> {
  const report = async (summary: StageAgentReport): Promise<EndLine> => {
    await writeLine(io, { ...summary, type: "summary" });
    return { type: "end", ok: true, session };
  };
  const failed = (reason: FailedLine["reason"], evidence: string, retryAt?: number): EndLine => ({
    ...{ type: "end", ok: false, reason, evidence, session },
    ...(retryAt === undefined ? {} : { retry_at: new Date(retryAt).toISOString() }),
  });
  switch (outcome.how) {
    case "finished":
      // The report tool has checked the value.
      return report((request.stage === undefined ? AgentReport : StageAgentReport).parse(outcome.value));
    case "answer":
      // Without a report. The run decides whether it needs one.
      return { type: "end", ok: true, session };
    case "clarify": {
      const { question } = outcome;
      await writeLine(io, { type: "message", role: "assistant", content: question });
      if (outcome.exhausted) return failed("turns", `${explainLimit(outcome.limit, request)}: ${question}`);
      if (request.phase !== "iteration") return failed("no-summary", `it asked: ${question}`);
      const task_id = request.taskId ?? null;
      if (request.stage !== undefined)
        return report({ task_id, status: "done", summary: question, questions: [question] });
      return report({ task_id, status: "blocked", summary: question, blockers: [question] });
    }
    case "pending":
      return { type: "end", ok: true, session, waiting_call: toWaitingCall(outcome.pending) };
    case "error":
      // The work is done but not reported. The run can ask for the report again.
      if (outcome.reason === "no-summary") return { type: "end", ok: true, session };
      return failed(outcome.reason, outcome.error, outcome.retryAt);
    default:
      return never(outcome);
  }
}

/** Names the limit that was used up, and its setting. */
function explainLimit(limit: UsedUpLimit, { agent = "chapo", maxTurns }: ChapoRequest): string {
  const own = `agents.${agent}.chapo`;
  return {
    window: `its context window was full before it reported (\`${own}.context_window\`)`,
    idle: `made no progress in its last turns (\`${own}.max_iterations\`)`,
    turns: `ran out of its ${maxTurns} turns without reporting (\`agents.${agent}.max_turns\`)`,
  }[limit];
}

const PATHS = ["path", "source", "destination"];

/** The call as the task's row holds it. The command is exactly the one that runs. */
function toWaitingCall({ call: id, tool, args, preview, again }: SessionCall): WaitingCall {
  const command = textField(args, "command") ?? describeCall(tool, args, preview);
  const paths = [...PATHS.flatMap((name) => textField(args, name) ?? []), ...listEdited(args)];
  return {
    id,
    tool,
    arguments: typeof args === "object" && args !== null ? { ...args } : {},
    command: again === "may_have_run" ? `${command} (it may have run already)` : command,
    ...(preview === command ? {} : { preview }),
    ...(paths.length === 0 ? {} : { paths: [...new Set(paths)] }),
  };
}

/** A preview of one line is the command, such as `git push origin x`. */
function describeCall(tool: string, args: unknown, preview: string): string {
  const line = preview.trim();
  if (line !== "" && !line.includes("\n")) return line;
  const path = textField(args, "path");
  return path === undefined ? tool : `${tool} ${path}`;
}

function listEdited(args: unknown): string[] {
  const edits = field(args, "edits");
  return Array.isArray(edits) ? edits.flatMap((edit: unknown) => textField(edit, "path") ?? []) : [];
}

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
    read: (args) => {
      if (!isRecord(args))
        return { problem: "the arguments must be an object with task_id, status, summary" };
      const report = { task_id: request.taskId ?? null, ...args };
      return checkReport(judgeReport(report, request.stage?.outcomes), request);
    },
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

/** Checks that a report is about this request. */
function checkReport(report: FoundReport, { phase, taskId }: Asked): ReturnType<Finish["read"]> {
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
