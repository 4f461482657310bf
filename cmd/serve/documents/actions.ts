// The calls of Chapo that wait for a person, or waited: listed, approved and rejected.
import path from "node:path";
import { z } from "zod";
import { listSessions, readStored, type ListedSession } from "../../../src/chapo/session/sessions.js";
import type { CallAnswer } from "../../../src/chapo/engine/calls/pending.js";
import { readLines } from "../../../src/logging/read.js";
import { given } from "../../../src/system/given.js";
import { UserError } from "../../../src/system/errors.js";
import { textField } from "../../../src/agents/fields.js";
import { personOf } from "../../lookup/caller.js";
import { ApiError, describeFailure, inDocuments } from "../api-error.js";
import { route, type ApiCall, type ApiRoute } from "../route.js";
import { actionId, readStoredEvent, sayPending, type StoredEvent } from "./event-shapes.js";
import { beginTurn } from "./looper.js";
import { sessionOf, sessionsAt } from "./turns.js";

/** Of the newest sessions. */
const MOST_SESSIONS = 50;
const MOST_OF_BATCH = 50;

const Action = z.object({
  id: z.string(),
  sessionId: z.string(),
  toolName: z.string(),
  toolArgs: z.unknown(),
  description: z.string(),
  status: z.enum(["pending", "approved", "executing", "done", "failed", "rejected"]),
  createdAt: z.string(),
  preview: z.string(),
  approvedAt: z.string().optional(),
  rejectedAt: z.string().optional(),
  executedAt: z.string().optional(),
  result: z.string().optional(),
  error: z.string().optional(),
});
type Action = z.infer<typeof Action>;

function becameOf(
  call: string,
  { pending, isHeld }: ListedSession,
  said: CallAnswer | undefined,
  ran: StoredEvent | undefined,
): Pick<Action, "status"> & Partial<Action> {
  if (pending?.call === call && pending.answer === undefined && !(isHeld && pending.begun !== undefined))
    return { status: "pending" };
  const output = textField(ran?.data, "output") ?? "";
  // Without an answer a message came instead, which means no.
  if (said?.verdict !== "approve")
    return {
      status: "rejected",
      ...given({ rejectedAt: said?.at }),
      ...(ran === undefined ? {} : { error: output }),
    };
  const approvedAt = said.at;
  if (ran === undefined) return { status: isHeld ? "executing" : "approved", approvedAt };
  const over = { approvedAt, executedAt: ran.timestamp };
  return ran.data["success"] === true
    ? { status: "done", ...over, result: output }
    : { status: "failed", ...over, error: output };
}

/** The calls of a session that a person was asked about, the newest first. */
async function actionsOf(call: Pick<ApiCall, "context">, listed: ListedSession): Promise<Action[]> {
  const { id: sessionId, pending } = listed;
  const place = await sessionsAt(call);
  const answered = (await readStored(place, sessionId))?.answered ?? [];
  const asked = new Map<string, Omit<Action, "status" | "id" | "sessionId">>();
  const ran = new Map<unknown, StoredEvent>();
  for await (const { text } of readLines(place.ports, path.join(place.folder, sessionId))) {
    const event = readStoredEvent(text);
    if (event === undefined) continue;
    const { callId, toolName, toolArgs, description, preview } = event.data;
    if (event.type === "tool_result") ran.set(callId, event);
    if (event.type !== "action_pending" || typeof callId !== "string") continue;
    asked.delete(callId);
    const said = { toolName: String(toolName), description: String(description), preview: String(preview) };
    asked.set(callId, { ...said, toolArgs, createdAt: event.timestamp });
  }
  // Calls that were asked about at a terminal: of those with an answer the session keeps less.
  for (const { call: id, tool: toolName, at: createdAt } of answered)
    if (!asked.has(id)) {
      const description = `${toolName} was asked about at a terminal`;
      asked.set(id, { toolName, toolArgs: null, createdAt, preview: "", description });
    }
  if (pending !== undefined && !asked.has(pending.call))
    asked.set(pending.call, { ...sayPending(pending), createdAt: pending.asked_at });
  return [...asked].reverse().map(([id, action]) => {
    const said = answered.findLast((one) => one.call === id);
    const became = becameOf(id, listed, said, ran.get(id));
    return { id: actionId(sessionId, id), sessionId, ...action, ...became };
  });
}

