// Handles commands a person types instead of a message: /clear, /compact, /init and the project's commands (commands.ts).
import path from "node:path";
import { errorCode } from "../../system/errors.js";
import { never } from "../../system/never.js";
import { toDefinitionPlace } from "../definitions.js";
import { readCommand } from "../prompt/commands.js";
import { compactNow } from "../engine/window/compact.js";
import type { Conversation } from "../engine/conversation.js";
import type { EngineWorld, ConversationOutcome } from "../engine/world.js";
import { readProjectContext } from "../prompt/project-context.js";
import { draftProjectFile } from "../prompt/system-prompt.js";
import { answerTelling, readTelling } from "./answer-command.js";
import { rewindTo, undoLast, type CheckpointPlace } from "./checkpoints.js";
import type { SessionParts } from "./session-world.js";
import type { ProjectFolder } from "../paths.js";

/** The result of a line: a prompt for the model, or an outcome without the model. */
export type UserCommandResult =
  | { prompt: string }
  | { conversation: Conversation; outcome: ConversationOutcome };

/** Does not match a path, though it begins with a slash. */
const COMMAND = /^\/[\w:-]+(?:\s|$)/;
const INIT = /^\/init\s*$/;
const UNDO = /^\/(undo|rewind)(?:\s|$)/;
const PROJECT_FILE = "AGENTS.md";

/** Runs the line if it is a command; any other line is a prompt. */
export async function handleLine(
  world: EngineWorld,
  parts: SessionParts,
  { conversation, line }: { conversation: Conversation; line: string },
): Promise<UserCommandResult> {
  if (!COMMAND.test(line)) return { prompt: line };
  const place = toDefinitionPlace(parts.request);
  const telling = readTelling(line);
  if (telling !== undefined) {
    world.emit({ type: "status", data: { status: "running", session: conversation.id } });
    const told = await answerTelling({ parts, world, conversation }, telling);
    return answerWithoutModel(world, conversation, told);
  }
  const [, undo] = UNDO.exec(line.trim()) ?? [];
  if (undo !== undefined) return goBack(world, parts, { conversation, line: line.trim() });
  const read = INIT.test(line) ? { init: true as const } : await readCommand(place, line);
  if ("prompt" in read) return read;
  world.emit({ type: "status", data: { status: "running", session: conversation.id } });
  if ("init" in read) return answerWithoutModel(world, conversation, await draftFile(place));
  if ("problem" in read) return refuse(world, conversation, read.problem);
  switch (read.builtIn) {
    case "clear": {
      if (parts.starts !== "startup") parts.starts = "clear";
      const { counted: _outdated, question: _over, pending: _call, queued: _late, ...rest } = conversation;
      const { tasks: _stopped, ...kept } = rest;
      return answerWithoutModel(
        world,
        { ...kept, messages: [], state: "idle" },
        "The conversation was cleared.",
      );
    }
    case "compact": {
      const done = await compactNow(world, conversation);
      if (done === undefined)
        return answerWithoutModel(world, conversation, "There is nothing to compact yet.");
      return "blocked" in done
        ? answerWithoutModel(world, conversation, `A hook kept the older turns: ${done.blocked}`)
        : answerWithoutModel(world, done.compacted, "Older turns were replaced by a summary.");
    }
    default:
      return never(read.builtIn);
  }
}

/** Runs /undo, /rewind or `/rewind N`. */
async function goBack(
  world: EngineWorld,
  parts: SessionParts,
  { conversation, line }: { conversation: Conversation; line: string },
): Promise<UserCommandResult> {
  world.emit({ type: "status", data: { status: "running", session: conversation.id } });
  const [command, ...rest] = line.split(/\s+/);
  const place = toCheckpointPlace(parts);
  if (command === "/undo" && rest.length > 0)
    return refuse(
      world,
      conversation,
      "/undo takes nothing after it; /rewind N goes back to before a message",
    );
  const done =
    command === "/undo"
      ? { conversation, ...(await undoLast(place)) }
      : await rewindTo(place, conversation, rest.join(" "));
  if ("refused" in done) return refuse(world, conversation, done.refused);
  return answerWithoutModel(world, done.conversation, done.told);
}

/** The place of the session's checkpoints. */
export function toCheckpointPlace({
  session,
  request: { ports, redact, trees, onWarning },
}: SessionParts): CheckpointPlace & { onWarning: (text: string) => void } {
  return { session, ports, redact, trees, onWarning };
}

function refuse(world: EngineWorld, conversation: Conversation, error: string): UserCommandResult {
  world.emit({ type: "error", data: { error, reason: "bad-request", status: "error" } });
  return { conversation, outcome: { how: "error", error, reason: "bad-request" } };
}

/** Emits an answer without asking the model. */
async function answerWithoutModel(
  world: EngineWorld,
  conversation: Conversation,
  answer: string,
): Promise<UserCommandResult> {
  await world.save(conversation);
  world.emit({ type: "answer", data: { answer, validated: false, status: "completed" } });
  return { conversation, outcome: { how: "answer", answer, validated: false } };
}

/** Writes a first AGENTS.md. An existing file is kept, because a person may have written it. */
async function draftFile(place: ProjectFolder): Promise<string> {
  const text = draftProjectFile(await readProjectContext(place));
  try {
    await place.files.writeNew(path.join(place.root, PROJECT_FILE), text);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return `${PROJECT_FILE} already exists; nothing was written.`;
  }
  return `Wrote ${PROJECT_FILE} with the facts from the project's files. Add what they do not show.`;
}
