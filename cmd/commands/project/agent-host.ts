import path from "node:path";
import { hostModule, type HostIo } from "../../../src/agents/hosted/host.js";
import { hostScript } from "../../../src/agents/hosted/play.js";
import {
  hasFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

/** `looper agent-host <file>`, hidden: the child process for agents that are not programs themselves. */
export async function agentHost(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const stop = new AbortController();
  context.onSignal(() => {
    stop.abort();
    return true;
  });
  const io: HostIo = {
    ports: context.ports,
    env: context.env,
    node: context.node,
    readInput: () => context.stdin.readAll(),
    write: context.claimStdout(),
    writeError: (text) => context.err.write(text),
    stop: stop.signal,
  };
  if (hasFlag(typed, "--chapo")) return { exitCode: await chapo(context, io) };
  const file = path.resolve(context.cwd, typed.operands[0] ?? "");
  return { exitCode: await host(typed, file, io) };
}

async function host(typed: Typed, file: string, io: HostIo): Promise<number> {
  if (hasFlag(typed, "--scripted")) return hostScript(file, io);
  if (!hasFlag(typed, "--acp")) return hostModule(file, io);
  // Loaded only here: the protocol's library has no other use.
  const { hostAcp } = await import("../../../src/agents/acp/acp-host.js");
  return hostAcp(file, io);
}

/** Loads the engine and its libraries, which nothing else does. */
async function chapo({ home, promptsFolder }: CommandContext, io: HostIo): Promise<number> {
  const [{ hostChapo }, { openChapo }] = await Promise.all([
    import("../../../src/chapo/run/host.js"),
    import("../../../src/chapo/session/open-session.js"),
  ]);
  return hostChapo({ ...io, home, promptsFolder }, openChapo);
}
