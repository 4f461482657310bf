// The calls of this project's sessions that wait for a person: `looper chapo pending`.
import { AGAIN, type SessionCall } from "../../../src/chapo/engine/calls/pending.js";
import { listSessions } from "../../../src/chapo/session/sessions.js";
import { UserError } from "../../../src/system/errors.js";
import { nearest } from "../../../src/system/text/nearest.js";
import { didYouMean } from "../../../src/todo/model/problem.js";
import { pendingAnswer } from "../../../src/ui/answers/project/chapo.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { questionLines } from "../../../src/ui/terminal/lines/chapo-lines.js";
import { clean } from "../../../src/ui/text.js";
import { showMoment } from "../../../src/ui/view/words/amounts.js";
import { printJson, printLines } from "../../lookup/project.js";
import {
  hasFlag,
  type CommandContext,
  type CommandOutcome,
  type Typed,
} from "../../context/command-context.js";
import { warnOfBroken } from "./lists.js";
import type { ChapoSite } from "./site.js";

/** Prints the calls that wait, of the newest session first, each with its whole diff or command. */
export async function listPending(
  context: CommandContext,
  typed: Typed,
  site: ChapoSite,
): Promise<CommandOutcome> {
  const { sessions, broken } = await sessionsOf(context, site);
  const answer = pendingAnswer(sessions);
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else {
    const now = context.ports.clock.now();
    const lines = sessions.flatMap(({ id, pending }) =>
      pending === undefined ? [] : waitingLines(context, { id, pending, now }),
    );
    await printLines(context.out, lines.length === 0 ? ["no call waits for an answer"] : lines);
  }
  await warnOfBroken(context, broken);
  return "ok";
}

function waitingLines(
  { out }: CommandContext,
  { id, pending, now }: { id: string; pending: SessionCall; now: number },
): string[] {
  const { tool, agent, args, preview, because, again, may_remember: mayRemember } = pending;
  const screen = { colours: coloursFor(out.colour), ...(out.isTerminal ? { columns: out.columns() } : {}) };
  const why = again === undefined ? because : AGAIN[again];
  const question = { tool, agent, args, preview, because: why, mayRemember };
  return [
    `session ${clean(id)}, asked ${showMoment(Date.parse(pending.asked_at), now)}`,
    ...questionLines(question, screen),
    "",
  ];
}

/** The session and its call that waits; a `usage` error if the session is unknown. */
export async function findPending(
  context: CommandContext,
  site: ChapoSite,
  named: string,
): Promise<{ session: string; pending: SessionCall | undefined }> {
  const { sessions } = await sessionsOf(context, site);
  const found =
    named === "last"
      ? sessions.find(({ pending }) => pending !== undefined)
      : sessions.find(({ id }) => id === named);
  if (found !== undefined) return { session: found.id, pending: found.pending };
  const close = nearest(
    named,
    sessions.map(({ id }) => id),
  );
  throw new UserError(
    "usage",
    named === "last" ? "no call waits for an answer" : `session ${JSON.stringify(named)} not found`,
    didYouMean(
      close,
      "list the calls that wait with `looper chapo pending`; quote a message of several words",
    ),
  );
}

/** The session of this id; `last`: the one that changed last. A `usage` error where there is none. */
export async function findSession(
  context: CommandContext,
  site: ChapoSite,
  named: string,
): Promise<{ id: string }> {
  const { sessions } = await sessionsOf(context, site);
  const found = named === "last" ? sessions[0] : sessions.find(({ id }) => id === named);
  if (found !== undefined) return found;
  throw new UserError(
    "usage",
    `session ${JSON.stringify(named)} not found`,
    "list the sessions with `looper chapo sessions`; quote a message of several words",
  );
}

async function sessionsOf(
  { ports }: CommandContext,
  { sessionsFolder }: ChapoSite,
): ReturnType<typeof listSessions> {
  return listSessions({ ports, folder: sessionsFolder });
}
