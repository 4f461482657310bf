// Runs the project's commands after an undo, as a person would: in the project, each to its end, without a baseline.
import { findStateFolder } from "../../config/read/places.js";
import type { Project } from "../../config/project/open-project.js";
import { parseEnvFile } from "../../config/read/env-file.js";
import { isTrusted } from "../../config/trust/trust-store.js";
import { readTrust } from "../../config/trust/trust-question.js";
import { runCommands } from "../../gate/commands/run-commands.js";
import type { Ran } from "../../gate/verdict.js";
import type { Ports } from "../../system/ports.js";
import { redactorFor } from "../../system/text/redactor.js";
import type { Backlog, Task } from "../../todo/model/task.js";
import { makeBaseEnvironment } from "../perform/environment.js";
import { findRootFolder } from "../../config/project/work-folder.js";

/** `untrusted`: the project names the commands, which have not been approved yet. */
export type GateEnd = { ran: readonly Ran[] } | { not: "no-commands" | "untrusted" | "interrupted" };

export interface GateRequest {
  ports: Ports;
  project: Project;
  env: Readonly<Record<string, string>>;
  /** Absolute. */
  home: string;
  /** `--trust`, or CI. */
  trust: boolean;
  stop: AbortSignal;
}

/** Runs `verify.commands` in the project. */
export async function runGateAfter(request: GateRequest, backlog: Backlog): Promise<GateEnd> {
  const { ports, project, stop } = request;
  const { verify } = project.resolved.settings;
  if (verify.commands.length === 0) return { not: "no-commands" };
  if (!request.trust && !(await mayRun(request, backlog.tasks))) return { not: "untrusted" };
  const { envFile } = project.paths;
  const text = envFile === undefined ? undefined : await ports.files.read(envFile);
  const file =
    envFile === undefined || text === undefined
      ? {}
      : parseEnvFile(envFile, Buffer.from(text).toString("utf8"));
  const env = makeBaseEnvironment(request.env, file);
  const root = await findRootFolder(ports.files, project, backlog.project?.root);
  const room = {
    cwd: root ?? project.folder,
    env,
    redact: await redactorFor(ports, env),
  };
  const plan = { commands: verify.commands, own: [], timeoutMs: verify.timeout, reports: verify.report };
  const ran = await runCommands(ports, room, plan, stop);
  return ran === "interrupted" ? { not: ran } : { ran };
}

/** Whether every command passed. */
export function haveAllPassed(ran: readonly Ran[]): boolean {
  return ran.every(({ end }) => end.how === "exited" && end.code === 0);
}

/** Whether the commands are approved. An approval of more commands includes these, since a run also asks about tasks' commands. */
async function mayRun({ ports, project, env, home }: GateRequest, tasks: readonly Task[]): Promise<boolean> {
  const folder = findStateFolder(env, home);
  const open = tasks.filter(({ status }) => status !== "done");
  for (const asked of [[], open, tasks]) {
    const lines = await readTrust({ files: ports.files, project, env, home }, asked);
    if (asked.length === 0 && lines.length === 0) return true;
    if (await isTrusted(ports.files, folder, { project: project.folder, lines })) return true;
  }
  return false;
}
