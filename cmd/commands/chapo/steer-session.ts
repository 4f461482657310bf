// `looper chapo steer SESSION TEXT`: a message for a session of another process. The session takes it before the model's next
// request, or when it is resumed.
import path from "node:path";
import { storeMessage } from "../../../src/chapo/session/inbox.js";
import { printLines } from "../../lookup/project.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";
import type { CommandContext, CommandOutcome, Typed } from "../../context/command-context.js";
import { findSession } from "./pending.js";
import type { ChapoSite } from "./site.js";

export async function steerSession(
  context: CommandContext,
  { operands }: Typed,
  site: ChapoSite,
): Promise<CommandOutcome> {
  await refuseAgents(context, {
    what: "an agent may not send messages to sessions",
    instead: "ask the user",
    sessions: true,
  });
  const [, named = "", ...words] = operands;
  const { id } = await findSession(context, site, named);
  await storeMessage(context.ports, path.join(site.sessionsFolder, id), words.join(" "));
  await printLines(context.out, [`the session ${id} gets the message before its model's next request`]);
  return "ok";
}
