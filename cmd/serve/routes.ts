// The table of routes: the router, the OpenAPI document and docs/serve.md are made from it.
import { z } from "zod";
import { ACTION_ROUTES } from "./documents/actions.js";
import { AGENT_RUN_ROUTES } from "./documents/agent-runs.js";
import { CHAT_ROUTES } from "./documents/chat.js";
import { CODING_ROUTES } from "./documents/coding.js";
import { LOOPER_ROUTES } from "./documents/looper.js";
import { CHAPO_ROUTES } from "./documents/sessions.js";
import type { ApiRoute } from "./route.js";
import { ATTEMPT_ROUTES } from "./routes/attempts.js";
import { PROJECT_ROUTES } from "./routes/project.js";
import { QUESTION_ROUTES } from "./routes/questions.js";
import { RUN_ROUTES } from "./routes/runs.js";
import { TASK_ROUTES } from "./routes/tasks.js";

export const ROUTES: readonly ApiRoute[] = [
  ...PROJECT_ROUTES,
  ...TASK_ROUTES,
  ...ATTEMPT_ROUTES,
  ...QUESTION_ROUTES,
  ...RUN_ROUTES,
  // The endpoints of the documents that Looper comes from.
  ...LOOPER_ROUTES,
  ...CHAPO_ROUTES,
  ...ACTION_ROUTES,
  ...AGENT_RUN_ROUTES,
  ...CODING_ROUTES,
  ...CHAT_ROUTES,
];

/** The OpenAPI 3.1 document. */
export function openApi(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const one of ROUTES) {
    const path = one.base + one.path;
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operationOf(one) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Looper", version, description: "The API of looper serve." },
    security: [{ key: [] }],
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
      schemas: { Error: shapeOf(ErrorBody), DocumentError: shapeOf(DocumentErrorBody) },
    },
    paths: { ...paths, "/api/ws/chat": { get: SOCKET } },
  };
}

/** OpenAPI has no words for the messages of a WebSocket: docs/serve.md has them. */
const SOCKET = {
  summary:
    "A WebSocket: the events of POST /api/looper and its other requests, as docs/serve.md describes them.",
  operationId: "get_api_ws_chat",
  security: [],
  parameters: [
    { name: "sessionId", in: "query", schema: { type: "string" } },
    { name: "Sec-WebSocket-Protocol", in: "header", required: true, schema: { const: "bearer.KEY" } },
  ],
  responses: { "101": { description: "switched to the protocol" }, "403": { description: "another origin" } },
};

const ErrorBody = z.object({
  error: z.looseObject({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});

const DocumentErrorBody = z.looseObject({ error: z.string() });

/** The errors that every route has. */
const COMMON = [400, 401, 403, 421, 429, 500];

function operationOf(one: ApiRoute): object {
  const { method, base, path, role, does, query, body, answer, status, errors } = one;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query.shape).map(([name, shape]) => ({
    name,
    in: "query",
    schema: z.toJSONSchema(shape as z.ZodType, { io: "input", unrepresentable: "any" }),
  }));
  const $ref = `#/components/schemas/${base === "" ? "DocumentError" : "Error"}`;
  const failed = [...COMMON, ...errors].map((code): [string, object] => [
    String(code),
    { description: "an error", ...asJson({ $ref }) },
  ]);
  const found = { description: does, ...(answer === undefined ? {} : asJson(shapeOf(answer))) };
  return {
    summary: does,
    ...(role === "anyone" || role === "signed" ? { security: [] } : {}),
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z]+/g, "_")}`,
    parameters: [...inPath, ...inQuery],
    ...(body === undefined ? {} : { requestBody: asJson(shapeOf(body, "input")) }),
    responses: { [String(status)]: found, ...Object.fromEntries(failed) },
  };
}

function asJson(schema: object): object {
  return { content: { "application/json": { schema } } };
}

function shapeOf(shape: z.ZodType, io: "input" | "output" = "output"): object {
  return z.toJSONSchema(shape, { io, unrepresentable: "any", reused: "inline" });
}
