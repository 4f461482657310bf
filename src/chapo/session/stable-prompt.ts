// Keeps a session's system prompt and its selection of tools equal from message to message, so that providers can cache them.
// Facts that change while the session works (the folder's entries, the branch, its own notes, a new package.json) do not renew
// them; the day, the guides, the skills and the settings do.
import { z } from "zod";
import { sha256Hex } from "../../system/text/sha256.js";
import type { Conversation } from "../engine/conversation.js";
import { buildSystemPrompt, type SystemPromptParts } from "../prompt/system-prompt.js";
import { selectBySettings } from "./offered-tools.js";
import type { OpenSession } from "./sessions.js";

const PART = "prompt";

/** The beginning of every request. */
export interface StablePart {
  system: string;
  /** The tools that are not offered, as `collectUnused` returns them. */
  unused: readonly string[];
}

const Stored = z.object({ key: z.string(), system: z.string(), unused: z.array(z.string()) });

/** Returns the stored part while it is still right; otherwise builds and stores it. */
export async function keepStablePart(
  session: Pick<OpenSession, "readPart" | "writePart">,
  { parts, unused }: { parts: SystemPromptParts; unused: readonly string[] },
  conversation: Conversation,
): Promise<StablePart> {
  const key = identify(parts, unused, conversation);
  const stored = conversation.messages.length === 0 ? undefined : await readStored(session);
  if (stored?.key === key) return stored;
  const fresh = { system: buildSystemPrompt(parts), unused: [...unused] };
  await session.writePart(PART, { key, ...fresh });
  return fresh;
}

/** A compaction gives up the cache anyway, so it renews the part. */
function identify(
  { project, memory, ...parts }: SystemPromptParts,
  unused: readonly string[],
  { summaries }: Conversation,
): string {
  const { branch: _branch, ...lasting } = project;
  const facts = { ...lasting, entries: [], scripts: [], languages: [], frameworks: [] };
  const { packageTool: _tool, testCommand: _command, name: _name, ...stable } = facts;
  const none = { packageTool: undefined, testCommand: undefined, name: undefined };
  const text = buildSystemPrompt({ ...parts, project: { ...stable, ...none } });
  return sha256Hex(JSON.stringify([summaries.length, memory !== undefined, selectBySettings(unused), text]));
}

/** Returns the stored part; `undefined` if there is none that can be read. */
async function readStored(
  session: Pick<OpenSession, "readPart">,
): Promise<z.infer<typeof Stored> | undefined> {
  return Stored.safeParse(await session.readPart(PART).catch(() => undefined)).data;
}
