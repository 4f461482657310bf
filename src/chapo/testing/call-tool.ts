// Calls a tool in tests in the way the gate does.
import type { CallContext, Tool, ToolResult } from "../tool.js";

/** Calls the named tool. Invalid arguments give a failed result, as at the gate. */
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
  const context: CallContext = { callId: "c", signal };
  return prepared.run(context);
}

/** Returns the text of a successful or failed result. */
export function getText(result: ToolResult): string {
  return result.success ? result.output : result.error;
}
