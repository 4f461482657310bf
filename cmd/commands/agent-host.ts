import path from "node:path";
import { Argument, Option } from "commander";
import { hostModule, hostPick, type HostIo } from "../../src/agents/hosted/host.js";
import { hostScript } from "../../src/agents/hosted/play.js";
import type { WorkingCommand } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { stopOnSignal } from "../lookup/caller.js";

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
    return { exitCode: await host(context, request, io) };
  },
};

/** Loads the engine and the protocol only where they are hosted: their libraries have no other use. */
async function host(
  { cwd, home, promptsFolder }: CommandContext,
  { file: named, scripted, acp, pick, chapo }: Request,
  io: HostIo,
): Promise<number> {
  if (chapo === true) {
    const { hostChapo } = await import("../../src/chapo/run/host.js");
    const { openChapo } = await import("../../src/chapo/session/open-session.js");
    return hostChapo({ ...io, home, promptsFolder }, openChapo);
  }
  const file = path.resolve(cwd, named);
  if (pick === true) return hostPick(file, io);
  if (scripted === true) return hostScript(file, io);
  return acp === true
    ? (await import("../../src/agents/acp/acp-host.js")).hostAcp(file, io)
    : hostModule(file, io);
}
