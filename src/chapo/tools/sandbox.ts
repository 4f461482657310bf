// The sandbox of a session's shell and npm: the project and /tmp are writable, the rest is read-only, keys are hidden.
// system/sandbox starts bubblewrap.
import path from "node:path";
import { buildSandboxArgs, findSandbox, isRoot } from "../../system/sandbox/bubblewrap.js";
import type { Ports, Files } from "../../system/ports.js";
import { environmentError } from "../../system/errors.js";
import type { ProgramWorld } from "./program.js";
import { findDotGit, readSmall } from "../prompt/git-place.js";

/** An open sandbox. */
export interface Sandbox {
  /** Returns the words that start a command in it. `writable`: further folders. */
  wrap(
    command: string,
    args: readonly string[],
    writable?: readonly string[],
  ): Promise<{ command: string; args: readonly string[] }>;
  /** Removes its `/tmp`. */
  close(): Promise<void>;
}

/** The session that a sandbox is opened for; all paths are absolute. A command in it cannot write the sessions, and so not approve its own calls. */
interface SandboxPlace extends ProgramWorld {
  home: string;
  sessionsFolder: string;
  /** Files with keys, absolute. */
  keyFiles: readonly string[];
  network: () => boolean;
}

/** Folders and files of the home folder with keys, tokens or what was typed. */
const SECRETS = [
  ...[".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".password-store", ".claude", ".codex"],
  ...[".gemini", ".config/looper", ".config/gcloud", ".config/gh", ".config/opencode", ".config/anthropic"],
  ...[".local/share/opencode", ".local/share/keyrings", ".terraform.d", ".claude.json", ".netrc", ".npmrc"],
  ...[".pypirc", ".git-credentials", ".config/git/credentials", ".pgpass", ".dockercfg", ".vault-token"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".bash_history", ".zsh_history"],
];

/** Variables that name such a file or folder. */
const NAMED = [
  ...["CODEX_HOME", "CLAUDE_CONFIG_DIR", "GNUPGHOME", "DOCKER_CONFIG", "KUBECONFIG"],
  ...["AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "GOOGLE_APPLICATION_CREDENTIALS"],
];

/** Opens the sandbox; an `environment` error where it cannot be had. */
export async function openSandbox(place: SandboxPlace): Promise<Sandbox> {
  const { ports, env, network } = place;
  const program = await findSandbox(ports.processes, env);
  if ("missing" in program) throw environmentError(`sandbox is true, but ${program.missing}`, program.hint);
  // Read once: a command in the sandbox can write some of what is read here.
  const { hidden, home, ...lasting } = await readView(place);
  let temp: Promise<{ temp: string; empty: string }> | undefined;
  return {
    wrap: async (command, args, writable = []) => {
      const own = await (temp ??= makeTemp(ports.files));
      const view = {
        ...lasting,
        writable: [...lasting.writable, ...(await resolveAll(ports.files, writable))],
        hiddenFiles: { paths: hidden, empty: own.empty },
        temp: own.temp,
        // A home folder below /tmp would be gone with it.
        readOnly: [...home, ...(await resolveAll(ports.files, [place.sessionsFolder]))],
        network: network(),
        isRoot: isRoot(),
      };
      return { command: program.found, args: buildSandboxArgs(view, [command, ...args]) };
    },
    close: async () => {
      if (temp !== undefined) await ports.files.removeTree(path.dirname((await temp).temp));
    },
  };
}

async function makeTemp(files: Ports["files"]): Promise<{ temp: string; empty: string }> {
  const folder = (await files.realPath(await files.makeTempFolder("looper-sandbox-"))) ?? "";
  const [temp, empty] = [path.join(folder, "tmp"), path.join(folder, "empty")];
  await files.makeFolder(temp, 0o700);
  await files.writeNew(empty, "", { mode: 0o400 });
  return { temp, empty };
}

async function readView(place: SandboxPlace) {
  const { ports, root, home, env, keyFiles } = place;
  const { files } = ports;
  const project = (await files.realPath(root)) ?? root;
  const secrets = [
    ...SECRETS.map((name) => path.join(home, name)),
    ...(env["XDG_CONFIG_HOME"] === undefined ? [] : [path.join(env["XDG_CONFIG_HOME"], "looper")]),
    ...NAMED.flatMap((name) => (env[name] ?? "").split(":")),
    ...keyFiles,
  ].filter((one) => path.isAbsolute(one));
  const folders: string[] = [];
  const hidden: string[] = [];
  for (const secret of await resolveAll(files, secrets)) {
    const kind = (await files.stat(secret).catch(() => undefined))?.kind;
    if (kind === "folder") folders.push(secret);
    if (kind === "file") hidden.push(secret);
  }
  const isCovered = (one: string): boolean => folders.some((folder) => one.startsWith(`${folder}/`));
  return {
    cwd: project,
    writable: [project, ...(await findGitFolders(files, project))],
    hiddenFolders: folders.filter((one) => !isCovered(one) && one !== project),
    hidden: hidden.filter((one) => !isCovered(one)),
    home: (await resolveAll(files, [home])).filter((one) => one.startsWith("/tmp/") && one !== project),
  };
}

/** The real paths of those that are there, each once. */
async function resolveAll(files: Ports["files"], paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map((one) => files.realPath(one).catch(() => undefined)));
  return [...new Set(real.filter((one) => one !== undefined))];
}

/**
 * Returns the folders. A `.git` file is believed only if the repository it names has the worktree too: a command could write
 * one that names another repository.
 */
export async function findGitFolders(files: Files, project: string): Promise<string[]> {
  const found = await findDotGit(files, project);
  if (found?.git === undefined) return [];
  const { top, git, isLinked } = found;
  if (!isLinked) return top === project ? [] : [git];
  const own = await files.realPath(git);
  if (own === undefined || path.basename(path.dirname(own)) !== "worktrees") return [];
  const back = (await readSmall(files, path.join(own, "gitdir"))).trim();
  const isBelieved =
    back !== "" && (await files.realPath(path.resolve(own, back))) === path.join(top, ".git");
  // The git folder that all worktrees share holds the worktree's own.
  return isBelieved ? [path.dirname(path.dirname(own))] : [];
}
