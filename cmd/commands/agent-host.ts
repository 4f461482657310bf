import path from "node:path";
import { hostModule, type HostIo } from "../../src/agents/host.js";
import { hostScript } from "../../src/agents/play.js";
import { hasFlag, type CommandEnd, type Shell, type Typed } from "../shell.js";

/** `looper agent-host <file>`, hidden: the child in which a module or a script of the user's runs. */
export async function agentHost(shell: Shell, typed: Typed): Promise<CommandEnd> {
  const stop = new AbortController();
  shell.onSignal(() => {
    stop.abort();
    return true;
  });
  const io: HostIo = {
    ports: shell.ports,
    env: shell.env,
    node: shell.node,
    readInput: () => shell.stdin.readAll(),
    write: shell.claimStdout(),
    writeError: (text) => shell.err.write(text),
    stop: stop.signal,
  };
  const file = path.resolve(shell.cwd, typed.operands[0] ?? "");
  const exitCode = await (hasFlag(typed, "--scripted") ? hostScript(file, io) : hostModule(file, io));
  return { exitCode };
}
