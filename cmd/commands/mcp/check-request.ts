// Checks the params of a client's request before the protocol's library takes it: the library answers wrong ones with an internal
// error and the raw text of its schema. Pure.
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { describeArguments } from "./describe-arguments.js";

const AnyRequest = z.looseObject({ method: z.string(), id: z.union([z.string(), z.int()]) });

/** The requests whose params the server reads. */
const OWN: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["initialize", InitializeRequestSchema],
  ["tools/list", ListToolsRequestSchema],
  ["tools/call", CallToolRequestSchema],
]);

/** Describes the wrong params of a request, with the field's name; `undefined`: they are right, or it is not a request. */
export function whyWrongParams(message: unknown): string | undefined {
  const request = AnyRequest.safeParse(message).data;
  if (request === undefined) return undefined;
  const read = JSONRPCRequestSchema.safeParse(message);
  const issues = read.success ? OWN.get(request.method)?.safeParse(message).error?.issues : read.error.issues;
  if (issues?.[0] === undefined || issues.some(({ path: [field] }) => field !== "params")) return undefined;
  return `${request.method.slice(0, 100)}: ${describeArguments(issues, { args: message, known: [] })}`;
}
