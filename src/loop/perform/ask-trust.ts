// A project's own files can name commands: the first run lists them and asks for approval (contract §2, *Trust*).
import { findStateFolder } from "../../config/read/places.js";
import { isTrusted, rememberTrust } from "../../config/trust/trust-store.js";
import { readTrust, type TrustFacts } from "../../config/trust/trust.js";
import { environmentError } from "../../system/errors.js";
import type { Task } from "../../todo/model/task.js";
import type { RunRequest } from "../runs/run-request.js";

/**
 * Asks the user to approve the project's commands, unless there are none or they are approved already. Throws an `environment`
 * error without approval. Returns the commands of tasks that may run.
 */
export async function askTrust(
  request: TrustRequest,
  tasks: readonly Task[],
  workflows?: TrustFacts["workflows"],
): Promise<Trusted> {
  // Done tasks are not verified again.
  const open = tasks.filter(({ status }) => status !== "done");
  await trustOrRefuse(request, open, workflows);
  return request.trust ? "all" : new Set(open.flatMap(({ verify = [] }) => verify));
}

/** The parts of a request that the question needs. */
export type TrustRequest = Pick<
  RunRequest,
  "ports" | "project" | "env" | "home" | "trust" | "terminal" | "confirm"
>;

/** The commands of tasks that may run: all, or those that were approved with the project. */
export type Trusted = "all" | ReadonlySet<string>;

async function trustOrRefuse(
  request: TrustRequest,
  open: readonly Task[],
  workflows: TrustFacts["workflows"],
): Promise<void> {
  const { ports, project, env, home } = request;
  const lines = await readTrust({ files: ports.files, project, env, home }, open, workflows);
  if (lines.length === 0) return;
  const folder = findStateFolder(env, home);
  const question = { project: project.folder, lines };
  if (request.trust || (await isTrusted(ports.files, folder, question))) return;
  const shown = lines.map(({ what, where, value }) => escapeControls(`${what} (${where}): ${value}`));
  if (request.terminal && request.confirm !== undefined) {
    if (
      !(await request.confirm(
        "This project's own files name commands that a run would start. Trust them?",
        shown,
      ))
    ) {
      throw environmentError("the project was not trusted: nothing was started");
    }
    await rememberTrust(ports.files, folder, question);
    return;
  }
  throw environmentError(
    `the project's own files name commands that have not been approved yet:\n${shown.join("\n")}`,
    "read them, then approve them: run once on a terminal, or pass --trust for this run; commands you set with looper (config set, set, add --verify) are approved",
  );
}

/** Escapes control characters and line breaks, so that a command cannot hide parts of itself on the terminal. */
function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => {
    if (one === "\n") return String.raw`\n`;
    return one === "\t" ? String.raw`\t` : `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
