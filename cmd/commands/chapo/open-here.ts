// Opens a session of the engine for this project, with the parts of the process.
import { openChapo } from "../../../src/chapo/session/open-session.js";
import type { Chapo, SessionRequest } from "../../../src/chapo/session/session-request.js";
import { given } from "../../../src/system/given.js";
import { nodeNetwork } from "../../../src/system/network.js";
import { listFlag, type CommandContext, type Typed } from "../../context/command-context.js";
import type { ChapoSite } from "./site.js";
import { treesOf } from "./undo-session.js";

/** The receivers of a session's events and of its questions. */
export type SessionListener = Pick<SessionRequest, "ask" | "takeMessages" | "onEvent" | "onWarning">;

/** Opens the session `resume`, or a new one. */
export function openHere(
  context: CommandContext,
  typed: Typed,
  { site, model, signal, resume }: { site: ChapoSite; model: string; signal: AbortSignal; resume?: string },
  listener: SessionListener,
): Promise<Chapo> {
  const { ports, home, promptsFolder, cwd } = context;
  const { settings, env, redact, sessionsFolder, project, agent } = site;
  return openChapo({
    ports,
    network: nodeNetwork(),
    root: project.folder,
    from: cwd,
    env,
    home,
    settings,
    model,
    promptsFolder,
    sessionsFolder,
    permissions: agent.permissions,
    redact,
    trees: treesOf(context, site),
    signal,
    ...given({ resume }),
    skills: listFlag(typed, "--skill"),
    ...listener,
  });
}
