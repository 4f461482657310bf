// `looper chapo undo SESSION`: takes back what the last message of a session changed. Also the port through which a session keeps
// the project's files: src/git is above src/chapo.
import { undoLast, type OpenTrees } from "../../../src/chapo/session/checkpoints.js";
import { resumeSession } from "../../../src/chapo/session/sessions.js";
import { openRepository } from "../../../src/git/base/repository/repository.js";
import { keepSessionTree, takeBackSpans } from "../../../src/git/undo/session-trees.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/repository-places.js";
import { UserError } from "../../../src/system/errors.js";
import { clean } from "../../../src/ui/text.js";
import { undoneAnswer } from "../../../src/ui/answers/project/chapo.js";
import { printJson, printLines } from "../../lookup/project.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";
import {
  hasFlag,
  type CommandContext,
  type CommandOutcome,
  type Typed,
} from "../../context/command-context.js";
import { findSession } from "./pending.js";
import type { ChapoSite } from "./site.js";

export async function undoSession(
  context: CommandContext,
  typed: Typed,
  site: ChapoSite,
): Promise<CommandOutcome> {
  await refuseAgents(context, {
    what: "an agent may not undo the work of sessions",
    instead: "ask the user",
    sessions: true,
  });
  const { ports } = context;
  const { redact, env, sessionsFolder } = site;
  const { id } = await findSession(context, site, typed.operands[1] ?? "");
  const session = await resumeSession({ ports, redact, env, folder: sessionsFolder }, id);
  try {
    const done = await undoLast({ session, ports, redact, trees: treesOf(context, site) });
    if ("refused" in done) throw new UserError("no", done.refused);
    if (hasFlag(typed, "--json")) await printJson(context, undoneAnswer(id, done));
    else await printLines(context.out, done.told.split("\n").map(clean));
    return "ok";
  } finally {
    await session.close();
  }
}

/** The project's files, kept with git; the repository is opened once. */
export function treesOf({ ports, env }: CommandContext, { project }: ChapoSite): OpenTrees {
  let opened: ReturnType<OpenTrees> | undefined;
  const open: OpenTrees = async () => {
    const found = await openRepository(ports, makeRepositoryPlaces({ project, env }));
    if (!found.ok) return { problem: found.error.message };
    const repo = found.value;
    return {
      keep: (session, name) => keepSessionTree(repo, session, name),
      takeBack: (session, spans) => takeBackSpans(repo, session, spans),
    };
  };
  return () => (opened ??= open());
}
