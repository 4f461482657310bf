// Finds Claude Code's settings files of the user and of a project, where `hooks.read_claude` says so.
// claude-hooks.ts reads them.
import path from "node:path";
import { errorCode, errorMessage } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { readClaudeHooks, type ClaudeHook, type ClaudeHookFile } from "./claude-hooks.js";

const MOST_BYTES = 1024 * 1024;

/** Loads the hooks of the user's file, then those of the project's two. `folder`: the project's; both absolute. */
export async function loadClaudeHooks(
  files: Files,
  { folder, home }: { folder: string; home: string },
): Promise<{ hooks: ClaudeHook[]; warnings: string[] }> {
  const user = await loadFile(files, path.join(home, ".claude", "settings.json"), {
    where: "~/.claude/settings.json",
    layer: "user",
  });
  // A project in the home folder has the user's file.
  const names = folder === home ? ["settings.local.json"] : ["settings.json", "settings.local.json"];
  const own = await Promise.all(
    names.map((name) =>
      loadFile(files, path.join(folder, ".claude", name), { where: `.claude/${name}`, layer: "project" }),
    ),
  );
  // The project cannot turn off the user's hooks.
  const isOff = user.isOff || own.some((file) => file.isOff);
  const used = [...(user.isOff ? [] : user.hooks), ...(isOff ? [] : own.flatMap(({ hooks }) => hooks))];
  return { hooks: used, warnings: [user, ...own].flatMap(({ warnings }) => warnings) };
}

async function loadFile(
  files: Files,
  file: string,
  place: Pick<ClaudeHook, "where" | "layer">,
): Promise<ClaudeHookFile> {
  const none = (problem?: string): ClaudeHookFile => ({
    hooks: [],
    isOff: false,
    warnings: problem === undefined ? [] : [`${place.where}: ${problem}, so its hooks are not used`],
  });
  try {
    const found = await files.stat(file);
    if (found === undefined) return none();
    // Opening a pipe blocks until another process writes into it.
    if (found.kind !== "file") return none("it is not a file");
    if (found.size > MOST_BYTES) return none("it is larger than 1 MiB");
    const bytes = await files.read(file);
    return bytes === undefined ? none() : readClaudeHooks(new TextDecoder().decode(bytes), place);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return none(`it cannot be read (${errorMessage(error)})`);
  }
}
