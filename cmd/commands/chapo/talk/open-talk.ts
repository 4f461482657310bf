// Opens the terminal for a conversation: where stdin and stdout are terminals that can move the cursor. Loaded late: it brings the
// library of the editor. Leaves the conversation to talk.ts.
import { listProjectFiles } from "../../../../src/chapo/tools/files/project-files.js";
import { listCommands } from "../../../../src/chapo/prompt/commands.js";
import type { Chapo } from "../../../../src/chapo/session/session-request.js";
import type { CommandContext } from "../../../context/command-context.js";
import { nameOfUser } from "../../../lookup/name-of-user.js";
import type { ChapoSite } from "../site.js";
import type { SessionListener } from "../open-here.js";
import { openHistory } from "./history.js";
import { Talk, type TalkEnd } from "./talk.js";

/** How long a list of files is offered before it is read again, in ms. */
const FRESH_MS = 5_000;

/** Opens a session with `open`, and talks until the person ends it; or until `message` is answered. */
export async function talkHere(
  context: CommandContext,
  { site, model, message }: { site: ChapoSite; model: string; message: string | undefined },
  open: (listener: SessionListener) => Promise<Chapo>,
): Promise<TalkEnd> {
  const place = { files: context.ports.files, root: site.project.folder };
  const commands = await listCommands(place);
  const terminal = await context.openTerminal();
  const talk = new Talk({
    context,
    terminal,
    model,
    history: openHistory(context.ports.files, site.sessionsFolder, site.redact),
    completions: { commands, files: createFileList(context, place) },
  });
  try {
    const chapo = await open({
      ask: async (question) => ({
        ...(await talk.ask(question)),
        by: nameOfUser(context.env),
        via: "terminal" as const,
      }),
      onEvent: (event) => {
        talk.add(event);
      },
      onWarning: (text) => {
        talk.warn(`looper: ${site.redact(text)}`);
      },
    });
    try {
      return await talk.run(chapo, message);
    } finally {
      talk.close();
      await chapo.close();
    }
  } finally {
    talk.close();
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
