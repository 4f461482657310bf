// A tool of `looper mcp`: its name, what it takes, and what it does. Leaves the protocol to serve.ts.
import { z } from "zod";
import { UserError } from "../../../src/system/errors.js";
import { describeArguments } from "./describe-arguments.js";

/** A tool; `call` gets whatever the client sent. */
export interface McpTool {
  name: string;
  description: string;
  /** Whether it only reads. */
  reads: boolean;
  input: z.ZodType;
  /** Throws a `UserError` for what the caller can mend. */
  call(args: unknown): Promise<object>;
}

/** A tool whose arguments are checked before it runs; unknown ones are refused, since a misspelled one would be lost. */
export function makeTool<S extends z.ZodRawShape>(
  about: Pick<McpTool, "name" | "description"> & { reads?: boolean },
  shape: S,
  run: (args: z.infer<z.ZodObject<S, z.core.$strict>>) => Promise<object>,
): McpTool {
  const input = z.strictObject(shape);
  return {
    name: about.name,
    description: about.description,
    reads: about.reads ?? false,
    input,
    call: async (args) => {
      const read = input.safeParse(args ?? {});
      if (read.success) return run(read.data);
      const why = describeArguments(read.error.issues, { args: args ?? {}, known: Object.keys(shape) });
      throw new UserError("usage", `${about.name}: ${why}`);
    },
  };
}
