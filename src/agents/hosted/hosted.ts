// Runs agents that are code, scripted or a user's module, in a child process: timeouts, stops and the sweep apply as for any
// other. The child is this program again: `looper agent-host <module>`, `looper agent-host --scripted <file>`.
import { z } from "zod";
import { AnsweredCall, type AgentRequest } from "../agent.js";
import type { Call, Client, Engine } from "../process/client.js";
import { findFile } from "../process/find.js";
import { createOwnReader } from "./own-lines.js";
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
  answered: z.exactOptional(AnsweredCall),
});
export type HostRequest = z.infer<typeof HostRequest>;

/** Starts a host: this program again. `more`: what its request has besides, by `shape`. The environment is the child's. */
export function callHost(
  { shape, args, more = {} }: { shape: z.ZodType; args: readonly string[]; more?: object },
  request: AgentRequest,
  { settings, self }: Engine,
): Call {
  const { resume, ...rest } = request;
  const asked = { ...rest, cwd: settings.workDir ?? request.cwd, ...more };
  const input = shape.parse(resume === undefined ? asked : { ...asked, resume: resume.id });
  return { command: self.command, args: [...self.args, "agent-host", ...args], input: JSON.stringify(input) };
}

/** `key`: the setting with the file. */
function hosted(key: "module" | "script", flags: readonly string[]): Client {
  return {
    find: (engine) => findFile(engine, key),
    call: (request, file, engine) =>
      callHost({ shape: HostRequest, args: [...flags, file] }, request, engine),
    cleanStop: { signal: "SIGTERM", target: "group" },
    reader: () => readJsonLines(createOwnReader("host")),
    exceeds: () => "runs with your own rights",
    reports: () => "cost",
  };
}

export const moduleAgent = hosted("module", []);
/** Plays a file of steps (play.ts). */
export const scriptedAgent = hosted("script", ["--scripted"]);
