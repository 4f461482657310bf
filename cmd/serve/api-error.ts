// The answer to a request that fails: always `{error: {code, message, …}}`.
import { UserError } from "../../src/system/errors.js";
import { explainSurroundings } from "../../src/system/surroundings.js";
import { clean } from "../../src/ui/text.js";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Further facts, e.g. `hint`, `near`. */
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

interface ErrorBody {
  error: { code: string; message: string } & Readonly<Record<string, unknown>>;
}

/** The status and body of a failure. An unexpected one tells an id alone, which the server's log explains. */
export function describeFailure(error: unknown, id: string): { status: number; body: ErrorBody } {
  if (error instanceof ApiError) {
    const { status, code, message, more } = error;
    return { status, body: { error: { code, message, ...more } } };
  }
  if (error instanceof UserError) {
    const { kind, message, hint } = error;
    const status = kind === "no" ? 409 : kind === "usage" ? 422 : 503;
    const code = kind === "no" ? "state" : kind === "usage" ? "refused" : "environment";
    return {
      status,
      body: {
        error: { code, message: clean(message), ...(hint === undefined ? {} : { hint: clean(hint) }) },
      },
    };
  }
  const found = error instanceof Error ? explainSurroundings(error) : undefined;
  if (found !== undefined)
    return {
      status: 503,
      body: { error: { code: "environment", message: clean(found.message), hint: found.hint } },
    };
  return { status: 500, body: { error: { code: "internal", message: "an internal error", id } } };
}

/** The same in the form of the documents: `{error: "text", …}`. */
export function inDocuments({ error }: ReturnType<typeof describeFailure>["body"]): object {
  const { code, message, ...more } = error;
  return "details" in more ? { error: "Invalid request", code, ...more } : { error: message, code, ...more };
}
