// All fields of a task and its attempts, as lines for people. Pure. Leaves collecting them to the commands.
import { plural, showCost, showCount, showDuration, showMoment } from "../../view/words/amounts.js";
import type { ShowAnswer } from "../../shapes/runs.js";
import { describeBy } from "../../../workflow/question.js";
import { isHeld } from "../../answers/backlog/stages.js";
import type { Need } from "../../../gate/verdict.js";
import { listQuestions, questionLines } from "../../view/open-questions.js";
import { tableLines } from "../columns.js";
import { afterwards, resultText, type TaskScene } from "../attempt-words.js";
import { pathLines, stageSpentLines } from "./stage-lines.js";
import { quoteIfNeeded } from "../../../shell/quote.js";
import { clean, cut, showBlock, wrap } from "../../text.js";

type Task = ShowAnswer["task"];
type Attempt = ShowAnswer["history"][number];
type Explained = ShowAnswer["explained"];

const INDENT = "  ";

/** Its lines: what it is, what it says, what became of it. */
export function taskLines(answer: ShowAnswer, scene: TaskScene): string[] {
  const { task, history, explained } = answer;
  const inStages = pathLines(answer, scene);
  const { colours, columns } = scene;
  const room = columns === undefined ? undefined : Math.max(1, columns - INDENT.length);
  const section = (title: string, texts: readonly string[]): string[] => {
    const lines = texts.flatMap((text) => text.split("\n")).flatMap((text) => wrap(clean(text), room));
    return lines.every((line) => line === "")
      ? []
      : ["", colours.bold(title), ...lines.map((line) => `${INDENT}${line}`.trimEnd())];
  };
  /** Lines whose white space counts; they are not wrapped. */
  const block = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ["", colours.bold(title), ...lines.map((line) => `${INDENT}${line}`.trimEnd())];
  return [
    ...wrap(clean(`${task.id} ${task.title}`), columns).map(colours.bold),
    ...factsOf(task).flatMap((line) => wrap(clean(line), columns)),
    ...waitingLines(task, scene),
    ...section("red → green", turnedLines(task.evidence?.fail_to_pass ?? [])),
    ...section("new tests that fail without the work", turnedLines(task.evidence?.new_tests ?? [])),
    ...section(doubtTitle(task, explained), explained?.reasons ?? task.unverified_because),
    ...section("the agent's reason to change checks", agentsReason(task)),
    ...((explained ?? task.evidence)?.needs ?? []).flatMap((need) =>
      block(`it needs ${needText(need)}`, showBlock(need.diff.trimEnd())),
    ),
    ...section(
      task.verdict === "unverified" ? "it needs changed checks of" : "it stands on unverified work of",
      [(explained ?? task.evidence)?.on.join(", ") ?? ""],
    ),
    ...section("checks changed", task.evidence?.changed_checks ?? []),
    ...section("judged by exit code", task.by_exit_code ?? []),
    ...block("changed paths", changedLines(explained)),
    ...section("why it is blocked", task.status === "done" ? [] : withoutQuestion(task)),
    ...section("description", [task.description ?? ""]),
    ...section("details", [task.details ?? ""]),
    ...section("steps", numbered(task.steps ?? [])),
    ...section("verify", task.verify ?? []),
    ...section("may change", task.changes ?? []),
    ...section("files", task.files ?? []),
    ...section("result", [task.result ?? ""]),
    ...stageSpentLines(answer, scene),
    ...(inStages.length > 0 ? inStages : historyLines(history, scene)),
  ];
}

/** The question that the task waits for, and its pause. */
function waitingLines(task: Task, scene: TaskScene): string[] {
  const [open] = listQuestions([task], scene.tasksDir);
  const { paused } = task.progress ?? {};
  const by = paused === undefined ? "" : clean(`paused by ${describeBy(paused)}`);
  const why = paused?.why === undefined ? "" : `: ${clean(paused.why)}`;
  return [
    ...(open === undefined ? [] : ["", ...questionLines(open, scene)]),
    ...(by === ""
      ? []
      : [
          "",
          ...wrap(`${by}${why}`, scene.columns),
          `lift the pause with looper resume ${quoteIfNeeded(clean(task.id))}`,
        ]),
  ];
}

/** The blockers without the open question, which has a part of its own. */
function withoutQuestion({ blockers = [], question }: Task): readonly string[] {
  return blockers.filter((one) => one !== question?.text);
}

function doubtTitle({ verdict }: Task, explained: Explained): string {
  const now = explained?.verdict ?? verdict;
  if (now === "failed" || now === "tampered") return "why its checks fail now";
  return now === "unbroken" ? "why it is unbroken" : "why it is unverified";
}

