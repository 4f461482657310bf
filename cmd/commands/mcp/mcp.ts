// `looper mcp`: serves the backlog over the Model Context Protocol on stdin and stdout. In an agent's hands its tools read the task
// and leave requests; elsewhere they are a person's commands.
import { UserError } from "../../../src/system/errors.js";
import { isUnderAnAgent } from "../../lookup/under-an-agent.js";
import {
  hasFlag,
  textFlag,
  type Command,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { AGENT_INSTRUCTIONS, agentTools, readStep, refuseInRun } from "./agent-tools.js";
import { PERSON_INSTRUCTIONS, personTools, refuseOutside } from "./person-tools.js";
import { serve, type McpOffer } from "./serve.js";

/** Serves until stdin is closed or a signal comes. */
export const mcp: Command = async (context, typed) => {
  if (context.stdin.isTerminal)
    throw new UserError(
      "usage",
      "looper mcp is started by a client, which talks to it on stdin",
      "add it to the client's settings: docs/mcp.md",
    );
  const stop = new AbortController();
  context.onSignal(() => {
    stop.abort();
    return true;
  });
  const write = context.claimStdout();
  const offer = await offerFor(context, typed);
  await serve(offer, { chunks: context.stdin.chunks(), write }, stop.signal);
  return "ok";
};

async function offerFor(context: CommandContext, typed: Typed): Promise<McpOffer> {
  const { version } = context;
  const file = textFlag(typed, "--file");
  if (await isUnderAnAgent(context, { file }))
    return {
      version,
      instructions: AGENT_INSTRUCTIONS,
      tools: agentTools(context, readStep(context)),
      refused: refuseInRun,
    };
  const allowAnswers = hasFlag(typed, "--allow-answers");
  return {
    version,
    instructions: PERSON_INSTRUCTIONS,
    tools: personTools({ context, file, allowAnswers }),
    refused: refuseOutside,
  };
}
