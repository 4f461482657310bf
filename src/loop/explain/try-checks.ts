// Tries the project's checks in a cold room of its commit, as `looper doctor` does before a run. It runs nothing in the project's
// folder, caches nothing, and ends every process that it leaves. room-fitness.ts judges the results.
import { referenceAt } from "../../gate/influence/reference.js";
import { measureColdBaseline } from "../../gate/rooms/room-orders.js";
import type { ColdPlaces, InRoom } from "../../gate/rooms/cold-room.js";
import { guessSetup } from "../../gate/rooms/room-fitness.js";
import type { Baseline } from "../../gate/verdict.js";
import { asResult } from "../../git/base/git.js";
import { headOf } from "../../git/base/repository/head.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { markOf } from "../../system/processes/mark.js";
import { findHiddenChecks } from "../start/before/find-hidden-checks.js";
import { makeProjectRoom, openPlaces, type GateRequest } from "./project-room.js";

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
  const { ports, project, stop } = request;
  const head = await asResult(() => headOf(repo));
  if (!head.ok || head.value.commit === undefined) return "no-commit";
  const room = await makeProjectRoom(request, request.root);
  const { checks } = await findHiddenChecks(request);
  const opened = await openPlaces(request, { repo, room, hidden: checks });
  // A setup that is used once is not worth a copy.
  const places: ColdPlaces = { ...opened, cache: undefined };
  const { commands, timeout, report } = project.resolved.settings.verify;
  const reference = referenceAt(head.value.commit);
  const plan = { commands, own: [], timeoutMs: timeout, reports: report };
  const names = new Set(await ports.files.list(room.cwd));
  const mark = markOf(`${places.rooms.prefix}${ports.random.hex(8)}`);
  ports.processes.mark(mark);
  const tried = await measureColdBaseline(places, { reference, plan }, stop);
  await ports.processes.sweep(mark);
  return { tried, setup: guessSetup((path) => names.has(path)) };
}
