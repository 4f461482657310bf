// For tests of this floor: settings and requests with every value there, and a run that keeps all that was said.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { Ports } from "../../system/ports.js";
import type { Agent, AgentContext, AgentEvent, AgentRequest, AgentResult } from "../agent.js";

/** Time passes twenty times as fast: half a minute takes a second and a half. */
export function hurried(ports: Ports): Ports {
  const { clock } = ports;
  return {
    ...ports,
    clock: {
      ...clock,
      monotonic: () => clock.monotonic() * 20,
      after: (ms, wake) => clock.after(ms / 20, wake),
      every: (ms, tick) => clock.every(Math.ceil(ms / 20), tick),
    },
  };
}

export function settingsOf(kind: AgentSettings["kind"], more: Partial<AgentSettings> = {}): AgentSettings {
  return {
    name: "ours",
    kind,
    args: [],
    env: {},
    timeoutMs: 0,
    idleTimeoutMs: 0,
    maxEvents: 0,
    maxOutput: 0,
    maxTurns: 0,
    contain: "none",
    permissions: "workspace",
    network: false,
    promptVia: "stdin",
    output: "text",
    ...more,
  };
}

export function requestOf(
  place: { cwd: string; env: Readonly<Record<string, string>> },
  more: Partial<AgentRequest> = {},
): AgentRequest {
  return {
    phase: "iteration",
    taskId: "T1",
    iteration: 1,
    attempt: 1,
    prompt: "Do it.\n",
    promptFile: `${place.cwd}/prompt.md`,
    permissions: "workspace",
    ...place,
    ...more,
  };
}

export interface RigResult {
  result: AgentResult;
  events: AgentEvent[];
  lines: string[];
  stderr: string;
  started: { pid: number; command: string }[];
}

/** The parts of the context that a test replaces. */
export interface Replaced extends Partial<AgentContext> {
  /** Each line of stdout, without its line end. */
  onLine?: (line: string) => void;
}

/** `more` replaces what the context does. Lines beyond the first 1000 are not kept. */
export async function runAgent(
  agent: Agent,
  request: AgentRequest,
  { onLine, ...more }: Replaced = {},
): Promise<RigResult> {
  const seen: Omit<RigResult, "result"> = { events: [], lines: [], stderr: "", started: [] };
  const result = await agent.run(request, {
    redact: (text) => text,
    onEvent: (event) => void seen.events.push(event),
    onOutput: (lines) => {
      for (const line of Buffer.from(lines).toString("utf8").split("\n").slice(0, -1)) {
        onLine?.(line);
        if (seen.lines.length < 1000) seen.lines.push(line);
      }
    },
    onPause: () => Promise.resolve(),
    onStderr: (text) => {
      seen.stderr += text;
    },
    onStart: (facts) => void seen.started.push(facts),
    stop: new AbortController().signal,
    ...more,
  });
  return { result, ...seen };
}
