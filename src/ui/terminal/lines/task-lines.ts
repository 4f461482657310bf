// All fields of a task and its attempts, as lines for people. Pure. Leaves collecting them to the commands.
import {
  plural,
  showCost,
  showCount,
  showDuration,
  showMoment,
  showSpent,
} from "../../view/words/amounts.js";
import type { ShowAnswer } from "../../shapes/runs.js";
import { describeBy } from "../../../workflow/question.js";
import { isHeld } from "../../answers/backlog/stages.js";
import type { Need } from "../../../gate/verdict.js";
import { listQuestions, questionLines } from "../../view/open-questions.js";
import { right, tableLines, type Column } from "../columns.js";
import { quoteIfNeeded } from "../../../shell/quote.js";
import { clean, cut, showBlock, wrap } from "../../text.js";
import { isEndOfWorkflow } from "../../view/words/live-line.js";
import type { Colours } from "../../colours.js";

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
export function turnedLines(turned: NonNullable<Task["evidence"]>["fail_to_pass"]): string[] {
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

/** The paths that its attempt changed, with their kinds and the reasons for these. */
function changedLines(explained: Explained): string[] {
  if (explained === undefined || explained.changed.length === 0) return [];
  const rows = explained.changed.map((one) => [clean(one.path), one.kind, String(one.row), clean(one.why)]);
  return tableLines(["path", "kind", "row", "why"], rows);
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

const FIGURES = ["began", ...["took", "tokens", "cost"].map(right)];

function historyLines(history: readonly Attempt[], scene: TaskScene): string[] {
  if (history.length === 0) return ["", "no run has tried it yet, as far as the logs know"];
  const rows = history.map((one) => ({
    cells: [
      ...[one.run, String(one.attempt), clean(one.agent)],
      ...figuresOf(one, scene.now),
      resultText(one, scene.live),
    ],
    below: afterwards(one),
  }));
  return ["", ...notedTable(["run", right("attempt"), "agent", ...FIGURES, "result"], rows, scene)];
}

/** When an attempt began, how long it took and what it used. */
function figuresOf({ started, duration_ms: ms, tokens, cost_usd: cost }: Attempt, now: number): string[] {
  return [
    ...[showMoment(Date.parse(started), now), showDuration(ms)],
    ...[tokens === 0 ? "" : showCount(tokens), cost === null ? "" : showCost(cost)],
  ];
}

/** A table with further lines below its rows. */
function notedTable(
  columns: readonly (Column | string)[],
  rows: readonly { cells: readonly string[]; below: readonly string[] }[],
  { colours, columns: width }: TaskScene,
): string[] {
  const cells = rows.map((one) => one.cells);
  const [header = "", ...lines] = tableLines(columns, cells);
  const body = rows.flatMap(({ below }, at) => [
    cut(lines[at] ?? "", width),
    ...below.map((text) => colours.dim(cut(INDENT + INDENT + text, width))),
  ]);
  return [colours.dim(cut(header, width)), ...body];
}

type Asked = NonNullable<ShowAnswer["questions"]>[number];

/** A line of the path: a job of a stage, or a question. */
interface Visit {
  /** RFC 3339. */
  began: string;
  cells: readonly string[];
  /** Further lines below it. */
  below: readonly string[];
}

/** The visits and questions in the order they began; empty for a task that was in no stage. */
export function pathLines({ history, questions = [], task }: ShowAnswer, scene: TaskScene): string[] {
  if (history.every(({ stage }) => stage === undefined) && questions.length === 0) return [];
  const visits = [
    ...history.map((one) => visitOf(one, scene)),
    ...questions.map((one) => askedVisit(one, { now: scene.now, open: task.question?.id })),
  ].sort((a, b) => a.began.localeCompare(b.began));
  const columns = [right("visit"), "stage", "who", ...FIGURES, "outcome"];
  return ["", scene.colours.bold("its path"), ...notedTable(columns, visits, scene)];
}

function visitOf(one: Attempt, { now, live, shown }: TaskScene): Visit {
  const { started: began, visit, stage = "", agent, attempt } = one;
  const isEnd = isEndOfWorkflow({ stage });
  const who = isEnd ? "" : `${clean(agent)}${attempt > 1 ? ` (attempt ${String(attempt)})` : ""}`;
  const output = one.output?.replace(/\.json$/u, ".md");
  return {
    began,
    cells: [
      visit === undefined ? "" : String(visit),
      clean(stage),
      who,
      ...figuresOf(one, now),
      outcomeText(one, live),
    ],
    below: [...afterwards(one), ...(output === undefined ? [] : [clean(shown(output))])],
  };
}

/** `changes, next implement`; the result of an attempt that left the task where it was. */
function outcomeText(one: Attempt, live: string | undefined): string {
  const { outcome, to, result } = one;
  if (result !== "advanced" && to === undefined) return resultText(one, live);
  const parts = [clean(outcome ?? (result === "advanced" ? "passed" : (result ?? "")))];
  return [...parts, ...(to === undefined ? [] : [`next ${clean(to)}`])].join(", ");
}

/** Of a question or an answer; the row and the log have all of it. */
const MOST_TEXT = 500;

/** `open`: the question that still waits; one that a restart or a new status took away was never answered. */
function askedVisit(
  { question, stage, visit, answer }: Asked,
  { now, open }: { now: number; open: string | undefined },
): Visit {
  const { id, asked_at: asked, text } = question;
  const until = answer === null ? now : Date.parse(answer.at);
  const took = until - Date.parse(asked);
  const said = answer === null ? [] : [answer.text, answer.comment].filter((one) => one !== undefined);
  return {
    began: asked,
    cells: [
      // A question's number also counts the visits before the task began anew.
      visit === undefined ? id.slice(id.lastIndexOf(".") + 1) : String(visit),
      clean(stage ?? ""),
      answer === null ? "" : `${clean(answer.by)} (${answer.via})`,
      showMoment(Date.parse(asked), now),
      Number.isNaN(took) || (answer === null && id !== open) ? "" : showDuration(Math.max(0, took)),
      ...["", ""],
      answer !== null ? clean(answer.outcome ?? "answered") : id === open ? "waits for you" : "not answered",
    ],
    below: [text, ...said].map((one) => `"${cut(clean(one), MOST_TEXT)}"`),
  };
}

/** The usage of each stage, the whole last; empty outside a workflow. */
export function stageSpentLines({ spent }: ShowAnswer, { colours }: TaskScene): string[] {
  const stages = Object.entries(spent ?? {}).filter(([stage]) => stage !== "*");
  if (spent === undefined || stages.length === 0) return [];
  const all = spent["*"];
  const rows = [...stages, ...(all === undefined ? [] : [["all", all] as const])].map(
    ([stage, { tokens, cost_usd: cost, duration_ms: ms }]) => [
      `  ${clean(stage)}`,
      showDuration(ms),
      showSpent({ tokens, cost }),
    ],
  );
  const table = tableLines(["", right(""), ""], rows).slice(1);
  return ["", colours.bold(`used by ${plural(stages.length, "stage")}`), ...table];
}

export interface TaskScene {
  /** Epoch ms. */
  now: number;
  /** The run in progress. */
  live: string | undefined;
  colours: Colours;
  /** Long texts are wrapped at this width. */
  columns?: number;
  /** The folder of the outputs of stages, as shown. */
  tasksDir: string;
  /** A path as it is shown. */
  shown: (file: string) => string;
}

/** The result of an attempt in a word or two. */
export function resultText({ result, verdict, run }: Attempt, live: string | undefined): string {
  if (result === null) return run === live ? "in hand" : "killed";
  const isPlain = verdict === null || verdict === "verified" || verdict === "none";
  return isPlain ? result : `${result}, ${verdict}`;
}

/** Further lines about an attempt. */
export function afterwards({ why, warnings, commit, rescue }: Attempt): string[] {
  return [
    why === "" ? "" : clean(why),
    ...warnings.map((text) => `! ${clean(text)}`),
    commit === null ? "" : `commit ${commit.slice(0, 12)}`,
    rescue === null ? "" : `its work is kept as ${clean(rescue)}: looper rescue`,
  ].filter((text) => text !== "");
}
