// The progress lines of a run about stages, questions and answers. Pure. Leaves all other lines to progress.ts.
import type { RunEvent } from "../../../logging/events/events.js";
import { noOf, yesOf } from "../../../workflow/yes-and-no.js";
import { quoteIfNeeded } from "../../../shell/quote.js";
import type { Colours } from "../../colours.js";
import { clean, cut } from "../../text.js";
import type { Titles } from "../../view/words/live-line.js";
import { ofSource } from "../../view/open-questions.js";
import type { StderrNote } from "../diagnostics.js";

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** How much of a question or a remark is shown during the run; the log has all of it. */
const MOST_TEXT = 240;

/** The lines for one event; none for the events of other parts, and none under `default`. */
export function stageNotes(
  event: RunEvent,
  { titles, colours }: { titles: Titles; colours: Colours },
): StderrNote[] {
  switch (event.type) {
    case "stage_entered":
      return event.skipped === undefined ? [] : [says(colours.dim(skippedText(event)))];
    case "asked":
      return [{ level: "info", lines: askedLines(event, titles, colours) }];
    case "question_answered":
      return [says(`- ${answeredText(event)}`)];
    case "notified":
      return event.outcome === "ok" ? [] : [failedNotice(event, colours)];
    default:
      return [];
  }
}

function named(id: string | undefined): string {
  return clean(id ?? "");
}

function says(line: string): StderrNote {
  return { level: "info", lines: [line] };
}

function skippedText({ task_id: id, from = "", outcome = "", to, skipped }: Of<"stage_entered">): string {
  const why = skipped === "skip" ? "--skip" : "its `when` does not hold";
  return `- ${named(id)} ${clean(from)} passed (${why}): ${clean(outcome)}, next ${clean(to)}`;
}

/** The question, then the commands that answer it: they work from any shell. */
function askedLines({ task_id: id, question }: Of<"asked">, titles: Titles, colours: Colours): string[] {
  const name = `${named(id)} ${clean(titles.get(id ?? "") ?? "")}`.trim();
  const task = quoteIfNeeded(named(id));
  const [yes, no] = [yesOf(question), noOf(question)];
  const ways =
    yes === undefined
      ? `looper answer ${task} -m "…"`
      : [`looper approve ${task}`, ...(no === undefined ? [] : [`looper reject ${task}`])].join(" or ");
  return [
    `${colours.yellow("?")} ${name} ${ofSource(question)}: ${cut(clean(question.text), MOST_TEXT)}`,
    `  ${ways}`,
  ];
}

/** `T3 approve, by ada (cli): with a remark` */
export function answeredText({
  task_id: id,
  outcome = "answered",
  by,
  via,
  comment = "",
}: Pick<Of<"question_answered">, "task_id" | "outcome" | "by" | "via" | "comment">): string {
  const remark = comment === "" ? "" : `: ${cut(clean(comment), MOST_TEXT)}`;
  return `${named(id)} ${clean(outcome)}, by ${clean(by)} (${via})${remark}`;
}

function failedNotice({ of, to, outcome, error = "" }: Of<"notified">, colours: Colours): StderrNote {
  const how = outcome === "timed-out" ? "took too long" : "failed";
  const text = clean(`the notification of ${of} to ${to} ${how}${error === "" ? "" : `: ${error}`}`);
  return { level: "warn", lines: [`${colours.yellow("!")} ${text}`], warning: text };
}
