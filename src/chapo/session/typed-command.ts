// A command that a person types at the terminal after a `!`. It runs unasked, in a shell of its own, and the model sees what it
// printed with the next message.
import { clipMiddle } from "../engine/window/clip.js";
import { appendMessages, listOpenCalls, type Conversation } from "../engine/conversation.js";
import { enqueue } from "../engine/resume.js";
import type { SessionParts } from "./session-world.js";

/** Not `bash_execute`: the rules follow the folder of that shell, and count on the model's commands alone. */
const TOOL = "run_command";
/** The most characters of an output that the model gets. */
const MOST = 30_000;

/** Runs a command, and returns the conversation with its output. */
export async function runTyped(
  { toolbox, session, guard, emit, request }: SessionParts,
  conversation: Conversation,
  { command, signal }: { command: string; signal: AbortSignal },
): Promise<Conversation> {
  const callId = `typed-${request.ports.random.hex(4)}`;
  const of = { callId, agent: "user", tool: TOOL };
  emit({ type: "tool_call", data: { ...of, args: { command } } });
  const tool = toolbox.tools.find(({ name }) => name === TOOL);
  const call = tool?.prepare({ command }) ?? { problem: "this session only reads, and has no shell" };
  const result =
    "problem" in call
      ? { success: false as const, error: call.problem }
      : await call.run({ ...of, session: session.id, signal });
  const screened = await guard.screen(TOOL, result.success ? result.output : result.error);
  const output = request.redact(screened);
  emit({ type: "tool_result", data: { ...of, success: result.success, output, tries: 1 } });
  const told = `[the user ran this at the terminal: ${command}]\n${clipMiddle(output, MOST)}`;
  // The results of calls that were interrupted come first.
  if (listOpenCalls(conversation).length > 0) return enqueue(conversation, told);
  return appendMessages(conversation, { role: "user", own: true, text: told });
}
