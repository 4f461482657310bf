// The project as a room, where its commands run as a person would run them, and whether they may. `looper doctor` tries the checks in
// a cold room of the commit: nothing runs in the project's folder or is cached, and every process that is left is ended.
import { findStateFolder } from "../../config/read/places.js";
import type { RunRequest } from "../runs/run-request.js";
import { readEnvFile } from "../start/env-file.js";
import { isTrusted } from "../../config/trust/trust-store.js";
import { readTrust } from "../../config/trust/trust.js";
import type { HiddenCheck } from "../../gate/rooms/hidden.js";
import { openColdPlaces, type ColdPlaces, type InRoom } from "../../gate/rooms/cold-room.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { listPlacesToHide } from "../perform/agent/prompt-for.js";
import { placeHidden, findHiddenChecks } from "../start/before/find-hidden-checks.js";
import type { Room } from "../../gate/commands/run-commands.js";
import { redactorFor } from "../../system/text/secrets/redactor.js";
import type { Task } from "../../todo/model/task.js";
import { makeBaseEnvironment } from "../perform/environment.js";
import { coldSettings, makePlan } from "../perform/gate/checks.js";
import { findRootFolder } from "../../config/project/project.js";
import { referenceAt } from "../../gate/influence/reference.js";
import { measureColdBaseline } from "../../gate/rooms/room-orders.js";
import { guessSetup } from "../../gate/rooms/room-fitness.js";
import type { Baseline } from "../../gate/verdict.js";
import { asResult } from "../../git/base/git.js";
import { headOf } from "../../git/base/repository/head.js";
import { markOf } from "../../system/processes/mark.js";

export interface GateRequest extends Pick<RunRequest, "ports" | "project" | "env" | "home" | "trust"> {
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
  return openColdPlaces(repo, {
    ...coldSettings(project),
    ...{ workDir: room.cwd, env: room.env, redact: (text) => room.redact(text) },
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

/** `setup`: a guess at the `verify.setup` of the project. */
export interface Trial {
  tried: InRoom<Baseline>;
  setup: string | undefined;
}

/** Runs the checks in a room of HEAD; without a commit nothing is tried. Throws a `GitError`. */
export async function tryChecks(
  request: GateRequest & { root: string | undefined },
  repo: Repository,
): Promise<Trial | "no-commit"> {
  const { ports, stop } = request;
  const head = await asResult(() => headOf(repo));
  if (!head.ok || head.value.commit === undefined) return "no-commit";
  const room = await makeProjectRoom(request, request.root);
  const { checks } = await findHiddenChecks(request);
  const opened = await openPlaces(request, { repo, room, hidden: checks });
  // A setup that is used once is not worth a copy.
  const places: ColdPlaces = { ...opened, cache: undefined };
  const reference = referenceAt(head.value.commit);
  const plan = makePlan(request, []);
  const names = new Set(await ports.files.list(room.cwd));
  const mark = markOf(`${places.rooms.prefix}${ports.random.hex(8)}`);
  ports.processes.mark(mark);
  const tried = await measureColdBaseline(places, { reference, plan }, stop);
  await ports.processes.sweep(mark);
  return { tried, setup: guessSetup((path) => names.has(path)) };
}
