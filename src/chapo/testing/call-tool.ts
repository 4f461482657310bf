// What the tests of the tools share: a call as the gate makes it.
import type { CallContext, Tool, ToolResult } from "../tool.js";

/** Calls the tool of that name; wrong arguments are a failed result, as at the gate. */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  args: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolResult> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const prepared = tool.prepare(args);
  if ("problem" in prepared) return { success: false, error: prepared.problem };
  const context: CallContext = { session: "s", callId: "c", agent: "commander", signal };
  return prepared.run(context);
}

/** What it says, whether it worked or not. */
export function getText(result: ToolResult): string {
  return result.success ? result.output : result.error;
}
