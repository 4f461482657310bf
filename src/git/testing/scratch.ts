// For tests of this floor: a real repository in a temp folder, and ports that count and interrupt git processes.
import { join } from "node:path";
import { test as base } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { Ports } from "../../system/ports.js";
import type { Result } from "../../system/result.js";
import { AGENT_ACTION } from "../restore/settle-head.js";
import { openRepository, type Repository, type RepositoryPlaces } from "../base/repository/repository.js";

/** A repository with one commit: `to-do.json`, `a.txt` ("one\n"), `dir/b.txt` ("two\n"); branch main, an identity set. */
export interface Scratch {
  top: string;
  ports: Ports;
  env: Record<string, string>;
  /** Runs git as an agent does; returns stdout without its last line end. Throws on failure. */
  git: (...args: string[]) => Promise<string>;
  /** Runs git as a person does. */
  person: (...args: string[]) => Promise<string>;
  /** Commits all files. */
  commitAll: (message: string) => Promise<string>;
  /** Opens the repository, with `looper-logs` as the log folder. */
  open: (places?: Partial<RepositoryPlaces>, ports?: Ports) => Promise<Repository>;
}

/** `test` with a scratch repository, removed at the end. */
export const test = base.extend<{ scratch: Scratch }>({
  scratch: async ({}, use) => {
    const ports = nodePorts();
    const folder = await ports.files.makeTempFolder("looper-git-");
    const scratch = await makeScratch(ports, folder);
    await use(scratch);
    await ports.files.removeTree(folder);
  },
});

async function makeScratch(ports: Ports, folder: string): Promise<Scratch> {
  const env = await inheritedEnv(ports, folder);
  const top = join((await ports.files.realPath(folder)) ?? folder, "work");
  await ports.files.makeFolder(join(top, "dir"));
  const git = (...args: string[]): Promise<string> => runAs(ports, { cwd: top, env }, args);
  const scratch: Scratch = {
    top,
    ports,
    env,
    git,
    person: (...args) => runAs(ports, { cwd: top, env: without(env, "GIT_REFLOG_ACTION") }, args),
    commitAll: async (message) => {
      await git("add", "-A");
      await git("commit", "-qm", message);
      return git("rev-parse", "HEAD");
    },
    open: async (places = {}, through = ports) => {
      const defaults = { projectDir: top, todoFile: join(top, "to-do.json"), env };
      const exclude = [join(top, "looper-logs")];
      return must(await openRepository(through, { ...defaults, exclude, ...places }));
    },
  };
  await git("init", "-q");
  await git("config", "user.name", "Ada Ü");
  await git("config", "user.email", "ada@example.org");
  await ports.files.writeNew(join(top, "to-do.json"), '{"tasks":[{"id":"T1"}]}\n');
  await ports.files.writeNew(join(top, "a.txt"), "one\n");
  await ports.files.writeNew(join(top, "dir", "b.txt"), "two\n");
  await scratch.commitAll("begin");
  return scratch;
}

async function inheritedEnv(ports: Ports, folder: string): Promise<Record<string, string>> {
  const config = join(folder, "gitconfig");
  await ports.files.writeNew(config, "[init]\n\tdefaultBranch = main\n");
  const path = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin";
  return {
    PATH: path,
    HOME: folder,
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: "1",
    ...AGENT,
    TZ: "UTC",
  };
}

const AGENT = { GIT_REFLOG_ACTION: AGENT_ACTION };

function without(env: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([one]) => one !== name));
}

/** Runs git in a folder; throws on failure. */
export async function runAs(
  ports: Ports,
  at: { cwd: string; env: Record<string, string> },
  args: readonly string[],
): Promise<string> {
  const { end, stdout, stderr } = await ports.processes.run({ command: "git", args, ...at });
  if (end.how !== "exited" || end.code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return Buffer.from(stdout).toString("utf8").replace(/\n$/, "");
}

/** The value of a successful result; throws on a failed one. */
export function must<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/**
 * Ports that call `before` with git's subcommand before each git process; it throws to simulate a SIGKILL of the
 * run.
 */
export function watchGit(ports: Ports, before: (args: readonly string[]) => void | Promise<void>): Ports {
  return {
    ...ports,
    processes: {
      ...ports.processes,
      run: async (spec, options) => {
        const first = spec.args.findIndex((arg, at) => !arg.startsWith("-") && spec.args[at - 1] !== "-c");
        await before(spec.args.slice(first));
        return ports.processes.run(spec, options);
      },
    },
  };
}
