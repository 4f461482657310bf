// `looper mcp`: serves the backlog over the Model Context Protocol on stdin and stdout. In an agent's hands
// its tools read the task and leave requests; elsewhere they are a person's commands.
import { Option } from "commander";
import { TODO_FILE, type WorkingCommand } from "../context/command.js";
import { usageError } from "../../src/system/errors.js";
import { isUnderAnAgent, stopOnSignal } from "../lookup/caller.js";
import type { CommandContext, CommandOutcome } from "../context/command-context.js";

interface Request {
  allowAnswers?: true;
  file?: string;
}

export const command: WorkingCommand<Request> = {
  options: [new Option("--allow-answers", "offer the tool that answers questions in your name"), TODO_FILE],
  examples: [
    ["looper mcp", "serve until the client closes stdin; the client starts it"],
    ["looper mcp --allow-answers", "also let the client pass on your answers"],
  ],
  work,
};

async function work(context: CommandContext, { file, allowAnswers }: Request): Promise<CommandOutcome> {
  if (context.stdin.isTerminal)
    throw usageError(
      "looper mcp is started by a client, which talks to it on stdin",
      "add it to the client's settings: docs/mcp.md",
    );
  const stop = stopOnSignal(context);
  const write = context.claimStdout();
  // Loaded only here: the protocol's library has no other use.
  const { serve } = await import("./mcp/serve.js");
  const site = { context, file, allowAnswers: allowAnswers === true };
  const offer = (await isUnderAnAgent(context, { file }))
    ? (await import("./mcp/agent-tools.js")).agentOffer(context)
    : (await import("./mcp/person-tools.js")).personOffer(site);
  await serve(offer, { chunks: context.stdin.chunks(), write }, stop.signal);
  return "ok";
}
