// Runs any agent that speaks the Agent Client Protocol, through a host in a child process (acp-host.ts). The host needs the
// agent's stdin for as long as the agent works. So limits, stops, the sweep and the log apply as for all other agents, and
// only the host loads the protocol's library.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { given } from "../../system/given.js";
import { AcpRequest } from "./acp-request.js";
import { acpReader } from "./acp-stream.js";
import type { Agent, AgentRequest } from "../agent.js";
import type { AgentDeps, Client } from "../client.js";
import { findBinary } from "../process/find.js";
import { processAgent } from "../process/process-agent.js";
import { readJsonLines } from "../limits/reader.js";

export const acp: Client = {
  create: acpAgent,
  exceeds: () => "does as it says itself: only what it asks for can be refused",
  reports: () => "cost",
};

/** The agent of kind `acp`: `binary` and `args` start one that speaks the protocol on stdin and stdout. */
function acpAgent(settings: AgentSettings, { ports, self }: AgentDeps): Agent {
  return processAgent(
    settings,
    {
      find: (env, cwd) =>
        findBinary({ settings, ports }, "a program that speaks the Agent Client Protocol", { env, cwd }),
      call: (request, binary) => ({
        command: self.command,
        args: [...self.args, "agent-host", "--acp", binary],
        input: hostInput(request, settings),
      }),
      // Of the host, which cancels the turn and then ends the agent's input.
      cleanStop: { signal: "SIGTERM", target: "process" },
      reader: ({ resume }) => readJsonLines(acpReader(resume)),
      client: { exitIsStatus: false },
    },
    ports,
  );
}

/** Without the environment, which the child has. */
function hostInput(request: AgentRequest, settings: AgentSettings): string {
  const { resume, ...rest } = request;
  return JSON.stringify(
    AcpRequest.parse({
      ...rest,
      cwd: settings.workDir ?? request.cwd,
      args: settings.args,
      ...given({ model: settings.model, reasoning: settings.reasoning }),
      ...(resume === undefined ? {} : { resume: resume.id }),
    }),
  );
}
