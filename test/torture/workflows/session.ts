// A session with a workflow: the program is started until every task is done, and a person answers each question from another
// process, at once where an agent waits for it, otherwise between two runs. One of the starts may be killed.
import { existsSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import path from "node:path";
import { checkBacklog } from "../../../src/todo/check/check.js";
import type { Fault } from "../fault.js";
import { statuses } from "../invariants.js";
import type { Place, Start } from "../place.js";
import { BacklogWatch } from "../survive.js";

/** So often the program is started at most, runs and answers together. */
const MOST_STARTS = 40;

/** A question that waits for its answer. */
interface Question {
  id: string;
  task: string;
  stage: string;
}

/** The faults of the starts from one on, a fault each; starts count from 1, in the order in which they begin. */
export interface Harm {
  start: number;
  faults: readonly Fault[];
}

export interface Session {
  /** The arguments and the calls of each start. */
  starts: { words: string; calls: readonly string[] }[];
  /** The id of each question that was open, with the answer that was taken. */
  answers: string[];
  problems: string[];
  /** The last call before the kill. */
  struck: string[];
}

/** The answer of the person: the first plan of T1 is sent back with a remark where there is a stage before it. */
function answerTo({ id, stage }: Question): string[] {
  if (id === "T1.3" && stage === "approve") return ["answer", id, "revise", "-m", "REMARK"];
  return ["approve", id];
}

/** The point before a run at which a session can be taken up again: what has happened until then. */
export interface Before {
  starts: number;
  answers: readonly string[];
}

export interface Play {
  harm?: Harm;
  /** The session begins here, in a copy of the place as it was. */
  from?: Before;
  /** Called before each run. */
  beforeRun?: (before: Before) => void;
}

/** Plays a session to its end, and looks at the task file all the while. */
export async function playSession(place: Place, play: Play = {}): Promise<Session> {
  const session = new Player(place, play);
  const backlog = new BacklogWatch(place);
  await session.play();
  backlog.close();
  return { ...session.told, problems: [...session.told.problems, ...backlog.problems] };
}

class Player {
  readonly told: Session = { starts: [], answers: [], problems: [], struck: [] };
  readonly #place: Place;
  readonly #play: Play;
  #starts: number;

  constructor(place: Place, play: Play) {
    this.#place = place;
    this.#play = play;
    this.#starts = play.from?.starts ?? 0;
    this.told.answers.push(...(play.from?.answers ?? []));
  }

  async play(): Promise<void> {
    while (this.#starts < MOST_STARTS) {
      this.#play.beforeRun?.({ starts: this.#starts, answers: [...this.told.answers] });
      const run = await this.#runOnce();
      if (run.signal === "SIGKILL") continue;
      if (run.code === 0 && Object.values(statuses(this.#place)).every((status) => status === "done")) return;
      const open = this.#open();
      if (run.code !== 1 || open.length === 0) {
        this.told.problems.push(`a run ended with ${String(open.length)} open questions: ${shown(run)}`);
        return;
      }
      for (const question of open) await this.#answer(question);
    }
    this.told.problems.push(`no end after ${String(MOST_STARTS)} starts`);
  }

  /** A run, and beside it the person, who answers what is open as soon as an agent waits for that. */
  async #runOnce(): Promise<Start> {
    const asked = this.#place.at("ask-now");
    let answering: Promise<void> | undefined;
    const look = (): void => {
      if (answering === undefined && existsSync(asked)) answering = this.#answerNow(asked);
    };
    const watcher = watch(this.#place.root, look);
    const run = await this.#start(["run", "--quiet"]);
    watcher.close();
    look();
    await answering;
    return run;
  }

  async #answerNow(asked: string): Promise<void> {
    const first = this.#open().filter(({ task }) => task === "T1");
    for (const question of first) await this.#answer(question);
    writeFileSync(this.#place.at("answered"), "");
    rmSync(asked);
  }

  /** An answer that was killed is given again: it is taken now, or was taken. */
  async #answer(question: Question): Promise<void> {
    const words = answerTo(question);
    const first = await this.#start(words);
    const again = first.signal === "SIGKILL" ? await this.#start(words) : first;
    const wasTaken = first !== again && again.code === 1 && /was already answered/u.test(again.stderr);
    if (again.code !== 0 && !wasTaken) this.told.problems.push(`${words.join(" ")}: ${shown(again)}`);
    this.told.answers.push(words.join(" "));
  }

  #open(): Question[] {
    const checked = checkBacklog(readFileSync(path.join(this.#place.project, "to-do.json")));
    const tasks = checked.kind === "ok" ? checked.backlog.tasks : [];
    return tasks.flatMap(({ id, progress }) =>
      progress?.question === undefined || progress.answer !== undefined
        ? []
        : [{ id: progress.question.id, task: id, stage: progress.stage }],
    );
  }

  async #start(words: readonly string[]): Promise<Start> {
    const own: Session["starts"][number] = { words: words.join(" "), calls: [] };
    this.told.starts.push(own);
    this.#starts++;
    const { harm } = this.#play;
    const fault = harm === undefined ? undefined : harm.faults[this.#starts - harm.start];
    const start = await this.#place.start(words, fault === undefined ? [] : [fault]);
    own.calls = start.calls;
    if (fault !== undefined && start.signal === "SIGKILL")
      this.told.struck.push(`${own.words}: ${start.calls.at(-1) ?? "no call"}`);
    if (start.signal === "SIGQUIT" || /\binternal error\b|\n {4}at /u.test(start.stderr))
      this.told.problems.push(`${own.words}: ${shown(start)}`);
    return start;
  }
}

function shown({ code, signal, stderr, calls }: Start): string {
  return `exit ${String(code ?? signal ?? "?")} after call ${calls.at(-1) ?? "none"}: ${stderr.trim()}`;
}

/** The lines of a file beside the project. */
export function linesBeside(place: Place, name: string): string[] {
  const file = place.at(name);
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}
