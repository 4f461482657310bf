// Warns about a repository before a run works in it: a missing identity, and files that cannot be saved.
// src/git/checkpoint/checkpoint.ts and src/git/attempt/snapshot.ts warn about attempts.
import { asResult } from "../../git/base/git.js";
import { findUnprotected } from "../../git/checkpoint/large.js";
import { OWN_IDENT } from "../../git/base/fast-import.js";
import type { Head } from "../../git/base/repository/head.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { UserError } from "../../system/errors.js";
import type { RunRequest } from "../runs/run-request.js";

const TRY_AGAIN = "check the disk and the permissions, then run again";

/** Warnings about a repository. Starts two processes. */
export async function warnOfRepository({ project }: RunRequest, repo: Repository): Promise<string[]> {
  const { commit } = project.resolved.settings.git;
  const found = await asResult(() => findUnprotected(repo));
  if (!found.ok) {
    const { command, message } = found.error;
    throw new UserError("environment", `cannot look at the working tree: ${command}: ${message}`, TRY_AGAIN);
  }
  return [...(commit === "none" ? [] : await warnOfIdentity(repo)), ...found.value];
}

async function warnOfIdentity(repo: Repository): Promise<string[]> {
  if ((await repo.identity()).who !== OWN_IDENT.who) return [];
  return [
    `git has no identity here: commits are made as ${OWN_IDENT.who}; set yours with \`git config user.name "Your Name"\` and \`git config user.email "you@example.com"\``,
  ];
}

/** Warns if commits would not be on a branch. */
export function warnOfHead({ commit, branch }: Head): string[] {
  if (commit === undefined || branch !== undefined) return [];
  return [
    "HEAD is detached: commits are on no branch; keep them with `git switch -c NAME` when the run has ended, or set git.branch",
  ];
}
