// Keeps a session's system prompt and its selection of tools equal from message to message, so that providers can cache them.
// Facts that change while the session works (the folder's entries, the branch, its own notes, a new package.json) do not renew
// them; the day, the guides, the skills and the settings do. A model is offered the tools that the project and the settings make
// use of: the schema of a tool costs tokens in every request. A tool that is left out can still be called by its name.
import { z } from "zod";
import { sha256Hex } from "../../system/text/sha256.js";
import type { Conversation } from "../engine/conversation.js";
import { buildSystemPrompt, type SystemPromptParts } from "../prompt/system-prompt.js";
import path from "node:path";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { Files } from "../../system/ports.js";
import { findGitPlace } from "../prompt/git-place.js";
import { readInside, readStart, type ProjectFolder } from "../paths.js";
import type { SessionPart, Tool } from "../tool.js";

const Stored = z.object({ key: z.string(), system: z.string(), unused: z.array(z.string()) });

/** Returns the stored part while it is still right; otherwise builds and stores it. */
export async function keepStablePart(
  store: SessionPart,
  { parts, unused }: { parts: SystemPromptParts; unused: readonly string[] },
  conversation: Conversation,
): Promise<Pick<z.infer<typeof Stored>, "system" | "unused">> {
  const key = identify(parts, unused, conversation);
  // A part that cannot be read is built anew.
  const part = conversation.messages.length === 0 ? undefined : store.read().catch(() => undefined);
  const stored = Stored.safeParse(await part).data;
  if (stored?.key === key) return stored;
  const fresh = { system: buildSystemPrompt(parts), unused: [...unused] };
  await store.write({ key, ...fresh });
  return fresh;
}

/** A compaction gives up the cache anyway, so it renews the part. */
function identify(
  { project, memory, ...parts }: SystemPromptParts,
  unused: readonly string[],
  { summaries }: Conversation,
): string {
  const { root, guides } = project;
  const unknown = { name: undefined, packageTool: undefined, testCommand: undefined };
  const stable = { root, guides, ...unknown, entries: [], scripts: [], dependencies: [] };
  const text = buildSystemPrompt({ ...parts, project: stable });
  const bySettings = unused.filter((name) => BY_SETTINGS.has(name));
  return sha256Hex(JSON.stringify([summaries.length, memory !== undefined, bySettings, text]));
}

/** The project and the settings of a session. */
interface OfferPlace extends ProjectFolder {
  settings: Pick<ChapoSettings, "ssh" | "logs" | "search" | "documents" | "tools">;
  /** Whether there are commands besides the built-in ones. */
  hasCommands: boolean;
  /** Whether the shell may look without a question. */
  looksFreely: boolean;
}

const PM2_FILE = /^(?:ecosystem\.config\.|pm2\.(?:json|config))/;
/** How many folders are searched for notebooks. */
const MOST_FOLDERS = 200;
const LARGEST_MANIFEST = 512 * 1024;

/** Returns the prefixes and names of the tools that are not offered. */
export async function collectUnused(place: OfferPlace): Promise<readonly string[]> {
  const { files, root, settings } = place;
  const names: readonly string[] = await files.list(root).catch(() => []);
  const has = async (folder: string): Promise<boolean> =>
    (await files.stat(path.resolve(root, folder)).catch(() => undefined))?.kind === "folder";
  const manifest = (await readInside({ files, root }, "package.json", LARGEST_MANIFEST))?.text ?? "";
  const top = (await findGitPlace(files, root))?.top;
  const hasRemote = top !== undefined && (await readsRemote(files, top));
  const used: Readonly<Record<string, boolean>> = {
    ssh_: Object.keys(settings.ssh.hosts).length > 0,
    logs_: settings.logs.staging !== undefined,
    pm2_: names.some((name) => PM2_FILE.test(name)) || manifest.includes('"pm2"'),
    github_: await has(".github/workflows"),
    npm_: names.includes("package.json"),
    git_: top !== undefined,
    git_push: hasRemote,
    git_pull: hasRemote,
    git_status: settings.tools !== "chapo" || !place.looksFreely,
    git_diff: settings.tools !== "chapo" || !place.looksFreely,
    context_: await has(settings.documents),
    notebook_: await hasNotebook(files, root),
    web_search: settings.search.provider !== undefined,
    slash_command: place.hasCommands,
    // In the other vocabularies the shell does the same.
    run_command: settings.tools === "anvil",
    ...Object.fromEntries(IN_OTHER_WORDS.map((name) => [name, settings.tools !== "chapo"])),
    memory_search: names.includes("MEMORY.md") || (await has(".looper/memory")),
  };
  return Object.keys(used).filter((name) => used[name] === false);
}

/** The shell, an edit for each place, the results of other calls and the prompt do what these do. */
const IN_OTHER_WORDS = [
  ...["fs_mkdir", "fs_move", "fs_delete", "fs_multiEdit", "todo_read", "memory_readToday"],
  ...["git_add", "git_commit"],
] as const;
/** Of these the shell does the work. */
const OF_SHELL: ReadonlySet<string> = new Set([
  ...["run_command", "fs_mkdir", "fs_move", "fs_delete", "git_add", "git_commit", "git_status", "git_diff"],
]);
const BY_SETTINGS: ReadonlySet<string> = new Set([
  ...["ssh_", "logs_", "web_search", "run_command", "git_status", "git_diff"],
  ...IN_OTHER_WORDS,
]);

/** Removes the tools that are not offered. A shell stays. */
export function selectOffered(tools: readonly Tool[], unused: readonly string[]): readonly Tool[] {
  const hasShell = tools.some(({ name }) => name === "bash_execute");
  const isUnused = (name: string): boolean =>
    unused.some((one) => (one.endsWith("_") ? name.startsWith(one) : name === one));
  return tools.filter(({ name }) => !isUnused(name) || (OF_SHELL.has(name) && !hasShell));
}

/** Whether the repository has a remote; one whose settings are in another place may have. */
async function readsRemote(files: Files, top: string): Promise<boolean> {
  const config = await readStart(files, path.join(top, ".git/config"), LARGEST_MANIFEST);
  if (config === undefined) return (await files.stat(path.join(top, ".git")))?.kind === "file";
  return config.text.includes("[remote ");
}

/** Looks for a notebook in the project's folder and the folders below it, nearest first. */
async function hasNotebook(files: Files, root: string): Promise<boolean> {
  const folders = [root];
  for (let at = 0; at < Math.min(folders.length, MOST_FOLDERS); at += 1) {
    const folder = folders[at] ?? root;
    for (const name of await files.list(folder).catch(() => [])) {
      if (name.endsWith(".ipynb")) return true;
      if (name.startsWith(".") || name === "node_modules" || folders.length >= MOST_FOLDERS) continue;
      if (name.includes(".")) continue;
      const below = path.join(folder, name);
      if ((await files.stat(below, { link: true }).catch(() => undefined))?.kind === "folder")
        folders.push(below);
    }
  }
  return false;
}
