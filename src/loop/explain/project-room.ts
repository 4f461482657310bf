// The project as a room, where its commands run as a person would run them, and whether they may.
import { findStateFolder } from "../../config/read/places.js";
import type { Project } from "../../config/project/open-project.js";
import { readEnvFile } from "../start/env-file.js";
import { isTrusted } from "../../config/trust/trust-store.js";
import { readTrust } from "../../config/trust/trust-question.js";
import type { HiddenCheck } from "../../gate/rooms/hidden.js";
import { openColdPlaces, type ColdPlaces } from "../../gate/rooms/cold-room.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { listPlacesToHide } from "../perform/agent/places-to-hide.js";
import { placeHidden } from "../start/before/find-hidden-checks.js";
import type { Room } from "../../gate/commands/run-commands.js";
import type { Ports } from "../../system/ports.js";
import { redactorFor } from "../../system/text/secrets/redactor.js";
import type { Task } from "../../todo/model/task.js";
import { makeBaseEnvironment } from "../perform/environment.js";
import { findRootFolder } from "../../config/project/project.js";

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

/** Where the commands run, as a person would run them. `root`: the backlog's `project.root`. */
export async function makeProjectRoom(
  { ports, project, env: real }: Pick<GateRequest, "ports" | "project" | "env">,
  root: string | undefined,
): Promise<Room> {
  const env = makeBaseEnvironment(real, await readEnvFile({ ports, project }));
  const folder = await findRootFolder(ports.files, project, root);
  return { cwd: folder ?? project.folder, env, redact: await redactorFor(ports, env) };
}

/** The places of cold rooms for commands that run beside no run. */
export async function openPlaces(
  { project, env, home }: Omit<GateRequest, "ports" | "stop" | "trust">,
  { repo, room, hidden }: { repo: Repository; room: Room; hidden: readonly HiddenCheck[] },
): Promise<ColdPlaces> {
  const { verify } = project.resolved.settings;
  return openColdPlaces(repo, {
    ...{ projectDir: project.folder, workDir: room.cwd, env: room.env, home: verify.home },
    redact: (text) => room.redact(text),
    ...{ protected: verify.protected, source: verify.source },
    ...{ setup: verify.setup, setupTimeoutMs: verify.timeout },
    hide: listPlacesToHide(placeHidden({ env, home }, hidden)),
  });
}

/**
 * Whether the commands are approved, by `--trust` or with those of one of these lists of tasks: a run also asks about tasks'
 * commands, and an approval of more commands includes these.
 */
export async function mayRun(
  { ports, project, env, home, trust }: Omit<GateRequest, "stop">,
  lists: readonly (readonly Task[])[],
): Promise<boolean> {
  if (trust) return true;
  const folder = findStateFolder(env, home);
  for (const asked of lists) {
    const lines = await readTrust({ files: ports.files, project, env, home }, asked);
    if (await isTrusted(ports.files, folder, { project: project.folder, lines })) return true;
  }
  return false;
}
