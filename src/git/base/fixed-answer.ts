// Answers of git that never change, because the ids of objects in the question are all they depend on. A visit of a stage asks the
// same of the task's checkpoint and of its saved work again and again.
import { runGit } from "./git.js";
import type { Repository } from "./repository/repository.js";

const MOST_ANSWERS = 16;
const MOST_CHARACTERS = 1 << 20;

/** Runs git unless the same question was answered lately. Contract: `args` name objects by their full ids, and no ref. */
export async function askFixed(repo: Repository, args: readonly string[]): Promise<string> {
  const { fixedAnswers } = repo;
  const question = args.join("\0");
  const known = fixedAnswers.get(question);
  if (known !== undefined) return known;
  const { out } = await runGit(repo, args);
  if (out.length > MOST_CHARACTERS) return out;
  const oldest = fixedAnswers.size < MOST_ANSWERS ? undefined : fixedAnswers.keys().next().value;
  if (oldest !== undefined) fixedAnswers.delete(oldest);
  fixedAnswers.set(question, out);
  return out;
}

/** Whether a revision is the full id of an object. */
export function isFullId(revision: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(revision);
}
