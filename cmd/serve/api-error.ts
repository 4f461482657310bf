// The answer to a request that fails: always `{error: {code, message, …}}`.
import { UserError } from "../../src/system/errors.js";
import { explainSurroundings } from "../../src/system/exhausted.js";
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

/** A request of which these values do not fit; the first one is named. */
export function misshapen(...details: readonly { at?: string; message: string; hint?: string }[]): ApiError {
  const { at = "", message = "" } = details[0] ?? {};
  return new ApiError(400, "shape", at === "" ? message : `${at}: ${message}`, { details });
}

interface ErrorBody {
  error: { code: string; message: string } & Readonly<Record<string, unknown>>;
}

const OF_KIND = {
  no: { status: 409, code: "state" },
  usage: { status: 422, code: "refused" },
  environment: { status: 503, code: "environment" },
} as const;

/** The status and body of a failure. An unexpected one tells an id alone, which the server's log explains. */
export function describeFailure(error: unknown, id: string): { status: number; body: ErrorBody } {
  if (error instanceof ApiError) {
    const { status, code, message, more } = error;
    return { status, body: { error: { code, message, ...more } } };
  }
  const isKnown = error instanceof UserError;
  const found = isKnown ? error : error instanceof Error ? explainSurroundings(error) : undefined;
  if (found === undefined)
    return { status: 500, body: { error: { code: "internal", message: "an internal error", id } } };
  const { status, code } = OF_KIND[isKnown ? error.kind : "environment"];
  const { message, hint } = found;
  const told = { code, message: clean(message), ...(hint === undefined ? {} : { hint: clean(hint) }) };
  return { status, body: { error: told } };
}

/** The same in the form of the documents: `{error: "text", …}`. */
export function inDocuments({ error }: ReturnType<typeof describeFailure>["body"]): object {
  const { code, message, ...more } = error;
  return "details" in more ? { error: "Invalid request", code, ...more } : { error: message, code, ...more };
}
