// Remembers, in the user's state folder, which projects were trusted with what.
import path from "node:path";
import { z } from "zod";
import { errorCode, errorMessage, UserError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { parseJson } from "../../system/text/json.js";
import { createFingerprint, type TrustLine } from "./trust.js";

/** By the project's folder: the fingerprints of the lines that were trusted, the newest last. */
const Answers = z.record(z.string(), z.array(z.string()));
type Answers = z.infer<typeof Answers>;

/** How many fingerprints of a project are kept, beside those of the last yes. */
const KEPT = 2_000;

/** A project (its folder, absolute) and what it names. */
export interface TrustQuestion {
  project: string;
  lines: readonly TrustLine[];
}

/** Whether this user approved each line. `folder`: of state. A file that is not understood trusts nothing. */
export async function isTrusted(files: Files, folder: string, question: TrustQuestion): Promise<boolean> {
  const { project, lines } = question;
  const kept = new Set(answersFor(await readAnswers(files, folder), project));
  return lines.every((line) => kept.has(createFingerprint(line)));
}

/** Keeps a yes to each of these lines. */
export async function rememberTrust(files: Files, folder: string, question: TrustQuestion): Promise<void> {
  const { project, lines } = question;
  const answers = await readAnswers(files, folder);
  const said = new Set(lines.map(createFingerprint));
  const kept = answersFor(answers, project).filter((other) => !said.has(other));
  const next = { ...answers, [project]: [...kept.slice(-KEPT), ...said] };
  try {
    await files.makeFolder(folder, 0o700);
    await files.writeAtomic(fileIn(folder), `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    const hint = "make it writable, or approve for one run: looper run --trust";
    throw new UserError("environment", `the approval cannot be kept: ${errorMessage(error)}`, hint);
  }
}

function answersFor(answers: Answers, project: string): readonly string[] {
  return Object.hasOwn(answers, project) ? (answers[project] ?? []) : [];
}

async function readAnswers(files: Files, folder: string): Promise<Answers> {
  const bytes = await files.read(fileIn(folder));
  if (bytes === undefined) return {};
  const answers = Answers.safeParse(parseJson(bytes));
  return answers.success ? answers.data : {};
}

function fileIn(folder: string): string {
  return path.join(folder, "trust.json");
}
