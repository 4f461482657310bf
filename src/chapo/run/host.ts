// The child's side of the kind chapo: opens a session for one request of a run, tells what happens in it as all agents do,
// and how it ended. Leaves what the engine's words mean there to run-events.ts, the session to open-session.ts.
import path from "node:path";
import { ChapoRequest } from "../../agents/hosted/chapo-request.js";
import { runHost, writeLine, type HostIo } from "../../agents/hosted/host.js";
import type { EndLine } from "../../agents/hosted/own-lines.js";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import { given } from "../../system/given.js";
import { nodeNetwork } from "../../system/network.js";
import { never } from "../../system/never.js";
import { redactorFor } from "../../system/text/redactor.js";
import { Summary } from "../../todo/model/summary.js";
import type { ChapoEvent } from "../engine/events.js";
import type { ConversationOutcome } from "../engine/world.js";
import { toRunEvents, type OpenCommands } from "./run-events.js";
import { addReportInstructions, createReportTool } from "./run-report.js";
import type { Chapo, SessionRequest } from "../session/session-request.js";

/** What else its place gives it. */
export interface ChapoHostIo extends HostIo {
  /** Absolute. */
  home: string;
  /** Absolute path of the bundled templates. */
  promptsFolder: string;
}

type Open = (request: SessionRequest) => Promise<Chapo>;

/** Works on the request on stdin, in a session of its own; the exit code. */
export async function hostChapo(io: ChapoHostIo, openSession: Open): Promise<number> {
  return runHost(io, ChapoRequest, (request) => work(request, io, openSession));
}

async function work(request: ChapoRequest, io: ChapoHostIo, openSession: Open): Promise<EndLine> {
  const { ports, env, home, promptsFolder } = io;
  const lines = createLineWriter(io);
  const session = await openSession({
    ports,
    env,
    home,
    promptsFolder,
    network: nodeNetwork(),
    root: request.cwd,
    settings: toSettings(request),
    model: request.model,
    permissions: request.permissions,
    // With the step's other files in the log: no commit holds it, and it goes when the log goes.
    sessionsFolder: path.join(path.dirname(request.promptFile), "chapo"),
    skills: [],
    ...given({ resume: request.resume }),
    task: { finish: createReportTool(request) },
    redact: await redactorFor(ports, env),
    signal: io.stop,
    onEvent: lines.tell,
    onWarning: lines.warn,
  });
  try {
    const outcome = await session.hear(addReportInstructions(request.prompt), io.stop);
    await lines.written();
    return await reportEnd({ io, request, session: session.id }, outcome);
  } finally {
    await session.close();
    await lines.written();
  }
}

/** A run trusts its agents where nobody says otherwise; it has a gate and rescues. */
function toSettings({ chapo, maxTurns }: ChapoRequest): ChapoSettings {
  const { maxIterations, trustMode = "trusted", webFetch } = chapo;
  return {
    ...chapo,
    trustMode,
    maxIterations: maxTurns === 0 ? maxIterations : Math.min(maxIterations, maxTurns),
    webFetch: { onlyMentioned: webFetch.onlyMentioned ?? true },
  };
}

interface Lines {
  tell: (event: ChapoEvent) => void;
  warn: (text: string) => void;
  /** All that was told is on stdout; rejects where it cannot be written. */
  written: () => Promise<void>;
}

/** Events come without waiting for the one before to be written. */
function createLineWriter(io: HostIo): Lines {
  let open: OpenCommands = new Map();
  let last = Promise.resolve();
  const write = (line: unknown): void => {
    last = last.then(() => writeLine(io, line));
    // Told by `written`.
    last.catch(() => undefined);
  };
  return {
    tell: (event) => {
      const told = toRunEvents(event, open);
      open = told.open;
      for (const one of told.events) write(one);
    },
    warn: (text) => {
      write({ type: "message", role: "system", content: text });
    },
    written: () => last,
  };
}

interface End {
  io: HostIo;
  request: ChapoRequest;
  session: string;
}

async function reportEnd(end: End, outcome: ConversationOutcome): Promise<EndLine> {
  const { io, request, session } = end;
  const report = async (summary: Summary): Promise<EndLine> => {
    await writeLine(io, { ...summary, type: "summary" });
    return { type: "end", ok: true, session };
  };
  const failed = (
    reason: Extract<EndLine, { ok: false }>["reason"],
    evidence: string,
    retryAt?: number,
  ): EndLine => ({
    type: "end",
    ok: false,
    reason,
    evidence,
    session,
    ...(retryAt === undefined ? {} : { retry_at: new Date(retryAt).toISOString() }),
  });
  switch (outcome.how) {
    case "finished":
      // What `reportFor` let through.
      return report(Summary.parse(outcome.value));
    case "answer":
      // Without a report: whether one was needed is the run's to say.
      return { type: "end", ok: true, session };
    case "clarify": {
      const { question, exhausted } = outcome;
      await writeLine(io, { type: "message", role: "assistant", content: question });
      if (exhausted) return failed("turns", question);
      if (request.phase !== "iteration") return failed("no-summary", `it asked: ${question}`);
      const task_id = request.taskId ?? null;
      return report({ task_id, status: "blocked", summary: question, blockers: [question] });
    }
    case "error":
      // It did its work and did not report it, which it can be asked for again.
      if (outcome.reason === "no-summary") return { type: "end", ok: true, session };
      return failed(outcome.reason, outcome.error, outcome.retryAt);
    default:
      return never(outcome);
  }
}
