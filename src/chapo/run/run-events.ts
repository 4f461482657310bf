// Converts a session's events to the events of all agents in a backlog run. host.ts reports the end of a session.
import type { AgentEvent } from "../../agents/agent.js";
import { textField } from "../../agents/fields.js";
import { never } from "../../system/never.js";
import type { ChapoEvent } from "../engine/events.js";

type Call = Extract<ChapoEvent, { type: "tool_call" }>;
type Result = Extract<ChapoEvent, { type: "tool_result" }>;

/** The shell tools, whose calls become commands. */
const SHELLS = new Set(["bash_execute", "run_command"]);
/** The codes of refused calls, which become errors. */
const REFUSED = new Set<unknown>(["denied", "outside", "not_allowed"]);

/** The running commands by the id of their call, with their start in epoch ms. */
export type OpenCommands = Map<string, { command: string; since: number }>;

/** Converts one event, and keeps the commands that are running after it. */
export function toRunEvents(event: ChapoEvent, open: OpenCommands): AgentEvent[] {
  const parent = event.child === undefined ? {} : { parent: event.child };
  const say = (role: "assistant" | "system" | "user", content: string): AgentEvent[] => [
    { type: "message", role, content, ...parent },
  ];
  switch (event.type) {
    case "message":
      return say("assistant", event.data.text);
    case "tool_call":
      return beginCall(event, open, parent);
    case "tool_result":
      return endCall(event, open, parent);
    case "usage": {
      const { input_tokens, output_tokens, cached_input_tokens, cost_usd } = event.data;
      const cost = cost_usd === undefined ? {} : { cost_usd };
      return [{ type: "usage", input_tokens, output_tokens, cached_input_tokens, ...cost }];
    }
    case "compaction":
      return say(
        "system",
        event.data.how === "clipped"
          ? `long texts (${event.data.messages} messages) were cut to fit the context window`
          : `older turns (${event.data.messages} messages) were replaced: ${event.data.how}`,
      );
    case "waiting":
      return say("system", `waiting ${Math.ceil(event.data.ms / 1000)} s: ${event.data.why}`);
    case "validation":
      return say("system", `its answer was checked: confidence ${event.data.confidence}`);
    case "error": {
      const { error, reason } = event.data;
      return [{ type: "error", error, reason }];
    }
    case "delivered":
      return say("user", event.data.text);
    case "status":
    case "thinking":
    case "delta":
    case "attached":
    case "thought":
    case "retry":
    case "step":
    case "action_pending":
    case "answer":
    case "clarify":
      return [];
    default:
      return never(event);
  }
}

interface Parent {
  parent?: string;
}

function beginCall({ data, timestamp }: Call, open: OpenCommands, parent: Parent): AgentEvent[] {
  const { callId: id, tool: name, args: input } = data;
  const command = SHELLS.has(name) ? textField(input, "command") : undefined;
  if (command === undefined) return [{ type: "tool_use", name, input, id, ...parent }];
  open.set(id, { command, since: Date.parse(timestamp) });
  return [{ type: "command", command, ...parent }];
}

/** Converts the end of a call. A command also gets its exit code and duration. */
function endCall({ data, timestamp }: Result, open: OpenCommands, parent: Parent): AgentEvent[] {
  const { callId: id, output, success, code } = data;
  const result: AgentEvent = { type: "tool_result", id, output, is_error: !success, ...parent };
  const refused: AgentEvent[] = REFUSED.has(code)
    ? [{ type: "error", error: `${data.tool}: ${output}`, reason: "refused" }]
    : [];
  const begun = open.get(id);
  if (begun === undefined) return [result, ...refused];
  open.delete(id);
  const told = /^exit_code: (\d{1,3})\n/.exec(output)?.[1];
  const over: AgentEvent = {
    type: "command",
    command: begun.command,
    ...(told === undefined ? {} : { exit_code: Number(told) }),
    duration_ms: Math.max(0, Date.parse(timestamp) - begun.since),
    ...parent,
  };
  return [over, result, ...refused];
}
