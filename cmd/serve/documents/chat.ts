// `POST /api/chat`: the older form of a conversation, with its messages in the request.
import { z } from "zod";
import { readInside } from "../../../src/chapo/paths.js";
import { openGuard, openPermissions } from "../../../src/chapo/session/permissions/guard.js";
import { siteOf } from "../../commands/chapo/site.js";
import { misshapen } from "../api-error.js";
import { route, type ApiCall, type ApiRoute } from "../route.js";
import { readStoredEvent, type StoredEvent } from "./event-shapes.js";
import { beginTurn, LooperBody } from "./looper.js";

const MOST_TURNS = 10;
const MOST_PINNED = 8;
const MOST_LINES = 80;
const MOST_PINNED_BYTES = 64_000;
const PIECES = /[\s\S]{1,400}/g;

const Message = z.looseObject({
  role: z.enum(["user", "assistant", "system"]),
  content: z.string().max(500_000),
});

const Body = LooperBody.pick({ provider: true, projectRoot: true, skillIds: true, sessionId: true }).extend({
  messages: z.array(Message).min(1).max(1_000),
  pinnedFiles: z
    .array(z.union([z.string(), z.looseObject({ path: z.string() }).transform(({ path }) => path)]))
    .max(MOST_PINNED)
    .optional(),
  projectContextOverride: z.string().max(50_000).optional(),
});

/** The first lines of the pinned files, as the rules of Chapo let it read them. */
async function readPinned({ context }: Pick<ApiCall, "context">, names: readonly string[]) {
  const { project, settings, env } = await siteOf(context, { words: [] });
  const { ports } = context;
  const root = project.folder;
  const nowhere = { read: () => Promise.resolve(undefined), write: () => Promise.resolve() };
  const permissions = await openPermissions(settings, { usual: "default", store: nowhere });
  const { hidden } = openGuard({ ports, root, env }, permissions, () => []);
  return Promise.all(
    names.map(async (name) => {
      const read = await readInside({ files: ports.files, root, hidden }, name, MOST_PINNED_BYTES);
      if (read === undefined)
        throw misshapen({ at: "pinnedFiles", message: `${name} may not be read, or is not there` });
      return `[pinned file ${name}]\n${read.text.split("\n").slice(0, MOST_LINES).join("\n")}`;
    }),
  );
}

/** The message to Chapo: the last one, and before it what the session does not have yet. */
async function messageOf(call: ApiCall<unknown, z.infer<typeof Body>>): Promise<string> {
  const { messages, sessionId, pinnedFiles = [], projectContextOverride: about } = call.body;
  const last = messages.at(-1);
  if (last?.role !== "user" || last.content.trim() === "")
    throw misshapen({ at: "messages", message: "the last one must be the user's, with a text" });
  const earlier = sessionId === undefined ? messages.slice(0, -1) : [];
  return [
    ...(about === undefined ? [] : [`[about the project]\n${about}`]),
    ...(await readPinned(call, pinnedFiles)),
    ...earlier.map(({ role, content }) => `[earlier, ${role}]\n${content}`),
    last.content,
  ].join("\n\n");
}

/** An event in the older form, which has none for some. Pure. */
function toChat({ type, data, timestamp }: StoredEvent): object[] {
  const { sessionId } = data;
  const at = { timestamp, sessionId };
  switch (type) {
    case "status":
      return [{ type, ...at, status: data["status"] }];
    case "thinking":
      return [{ type: "context_stats", ...at, stats: data["tokenUsage"] }];
    case "tool_call":
      return [{ type, ...at, id: data["callId"], name: data["tool"], arguments: data["args"] }];
    case "tool_result": {
      const { callId: id, tool: name, success } = data;
      const text = String(data["output"]);
      const pieces = text === "" ? [""] : (text.match(PIECES) ?? []);
      return pieces.map((result, n) => ({
        ...{ type, ...at, id, name, success, result },
        isLast: n === pieces.length - 1,
      }));
    }
    case "action_pending":
      return [{ type, ...at, ...data }];
    case "answer":
    case "clarify":
    case "error": {
      const content = String(data["answer"] ?? data["question"] ?? data["error"]);
      const message = { role: "assistant", content, timestamp };
      return [
        ...(type === "error" ? [{ type, ...at, error: data["error"] }] : []),
        { type: "response", ...at, response: { message, sessionId } },
      ];
    }
    default:
      return [];
  }
}

export const CHAT_ROUTES: readonly ApiRoute[] = [
  route("POST", "/api/chat", {
    does: "A conversation whose messages the client holds: NDJSON of `status`, calls, their results, and `response` as the last line.",
    perMinute: 20,
    body: Body,
    errors: [404, 409, 503],
    handle: async (call) => {
      const message = await messageOf(call);
      const config = { maxIterations: MOST_TURNS, selfValidationEnabled: false };
      const asked = { ...call, body: { ...call.body, config } };
      const begun = await beginTurn(asked, (chapo, signal) => chapo.send(message, signal));
      return call.site.turns.stream(begun, call.signal, (line) => {
        const event = readStoredEvent(line);
        return event === undefined ? [] : toChat(event).map((said) => JSON.stringify(said));
      });
    },
  }),
];
