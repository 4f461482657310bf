// `looper chapo approve` and `reject`: a person's answer to the call that waits in a session, given by any process at any time.
// The answer is stored first; then the session resumes and runs that very call. Also `answer`, to a question. Leaves the conversation to converse.ts.
import path from "node:path";
import type { CallAnswer } from "../../../src/chapo/engine/calls/pending.js";
import { given } from "../../../src/system/given.js";
import { UserError } from "../../../src/system/errors.js";
import { nameOfUser } from "../../lookup/name-of-user.js";
import { readNamedFile } from "../../lookup/project.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";
import {
  textFlag,
  type CommandContext,
  type CommandOutcome,
  type Typed,
} from "../../context/command-context.js";
import { resumeWith } from "./converse.js";
import { findPending, findSession } from "./pending.js";
import type { ChapoSite } from "./site.js";

/** `looper chapo approve SESSION [-m TEXT] [--args JSON | --args-file FILE]`, `looper chapo reject SESSION [-m TEXT]` */
export async function answerCall(
  context: CommandContext,
  typed: Typed,
  site: ChapoSite,
  verdict: CallAnswer["verdict"],
): Promise<CommandOutcome> {
  await refuseAgents(context, {
    what: "an agent may not answer questions about calls",
    instead: "ask the user",
    sessions: true,
  });
  const [, named = ""] = typed.operands;
  const { session } = await findPending(context, site, named);
  const remark = textFlag(typed, "--message");
  const args = verdict === "approve" ? await changedArgs(context, typed) : undefined;
  const answer = { verdict, by: nameOfUser(context.env), via: "cli" as const, ...given({ remark, args }) };
  return resumeWith(context, typed, site, { session, answer });
}

/** `looper chapo answer SESSION TEXT`: the answer to the question that the model, or a sub-agent, asked. */
export async function answerQuestion(
  context: CommandContext,
  typed: Typed,
  site: ChapoSite,
): Promise<CommandOutcome> {
  await refuseAgents(context, {
    what: "an agent may not answer questions of sessions",
    instead: "ask the user",
    sessions: true,
  });
  const [, named = "", ...words] = typed.operands;
  const { id } = await findSession(context, site, named);
  return resumeWith(context, typed, site, { session: id, message: words.join(" ") });
}

/** The arguments as the person changed them; `undefined`: as they are. */
async function changedArgs(context: CommandContext, typed: Typed): Promise<unknown> {
  const [text, file] = [textFlag(typed, "--args"), textFlag(typed, "--args-file")];
  if (text !== undefined) return readArgs(text, "--args");
  if (file === undefined) return undefined;
  const bytes = await readNamedFile(context, path.resolve(context.cwd, file), "file");
  return readArgs(new TextDecoder().decode(bytes), file);
}

function readArgs(text: string, where: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError("usage", `${where} is not JSON: ${why}`, "give an object with the call's arguments");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UserError("usage", `${where} is not a JSON object`, "give an object with the call's arguments");
  return value;
}
