// Opens the terminal for a conversation: where stdin and stdout are terminals that can move the cursor. Loaded late: it brings the
// library of the editor. Leaves the conversation to talk.ts.
import { listProjectFiles } from "../../../../src/chapo/tools/files/project-files.js";
import { toDefinitionPlace } from "../../../../src/chapo/definitions.js";
import { listCommands } from "../../../../src/chapo/prompt/commands.js";
import type { Chapo } from "../../../../src/chapo/session/session-request.js";
import { UserError } from "../../../../src/system/errors.js";
import type { CommandContext } from "../../../context/command-context.js";
import { nameOfUser } from "../../../lookup/name-of-user.js";
import type { ChapoSite } from "../site.js";
import type { SessionListener } from "../open-here.js";
import { openHistory } from "./history.js";
import { Talk, type TalkEnd } from "./talk.js";

/** A command of the terminal alone. */
const EXIT = { name: "exit", description: "end the conversation" };
/** How long a list of files is offered before it is read again, in ms. */
const FRESH_MS = 5_000;

/** Opens a session with `open`, and talks until the person ends it; or until `message` is answered. */
export async function talkHere(
  context: CommandContext,
  { site, model, message }: { site: ChapoSite; model: string; message: string | undefined },
  open: (listener: SessionListener, resume?: string) => Promise<Chapo>,
): Promise<TalkEnd> {
  const place = { files: context.ports.files, root: site.project.folder };
  const { ports, home, env } = context;
  const commands = await listCommands(toDefinitionPlace({ ports, root: place.root, home, env }));
  const terminal = await context.openTerminal();
  const talk = new Talk({
    context,
    terminal,
    model,
    history: openHistory(context.ports.files, site.sessionsFolder, site.redact),
    completions: { commands: [...commands, EXIT], files: createFileList(context, place) },
  });
  const listener: SessionListener = {
    ask: async (question) => ({
      ...(await talk.ask(question)),
      by: nameOfUser(context.env),
      via: "terminal" as const,
    }),
    takeMessages: () => talk.takeMessages(),
    onEvent: (event) => {
      talk.add(event);
    },
    onWarning: (text) => {
      talk.warn(`looper: ${site.redact(text)}`);
    },
  };
  try {
    await talk.start();
    let chapo = await open(listener);
    for (;;) {
      const end = await converse(talk, chapo, message);
      if (end.resume === undefined) return end;
      const next = await openOther(talk, end.resume, (id) => open(listener, id));
      chapo = next ?? (await open(listener, chapo.id));
    }
  } finally {
    talk.close();
  }
}

/** Talks until the session is to be closed. */
async function converse(talk: Talk, chapo: Chapo, message: string | undefined): Promise<TalkEnd> {
  try {
    return await talk.run(chapo, message);
  } finally {
    await chapo.close();
  }
}

/** Opens another session; one that cannot be opened is a message, and the conversation continues in the one before. */
async function openOther(
  talk: Talk,
  id: string,
  open: (id: string) => Promise<Chapo>,
): Promise<Chapo | undefined> {
  try {
    return await open(id);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    talk.warn(error.message);
    return undefined;
  }
}

/** The project's files, read again after a while. */
function createFileList(
  { ports }: CommandContext,
  place: Parameters<typeof listProjectFiles>[0],
): () => Promise<readonly string[]> {
  let known: { files: readonly string[]; at: number } | undefined;
  return async () => {
    const now = ports.clock.now();
    if (known !== undefined && now - known.at < FRESH_MS) return known.files;
    const listed = await listProjectFiles(place, "").catch(() => []);
    known = { files: listed.map(({ path }) => path), at: now };
    return known.files;
  };
}
