// The table of routes: the router, the OpenAPI document and docs/serve.md are made from it.
import { z } from "zod";
import { DOCUMENT_ROUTES } from "./documents/routes.js";
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
  ...DOCUMENT_ROUTES,
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
    paths,
  };
}

const ErrorBody = z.object({
  error: z.looseObject({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});

const DocumentErrorBody = z.looseObject({ error: z.string() });

/** The errors that every route has. */
const COMMON = [400, 401, 403, 421, 429, 500];

function operationOf({
  method,
  base,
  path,
  role,
  does,
  query,
  body,
  answer,
  status,
  errors,
}: ApiRoute): object {
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
  const failed = [...COMMON, ...errors].map((code): [string, object] => [
    String(code),
    {
      description: "an error",
      content: {
        "application/json": {
          schema: { $ref: `#/components/schemas/${base === "" ? "DocumentError" : "Error"}` },
        },
      },
    },
  ]);
  const content =
    answer === undefined ? {} : { content: { "application/json": { schema: shapeOf(answer) } } };
  return {
    summary: does,
    ...(role === "anyone" || role === "signed" ? { security: [] } : {}),
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z]+/g, "_")}`,
    parameters: [...inPath, ...inQuery],
    ...(body === undefined
      ? {}
      : { requestBody: { content: { "application/json": { schema: shapeOf(body, "input") } } } }),
    responses: { [String(status)]: { description: does, ...content }, ...Object.fromEntries(failed) },
  };
}

function shapeOf(shape: z.ZodType, io: "input" | "output" = "output"): object {
  return z.toJSONSchema(shape, { io, unrepresentable: "any", reused: "inline" });
}
