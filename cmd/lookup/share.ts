// Shares open questions from a command, as a run does: before a person reads or answers one, and afterwards.
import type { Project } from "../../src/config/project/open-project.js";
import { findStateFolder } from "../../src/config/read/places.js";
import { readTrust } from "../../src/config/trust/trust.js";
import { isTrusted } from "../../src/config/trust/trust-store.js";
import { openRepository } from "../../src/git/base/repository/repository.js";
import { shareQuestions } from "../../src/loop/perform/outputs/share-questions.js";
import { makeRepositoryPlaces } from "../../src/loop/runs/run-request.js";
import { UserError } from "../../src/system/errors.js";
import { redactorFor } from "../../src/system/text/secrets/redactor.js";
import type { CommandContext } from "../context/command-context.js";
import { storeOf } from "./read-tasks.js";
import { editBeside } from "./edit.js";
import { warn } from "./project.js";

/** Gives an answer between two looks at the remote: the first one counts, and the other person is told. */
export async function answerShared<Given>(
  context: CommandContext,
  project: Project,
  give: () => Promise<Given>,
): Promise<Given> {
  const told = new Set<string>();
  await shareHere(context, project, told);
  const answered = await give();
  const [late] = await shareHere(context, project, told);
  if (late !== undefined) throw new UserError("no", late, "list the open questions with `looper questions`");
  return answered;
}

/** Returns the answers given here that others had given before. `told`: the warnings of this command so far. */
export async function shareHere(
  context: CommandContext,
  project: Project,
  told = new Set<string>(),
): Promise<readonly string[]> {
  const tell = async (message: string): Promise<void> => {
    if (!told.has(message)) await warn(context, message);
    told.add(message);
  };
  const { ports, env, home } = context;
  if (project.resolved.settings.git.share === "none") return [];
  const { files } = ports;
  const lines = (await readTrust({ files, project, env, home }, [])).filter(
    ({ what }) => what === "git.share",
  );
  if (!(await isTrusted(files, findStateFolder(env, home), { project: project.folder, lines }))) {
    await tell("git.share is not approved yet, so nothing is shared: looper run asks");
    return [];
  }
  const opened = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  if (!opened.ok) return [];
  const store = await storeOf(context, project);
  const { warnings, late } = await shareQuestions({
    ...{ ports, project, store },
    repo: opened.value,
    redact: await redactorFor(ports, env),
    edit: (decide) => editBeside(context, { project, store }, decide),
  });
  for (const message of warnings) await tell(message);
  return late;
}
