// Why a request to an agent of the Agent Client Protocol failed. Pure. The protocol's own library says only "Internal
// error" of what an agent throws: its words, or all of its text where that is JSON, stand in the error's data.
import { given } from "../../system/given.js";
import type { AcpHostLine } from "./acp-request.js";
import { field, numberField, textField } from "../fields.js";
import { isStatus, readErrorBody } from "../limits/limit-facts.js";
import { endFailed } from "../limits/limits.js";
import type { Terminal } from "../limits/reader.js";

type Failed = Pick<Extract<AcpHostLine, { type: "request-failed" }>, "code" | "message" | "data" | "method">;

const SIGN_IN = -32000;

/** `code` is one of JSON-RPC's, or the HTTP status; what kind of error it is some agents say in the data. */
export function describeFailedRequest({
  code = 0,
  message,
  data,
  method,
}: Failed): Extract<Terminal, { good: false }> {
  const body = bodyOf(data);
  const told = readErrorBody(body);
  const words = textField(data, "details") ?? told?.message ?? asWords(data);
  const text = words === undefined || message.includes(words) ? message : `${message}\n${words}`;
  const said = GENERIC.test(message) ? (words ?? message) : text.replace("\n", ": ");
  const evidence = `${method}: ${said}`;
  if (code === SIGN_IN) return { good: false, reason: "not-signed-in", evidence };
  const codes = ["errorKind", "errorName", "code", "type"].flatMap((key) => textField(data, key) ?? []);
  const status = [code, numberField(data, "statusCode"), numberField(data, "status")].find(isStatus);
  return endFailed(
    {
      codes,
      text,
      ...(told === undefined ? {} : { body: JSON.stringify(body) }),
      ...given({ status }),
    },
    evidence,
  );
}

/** JSON-RPC's own names of errors: they tell nothing beside other words. */
const GENERIC = /^(?:internal error|server error|unknown error|error)\.?$/i;

/** The data as the body of an answer: a bare error is put where bodies have it. */
function bodyOf(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return undefined;
  return field(data, "error") === undefined && textField(data, "message") !== undefined
    ? { error: data }
    : data;
}

function asWords(data: unknown): string | undefined {
  return typeof data === "string" && data.trim() !== "" ? data : undefined;
}
