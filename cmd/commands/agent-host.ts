import path from "node:path";
import { Argument, Option } from "commander";
import { hostModule, type HostIo } from "../../src/agents/hosted/host.js";
import { hostPick } from "../../src/agents/hosted/pick.js";
import { hostScript } from "../../src/agents/hosted/play.js";
import type { WorkingCommand } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { stopOnSignal } from "../lookup/stop-on-signal.js";

interface Request {
  file: string;
  scripted?: true;
  acp?: true;
  chapo?: true;
  pick?: true;
}

/** `looper agent-host <file>`, hidden: the child process for agents that are not programs themselves. */
export const command: WorkingCommand<Request> = {
  arguments: [new Argument("<file>", "a module, a file of steps, a program, or a model")],
  options: [
    new Option("--scripted", "the file is a file of steps"),
    new Option("--acp", "the file is a program that speaks the Agent Client Protocol"),
    new Option("--pick", "the file is a module that chooses an agent"),
    new Option("--chapo", "the built-in engine; the argument names a model"),
  ],
  work: async (context, request) => {
    const io: HostIo = {
      ports: context.ports,
      env: context.env,
      node: context.node,
      readInput: () => context.stdin.readAll(),
      write: context.claimStdout(),
      writeError: (text) => context.err.write(text),
      stop: stopOnSignal(context).signal,
    };
    if (request.chapo === true) return { exitCode: await chapo(context, io) };
    const file = path.resolve(context.cwd, request.file);
    return { exitCode: await host(request, file, io) };
  },
};

async function host({ scripted, acp, pick }: Request, file: string, io: HostIo): Promise<number> {
  if (pick === true) return hostPick(file, io);
  if (scripted === true) return hostScript(file, io);
  if (acp !== true) return hostModule(file, io);
  // Loaded only here: the protocol's library has no other use.
  const { hostAcp } = await import("../../src/agents/acp/acp-host.js");
  return hostAcp(file, io);
}

/** Loads the engine and its libraries, which nothing else does. */
async function chapo({ home, promptsFolder }: CommandContext, io: HostIo): Promise<number> {
  const [{ hostChapo }, { openChapo }] = await Promise.all([
    import("../../src/chapo/run/host.js"),
    import("../../src/chapo/session/open-session.js"),
  ]);
  return hostChapo({ ...io, home, promptsFolder }, openChapo);
}
