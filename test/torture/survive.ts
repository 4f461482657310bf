// One point: the program is harmed, once or several times, and then left alone; what was wrong, in sentences.
import { readFileSync, watch } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { checkBacklog } from "../../src/todo/check/check.js";
import { kills, type Fault } from "./fault.js";
import { violations, statuses } from "./invariants.js";
import type { Place, Start } from "./place.js";
import { finalCode, finalStatuses, titleOf } from "./scenario.js";

/** So often it is started again, at most, until it has come to its end. */
const MOST_STARTS = 3;

export interface Outcome {
  problems: string[];
  /** How many of the faults came about: a run may end before. */
  struck: number;
  /** Starts it took, unharmed ones, until the end. */
  starts: number;
  /** The last start's calls of each harmed start: where it was struck. */
  last: string[];
}

/** `saves`: a person saves meanwhile, perhaps in halves. Starts the program once for each list of faults, then unharmed until it is through; looks whether all holds. */
export async function survive(
  place: Place,
  harm: readonly (readonly Fault[])[],
  { saves = false }: { saves?: boolean } = {},
): Promise<Outcome> {
  const backlog = new BacklogWatch(place);
  const outcome: Outcome = { problems: [], struck: 0, starts: 0, last: [] };
  for (const faults of harm) {
    const start = await place.start(["run", "--quiet"], faults);
    backlog.look();
    outcome.last.push(start.calls.at(-1) ?? "");
    outcome.struck += faults.filter(({ at }) => at <= start.calls.length).length;
    outcome.problems.push(...harmProblems(start, faults, finalCode(place.scene)));
  }
  outcome.starts = await finish(place, outcome.problems);
  backlog.close();
  outcome.problems.push(...(saves ? [] : backlog.problems), ...(await violations(place)));
  return outcome;
}

async function finish(place: Place, problems: string[]): Promise<number> {
  for (let starts = 1; ; starts++) {
    const start = await place.start(["run", "--quiet"]);
    const orderly = start.code === finalCode(place.scene);
    if (orderly && isFinal(place)) {
      if (/\bbug\b|\n {4}at /.test(start.stderr)) problems.push(`the last run said: ${start.stderr}`);
      return starts;
    }
    if (starts === MOST_STARTS || !orderly) {
      problems.push(
        `start ${starts}, unharmed: ${shown(start)}, statuses ${JSON.stringify(statuses(place))}`,
      );
      return starts;
    }
  }
}

function isFinal(place: Place): boolean {
  return isDeepStrictEqual(statuses(place), finalStatuses(place.scene));
}

/** A killed one is dead; any other has ended in order and said what was wrong. */
function harmProblems(start: Start, faults: readonly Fault[], finalExit: number): string[] {
  const { code, signal, stderr, calls } = start;
  const struck = faults.filter(({ at }) => at <= calls.length);
  if (signal === "SIGQUIT") return [`hangs: ${shown(start)}`];
  const killed = struck.some(kills);
  // Struck at its very last call it may have ended meanwhile: no one waits for output that is only shown.
  const late = struck.every(({ at }) => at === calls.length) && code === finalExit;
  if (killed) return signal === "SIGKILL" || late ? [] : [`was to be killed: ${shown(start)}`];
  if (code === undefined || code > 3 || /\bbug\b|\n {4}at /.test(stderr)) return [`ended: ${shown(start)}`];
  const errors = struck.flatMap(({ deed }) => (deed === "ENOSPC" || deed === "EIO" ? [deed] : []));
  if (struck.length === 0 && code !== finalExit) return [`ended: ${shown(start)}`];
  if (errors.length > 0 && code >= 2 && !errors.some((deed) => stderr.includes(deed)))
    return [`does not say why: ${shown(start)}`];
  return [];
}

function shown({ code, signal, stderr, calls }: Start): string {
  return `exit ${code ?? signal ?? "?"} after call ${calls.at(-1) ?? "none"}: ${stderr.trim()}`;
}

/** Looks at the task file whenever it changes: it is always valid, and no task is ever missing. */
export class BacklogWatch {
  readonly problems: string[] = [];
  readonly #place: Place;
  readonly #watcher;

  constructor(place: Place) {
    this.#place = place;
    this.#watcher = watch(place.project, (_, name) => {
      if (name === "to-do.json") this.look();
    });
  }

  look(): void {
    const checked = checkBacklog(readFileSync(path.join(this.#place.project, "to-do.json")));
    if (checked.kind !== "ok") {
      this.problems.push("the backlog was not valid at some time");
      return;
    }
    const titles = new Set(checked.backlog.tasks.map(({ title }) => title));
    const lost = this.#place.scene.tasks.map(({ id }) => titleOf(id)).filter((title) => !titles.has(title));
    if (lost.length > 0) this.problems.push(`lost at some time: ${lost.join(", ")}`);
  }

  close(): void {
    this.#watcher.close();
    this.look();
  }
}
