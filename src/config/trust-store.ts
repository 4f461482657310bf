// Remembers, in the user's state folder, which projects were trusted with what. Leaves what that is to trust.ts.
import path from "node:path";
import { z } from "zod";
import type { Files } from "../system/ports.js";

/** By the project's folder: the fingerprints that were trusted, the newest last. */
const Answers = z.record(z.string(), z.array(z.string()));
type Answers = z.infer<typeof Answers>;

/** Branches differ; a few answers for each project are worth keeping. */
const KEPT = 20;

/** A project (its folder, absolute) and the fingerprint of what it names. */
export interface TrustQuestion {
  project: string;
  fingerprint: string;
}

/** Whether this user said yes to exactly this. `folder` is the state folder. A file that cannot be understood trusts nothing. */
export async function isTrusted(files: Files, folder: string, question: TrustQuestion): Promise<boolean> {
  return answersFor(await readAnswers(files, folder), question.project).includes(question.fingerprint);
}

/** Keeps a yes. */
export async function rememberTrust(files: Files, folder: string, question: TrustQuestion): Promise<void> {
  const { project, fingerprint } = question;
  const answers = await readAnswers(files, folder);
  const kept = answersFor(answers, project).filter((other) => other !== fingerprint);
  const next = { ...answers, [project]: [...kept, fingerprint].slice(-KEPT) };
  await files.makeFolder(folder, 0o700);
  await files.writeAtomic(fileIn(folder), `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
}

function answersFor(answers: Answers, project: string): readonly string[] {
  return Object.hasOwn(answers, project) ? (answers[project] ?? []) : [];
}

async function readAnswers(files: Files, folder: string): Promise<Answers> {
  const bytes = await files.read(fileIn(folder));
  if (bytes === undefined) return {};
  const answers = Answers.safeParse(parse(new TextDecoder().decode(bytes)));
  return answers.success ? answers.data : {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function fileIn(folder: string): string {
  return path.join(folder, "trust.json");
}
