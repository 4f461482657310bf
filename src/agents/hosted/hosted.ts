// Runs agents that are code, scripted or a user's module, in a child process: timeouts, stops and the sweep apply as for any
// other. The child is this program again: `looper agent-host <module>`, `looper agent-host --scripted <file>`.
import { z } from "zod";
import type { AgentSettings } from "../../config/read/agent-settings.js";
import type { Agent, AgentRequest } from "../agent.js";
import type { AgentDeps, Client } from "../client.js";
import { findFile } from "../process/find.js";
import { createOwnReader } from "./own-lines.js";
import { processAgent } from "../process/process-agent.js";
import { readJsonLines } from "../limits/reader.js";

/** The request on the child's stdin. The environment is its own. */
export const HostRequest = z.object({
  phase: z.enum(["bootstrap", "repair", "iteration", "review", "push"]),
  taskId: z.exactOptional(z.string()),
  iteration: z.int(),
  attempt: z.int(),
  prompt: z.string(),
  promptFile: z.string(),
  cwd: z.string(),
  permissions: z.enum(["read-only", "workspace", "full"]),
  /** In a workflow: `round` is how often the task entered the stage, `schema` that of the report. */
  stage: z.exactOptional(
    z.object({
      name: z.string(),
      visit: z.int(),
      round: z.int(),
      outcomes: z.array(z.string()),
      schema: z.record(z.string(), z.unknown()),
    }),
  ),
  /** A person's decision on the call that the resumed session waits for. */
  answered: z.exactOptional(
    z.object({
      session: z.string(),
      id: z.string(),
      tool: z.string(),
      outcome: z.enum(["approve", "reject", "edit"]),
      arguments: z.exactOptional(z.record(z.string(), z.unknown())),
      comment: z.exactOptional(z.string()),
      by: z.string(),
      via: z.string(),
      at: z.string(),
    }),
  ),
});
export type HostRequest = z.infer<typeof HostRequest>;

const OWN: Omit<Client, "create"> = {
  exceeds: () => "runs with your own rights",
  reports: () => "cost",
};

export const moduleAgent: Client = {
  create: (settings, deps) => hostedAgent(settings, deps, "module"),
  ...OWN,
};

/** Plays a file of steps (script.ts). */
export const scriptedAgent: Client = {
  create: (settings, deps) => hostedAgent(settings, deps, "script"),
  ...OWN,
};

function hostedAgent(settings: AgentSettings, { ports, self }: AgentDeps, key: "module" | "script"): Agent {
  return processAgent(
    settings,
    {
      find: () => findFile({ settings, ports }, key),
      call: (request, file) => ({
        command: self.command,
        args: [...self.args, "agent-host", ...(key === "script" ? ["--scripted"] : []), file],
        input: hostInput(request, settings),
      }),
      cleanStop: { signal: "SIGTERM", target: "group" },
      reader: () => readJsonLines(createOwnReader("host")),
    },
    ports,
  );
}

/** Without the environment, which the child has. */
function hostInput(request: AgentRequest, settings: AgentSettings): string {
  return JSON.stringify({ ...HostRequest.parse(request), cwd: settings.workDir ?? request.cwd });
}
