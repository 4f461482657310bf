// Searches the history: for an earlier version of the backlog, and for the changes since a commit.
import { z } from "zod";
import { parseJson } from "../../../system/text/json.js";
import { readObjects } from "../objects.js";
import { toText } from "../bytes.js";
import { runGit, PLAIN_DIFF } from "../git.js";
import { readHead } from "../repository/head.js";
import type { Repository } from "../repository/repository.js";
import { relative, sep } from "node:path";

const MOST_VERSIONS = 50;
const MOST_FILES = 200;

const WithTasks = z.object({ tasks: z.array(z.unknown()).min(1) });
const Emptied = z.object({ tasks: z.array(z.unknown()).max(0) });

/**
 * The newest commit with tasks in its backlog, of the last 50 that changed it; `undefined` if there is none. `emptied`: the newest one has
 * a backlog without tasks, so a person means to start anew.
 */
export async function findTasksInHistory(
  repo: Repository,
): Promise<{ commit: string } | "emptied" | undefined> {
  if (repo.todo === undefined || (await readHead(repo)).commit === undefined) return undefined;
  const path = toText(repo.todo.path);
  const log = ["log", `--max-count=${String(MOST_VERSIONS)}`, "--format=%H", "--", `:(top,literal)${path}`];
  const commits = (await runGit(repo, log)).out.split("\n").slice(0, -1);
  if (commits.length === 0) return undefined;
  const names = commits.map((commit) => `${commit}:${repo.todo?.path ?? ""}`);
  const versions = await readObjects(repo, names);
  const backlogs = versions.map((version) => version && parseJson(toText(version.content)));
  if (Emptied.safeParse(backlogs[0]).success) return "emptied";
  const commit = commits[backlogs.findIndex((backlog) => WithTasks.safeParse(backlog).success)];
  return commit === undefined ? undefined : { commit };
}

/** Git's summary of the changes in tracked files since a commit: at most 200 files, and a total. */
export async function summariseChanges(repo: Repository, commit: string): Promise<string> {
  const args = [...PLAIN_DIFF, `--stat=120,100,${String(MOST_FILES)}`, commit, "--", ":(top)"];
  return toText((await runGit(repo, [...args, ...repo.excludes])).out);
}

/** The files of this list (absolute, without symlinks) that git tracks. */
export async function listTracked(repo: Repository, files: readonly string[]): Promise<string[]> {
  const inside = new Map(
    files
      .map((file) => [relative(repo.cwd, file).split(sep).join("/"), file] as const)
      .filter(([name]) => name !== "" && name !== ".." && !name.startsWith("../")),
  );

  if (inside.size === 0) return [];
  const { out } = await runGit(repo, ["--literal-pathspecs", "ls-files", "-z", "--", ...inside.keys()]);
  const names = Buffer.from(out, "latin1").toString("utf8").split("\0");
  return [...new Set(names)].flatMap((name) => inside.get(name) ?? []);
}
