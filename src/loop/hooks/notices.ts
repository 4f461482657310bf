// Which lines of a log a person is notified of, and with what: a question, a blocked task, a commit, the end of a run. Pure.
// notify.ts sends the notices.
import { isStepType, type Stamp, type RunEvent, type Sealed } from "../../logging/events/events.js";
import { shorten } from "../../system/text/cut.js";
import { never } from "../../system/never.js";
import type { Question } from "../../workflow/progress.js";

/** The kind of a notification; in the log's line `notified` it is `of`. */
export type NoticeOf = "asked" | "blocked" | "committed" | "run_ended";

/** The event that a command gets on its stdin, and an address in the body of a POST. */
export interface Notice {
  type: "notification";
  of: NoticeOf;
  run: string;
  project: string;
  timestamp: string;
  /** One line for a person. */
  text: string;
  task_id?: string;
  title?: string;
  stage?: string;
  visit?: number;
  agent?: string;
  attempt?: number;
  question?: Question;
  /** The people who are asked: `ask.to`. */
  to?: readonly string[];
  /** Why it is blocked. */
  why?: string;
  commit?: string;
  ending?: string;
  message?: string;
  totals?: Extract<RunEvent, { type: "run_ended" }>["totals"];
}

/** A notice of one run, and the line it is about: none for the end of the run, which is not logged yet. */
export interface Told {
  of: NoticeOf;
  /** The `seq` of the line. */
  seq?: number;
  line: Pick<
    Notice,
    "timestamp" | "task_id" | "stage" | "visit" | "agent" | "attempt" | "question" | "commit"
  >;
}

/** The fields of a line that a notice has as well. */
type Facts = Stamp & Pick<Notice, "task_id" | "stage" | "visit" | "agent" | "attempt">;

/** Folds the lines of a log into notices. A decision and its notes belong together: a task may be blocked by what it asks. */
export class Notices {
  #marksRows = false;
  readonly #asked = new Set<string>();
  #group: Told[] = [];

  /** Takes a line; returns the notices of the decision before, where a new one begins. */
  take(line: Sealed): Told[] {
    const ready = isStepType(line.type) ? this.flush() : [];
    this.#look(line);
    return ready;
  }

  /** The notices of the last decision, all of whose lines were taken. */
  flush(): Told[] {
    const asked = new Set(this.#group.flatMap(({ of, line }) => (of === "asked" ? [line.task_id] : [])));
    const told = this.#group.filter(({ of, line }) => of !== "blocked" || !asked.has(line.task_id));
    this.#group = [];
    return told;
  }

  #look(line: Sealed): void {
    switch (line.type) {
      case "run_started":
        this.#marksRows = !line.rules.apply_summary;
        break;
      case "attempt_failed":
        // Agents that mark their rows themselves change no status here.
        if (this.#marksRows && line.next === "blocked") this.#tell("blocked", line);
        break;
      case "task_updated":
        if (line.to === "blocked") this.#tell("blocked", line);
        break;
      case "asked":
        if (this.#asked.has(line.question.id)) break;
        this.#asked.add(line.question.id);
        this.#tell("asked", line, { question: line.question });
        break;
      case "committed":
        if (line.task_id !== undefined || line.updated.some(({ to }) => to === "done")) {
          const facts = { ...line, task_id: line.task_id ?? line.updated[0]?.id };
          this.#tell("committed", facts, { commit: line.commit });
        }
        break;
      default:
    }
  }

  #tell(of: NoticeOf, line: Facts, more: Partial<Told["line"]> = {}): void {
    const { timestamp, task_id, stage, visit, agent, attempt } = line;
    this.#group.push({
      of,
      seq: line.seq,
      line: { timestamp, task_id, stage, visit, agent, attempt, ...more },
    });
  }
}

/** The longest line for a person, in characters. */
const MOST_TEXT = 300;

/** The notice in one line, such as "T3 asks: Carry out this plan?". */
export function describeNotice(notice: Omit<Notice, "text" | "type">): string {
  const { task_id: id = "", title } = notice;
  const task = title === undefined ? id : `${id} (${title})`;
  return shorten(sentence(notice, task).replaceAll(/\s+/gu, " ").trim(), MOST_TEXT);
}

function sentence(
  { of, why, question, ending, totals, message }: Omit<Notice, "text" | "type">,
  task: string,
): string {
  switch (of) {
    case "asked":
      return `${task} asks: ${question?.text ?? ""}`;
    case "blocked":
      return `${task} is blocked${why === undefined ? "" : `: ${why}`}`;
    case "committed":
      return `${task} is done`;
    case "run_ended": {
      const done =
        totals === undefined ? "" : `, ${String(totals.done)} of ${String(totals.tasks)} tasks done`;
      return `the run ended: ${ending ?? ""}${done}${message === undefined ? "" : `: ${message}`}`;
    }
    default:
      return never(of);
  }
}
