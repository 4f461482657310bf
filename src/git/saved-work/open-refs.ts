// The open questions of tasks as others get them: refs/looper/open/<task> is a commit with the row of the task and the outputs that
// the row names, on the commit before it. The refs here are those of the remote as it was last asked;
// a push only ever adds to them. Leaves the decisions to loop/perform/outputs/share-questions.ts.
import { z } from "zod";
import { readObjects } from "../base/objects.js";
import { toBytes, toText } from "../base/bytes.js";
import { readMessage, deleteRefs, listRefs } from "../base/list-refs.js";
import { OWN_IDENT, importCommit } from "../base/fast-import.js";
import { runGit } from "../base/git.js";
import { OPEN, openRef } from "../base/names.js";
import { withSsh, type Repository } from "../base/repository/repository.js";

const ROW = "row.json";
const OUTPUTS = "outputs";
/** In ms: a question is not worth a longer wait. */
const LIMIT_MS = 20_000;

const OpenFacts = z.object({ task: z.string() });

/** The question of a task as the remote has it. */
export interface OpenRef {
  task: string;
  commit: string;
  /** The row, as JSON. */
  row: string;
}

/** Whether git knows a remote of this name: nothing is pushed to an address that a file of the project brings. */
export async function hasRemote(repo: Repository, remote: string): Promise<boolean> {
  return toText((await runGit(repo, ["remote"])).out)
    .split("\n")
    .includes(remote);
}

/** Asks the remote for the open questions. Uses the network. */
export async function fetchOpen(repo: Repository, remote: string): Promise<OpenRef[]> {
  const args = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--prune",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
  ];
  const refspec = `+${OPEN}/*:${OPEN}/*`;
  await runGit(withSsh(repo), [...args, "--", remote, refspec], { limitMs: LIMIT_MS });
  const refs = await listRefs(repo, ["objectname", "contents"], [`${OPEN}/`]);
  if (refs.length === 0) return [];
  const names = refs.map(([commit = ""]) => `${commit}:${ROW}`);
  const rows = await readObjects(repo, names);
  return refs.flatMap(([commit = "", contents = ""], at): OpenRef[] => {
    const facts = readMessage(OpenFacts, contents);
    const row = rows[at];
    if (facts === undefined || row === undefined) return [];
    return [{ task: facts.task, commit, row: toText(row.content) }];
  });
}

/** The content of outputs in the commit of a question; `undefined` where it has none of that name. */
export async function readOpenFiles(
  repo: Repository,
  commit: string,
  names: readonly string[],
): Promise<(Buffer | undefined)[]> {
  if (names.length === 0) return [];
  const paths = names.map((name) => `${commit}:${OUTPUTS}/${toBytes(name)}`);
  return (await readObjects(repo, paths)).map((file) => file && Buffer.from(file.content, "latin1"));
}

/** A question to push. `files`: by name, the content. `before`: the commit that the remote has. */
export interface OpenUpdate {
  task: string;
  row: string;
  files: ReadonlyMap<string, Uint8Array>;
  before: string | undefined;
}

/**
 * Pushes questions, and removes those that were decided. Throws where the remote has something newer: nothing is forced. Uses the
 * network.
 */
export async function pushOpen(
  repo: Repository,
  remote: string,
  { set, drop }: { set: readonly OpenUpdate[]; drop: readonly OpenRef[] },
): Promise<void> {
  if (set.length + drop.length === 0) return;
  for (const update of set) await buildOpen(repo, update);
  const args = [
    ...drop.map(({ task, commit }) => `--force-with-lease=${openRef(task)}:${commit}`),
    "--",
    remote,
    ...set.map(({ task }) => `${openRef(task)}:${openRef(task)}`),
    ...drop.map(({ task }) => `:${openRef(task)}`),
  ];
  await runGit(withSsh(repo), ["push", "--quiet", "--no-verify", ...args], { limitMs: LIMIT_MS });
  await deleteRefs(
    repo,
    drop.map(({ task }) => openRef(task)),
  );
}

async function buildOpen(repo: Repository, { task, row, files, before }: OpenUpdate): Promise<void> {
  await importCommit(repo, {
    ref: openRef(task),
    parent: before,
    ident: OWN_IDENT,
    message: `looper: question of ${task}\n\n${JSON.stringify({ task })}\n`,
    emptied: true,
    entries: [],
    files: [
      { path: ROW, mode: "100644", content: Buffer.from(row, "utf8") },
      ...[...files].map(([name, content]) => ({
        path: `${OUTPUTS}/${toBytes(name)}`,
        mode: "100644",
        content,
      })),
    ],
  });
}