async function allActions(call: ApiCall): Promise<Action[]> {
  const { sessions } = await listSessions(await sessionsAt(call));
  const actions: Action[] = [];
  for (const one of sessions.slice(0, MOST_SESSIONS)) actions.push(...(await actionsOf(call, one)));
  return actions.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

/** The action with this id, by its session; throws 404. */
async function actionWith(call: Pick<ApiCall, "context">, id: string): Promise<Action> {
  const missing = new ApiError(404, "no-action", "Action not found");
  const listed = await sessionOf(call, id.split(".")[0] ?? "").catch(() => {
    throw missing;
  });
  const found = (await actionsOf(call, listed)).find((one) => one.id === id);
  if (found === undefined) throw missing;
  return found;
}

/** Gives the answer; resolves when the call ran or was refused. The session's turn continues by itself. */
async function answer(call: ApiCall, id: string, verdict: CallAnswer["verdict"], remark?: string) {
  const action = await actionWith(call, id);
  const { sessionId, status } = action;
  if (status !== "pending")
    throw new ApiError(400, "state", `the action ${id} is ${status}, not pending`, { status });
  const said = { verdict, ...personOf(call.context), ...given({ remark }) };
  const begun = await beginTurn({ ...call, body: { sessionId } }, (chapo, signal) => chapo.proceed(signal), {
    // One call was allowed: a session that asks keeps asking.
    usual: "default",
    prepare: (chapo) => chapo.answer(said),
  });
  const callId = id.slice(sessionId.length + 1);
  for await (const line of call.site.turns.lines(begun.folder, begun.from, call.signal)) {
    const event = readStoredEvent(line);
    if (event?.type === "tool_result" && event.data["callId"] === callId) break;
  }
  const { description, preview, toolArgs } = action;
  return { ...(await actionWith(call, id)), description, preview, toolArgs };
}

function batchRoute(verdict: CallAnswer["verdict"]): ApiRoute {
  return route("POST", `/api/actions/${verdict}-batch`, {
    does: `The same for up to ${MOST_OF_BATCH} of them; each has its own result.`,
    role: "answer",
    perMinute: 10,
    body: z.strictObject({ actionIds: z.array(z.string().max(300)).min(1).max(MOST_OF_BATCH) }),
    answer: z.object({ results: z.array(z.looseObject({ actionId: z.string(), success: z.boolean() })) }),
    handle: async (call) => {
      const results: object[] = [];
      for (const actionId of new Set(call.body.actionIds)) {
        try {
          results.push({ actionId, success: true, action: await answer(call, actionId, verdict) });
        } catch (error) {
          if (!(error instanceof ApiError || error instanceof UserError)) throw error;
          results.push({ actionId, success: false, ...inDocuments(describeFailure(error, "").body) });
        }
      }
      return { results };
    },
  });
}

function answerRoute(verdict: CallAnswer["verdict"], does: string): ApiRoute {
  return route("POST", `/api/actions/{id}/${verdict}`, {
    does,
    role: "answer",
    perMinute: 30,
    body: z.strictObject({ comment: z.string().max(10_000).optional() }).optional(),
    answer: Action,
    errors: [404, 409],
    handle: (call) => answer(call, call.params["id"] ?? "", verdict, call.body?.comment),
  });
}

export const ACTION_ROUTES: readonly ApiRoute[] = [
  route("GET", "/api/actions", {
    does: "The calls of Chapo that a person was asked about, newest first, of the newest sessions.",
    answer: z.object({ actions: z.array(Action) }),
    handle: async (call) => ({ actions: await allActions(call) }),
  }),
  route("GET", "/api/actions/pending", {
    does: "Those that wait for an answer.",
    answer: z.object({ actions: z.array(Action) }),
    handle: async (call) => {
      const actions = await allActions(call);
      return { actions: actions.filter(({ status }) => status === "pending") };
    },
  }),
  batchRoute("approve"),
  batchRoute("reject"),
  route("GET", "/api/actions/{id}", {
    does: "One of them.",
    answer: Action,
    errors: [404],
    handle: (call) => actionWith(call, call.params["id"] ?? ""),
  }),
  answerRoute(
    "approve",
    "Runs the call as it was shown, and answers when it ran. The session's turn continues.",
  ),
  answerRoute("reject", "Refuses the call: it fails, and the model is told so."),
];