/** The tests that turned green, each with its command. */
function turnedLines(turned: NonNullable<Task["evidence"]>["fail_to_pass"]): string[] {
  return turned.map(({ command, name }) => (name === undefined ? command : `${name} (${command})`));
}

/** A changed path that the checks do not pass without, with the row that sorted it. Cleaned. */
export function needText({ path, row, why }: Omit<Need, "diff">): string {
  return row === undefined ? clean(path) : `${clean(path)} (row ${String(row)}: ${clean(why ?? "")})`;
}

function agentsReason({ evidence }: Task): string[] {
  const reason = evidence?.agents_reason ?? null;
  return reason === null ? [] : [JSON.stringify(reason)];
}

const CHANGED_COLUMNS = [{ title: "path" }, { title: "kind" }, { title: "row" }, { title: "why" }] as const;

/** The paths that its attempt changed, with their kinds and the reasons for these. */
function changedLines(explained: Explained): string[] {
  if (explained === undefined || explained.changed.length === 0) return [];
  const rows = explained.changed.map(({ path, kind, row, why }) => [
    clean(path),
    kind,
    String(row),
    clean(why),
  ]);
  const { header, lines } = tableLines(CHANGED_COLUMNS, rows);
  return [header, ...lines];
}

function factsOf(task: Task): string[] {
  const { status, priority, agent, tags = [], depends_on: needs = [] } = task;
  const verdict =
    task.marker === true
      ? "the completion marker, not a task"
      : task.verdict === "verified"
        ? task.accepted === undefined
          ? "verified"
          : acceptedText(task)
        : task.verdict === "none"
          ? "without a verdict: its workflow changes nothing"
          : (task.verdict ?? "");
  const blocked =
    task.question !== undefined
      ? "waits for you"
      : status === "blocked" && task.ready
        ? "blocked (the next run tries it once)"
        : status;
  const ready =
    (status === "blocked" && task.ready) || isHeld(task)
      ? ""
      : status === "done"
        ? verdict
        : task.ready
          ? "ready"
          : `waits for ${task.waits_for.join(", ")}`;
  const first = [
    ...[blocked, ready, stageText(task), `priority ${String(priority)}`],
    agent === undefined ? "" : `agent ${agent}`,
    tags.length === 0 ? "" : `tags ${tags.join(", ")}`,
    task.attempts === undefined ? "" : plural(task.attempts, "attempt"),
  ];
  const links = [
    needs.length === 0 ? "" : `depends on ${needs.join(", ")}`,
    task.needed_by.length === 0 ? "" : `needed by ${task.needed_by.join(", ")}`,
    task.reference === undefined ? "" : `from ${task.reference}`,
  ];
  return [first, links]
    .map((parts) => parts.filter((part) => part !== "").join(" · "))
    .filter((line) => line !== "");
}

/** `at review of implement-review, visit 4`; empty outside a workflow. */
function stageText({ workflow, stage, visit }: Task): string {
  if (stage === undefined) return workflow === undefined ? "" : `workflow ${workflow}`;
  return `at ${stage} of ${workflow ?? ""}, visit ${String(visit)}`;
}

function acceptedText({ accepted }: Task): string {
  return accepted === undefined ? "" : `accepted by ${accepted.by}, ${accepted.at}`;
}

function numbered(steps: readonly string[]): string[] {
  return steps.map((step, at) => `${String(at + 1)}. ${step}`);
}

const COLUMNS = [
  { title: "run" },
  { title: "attempt", right: true },
  { title: "agent" },
  { title: "began" },
  { title: "took", right: true },
  { title: "tokens", right: true },
  { title: "cost", right: true },
  { title: "result" },
] as const;

function historyLines(history: readonly Attempt[], { now, live, colours, columns }: TaskScene): string[] {
  if (history.length === 0) return ["", "no run has tried it yet, as far as the logs know"];
  const cells = history.map((one) => [
    one.run,
    String(one.attempt),
    clean(one.agent),
    showMoment(Date.parse(one.started), now),
    showDuration(one.duration_ms),
    one.tokens === 0 ? "" : showCount(one.tokens),
    one.cost_usd === null ? "" : showCost(one.cost_usd),
    resultText(one, live),
  ]);
  const { header, lines } = tableLines(COLUMNS, cells);
  const fit = (line: string): string => (columns === undefined ? line : cut(line, columns));
  const body = history.flatMap((one, at) => [
    fit(lines[at] ?? ""),
    ...afterwards(one).map((text) => colours.dim(fit(`${INDENT}${INDENT}${text}`))),
  ]);
  return ["", colours.dim(fit(header)), ...body];
}
