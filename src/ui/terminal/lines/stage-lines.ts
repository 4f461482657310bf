// The path of a task through its workflow, as lines of `looper show`: its visits, its questions, what its stages used. Pure.
import type { ShowAnswer } from "../../shapes/runs.js";
import {
  plural,
  showCost,
  showCount,
  showDuration,
  showMoment,
  showSpent,
} from "../../view/words/amounts.js";
import { isEndOfWorkflow } from "../../view/words/live-line.js";
import { clean, cut } from "../../text.js";
import { tableLines } from "../columns.js";
import { afterwards, resultText, type TaskScene } from "../attempt-words.js";

type Attempt = ShowAnswer["history"][number];
type Asked = NonNullable<ShowAnswer["questions"]>[number];

/** A line of the path: a job of a stage, or a question. */
interface Visit {
  /** RFC 3339. */
  began: string;
  cells: readonly string[];
  /** Further lines below it. */
  below: readonly string[];
}

const COLUMNS = [
  { title: "visit", right: true },
  { title: "stage" },
  { title: "who" },
  { title: "began" },
  { title: "took", right: true },
  { title: "tokens", right: true },
  { title: "cost", right: true },
  { title: "outcome" },
] as const;

const INDENT = "    ";

/** The visits and questions in the order they began; empty for a task that was in no stage. */
export function pathLines({ history, questions = [], task }: ShowAnswer, scene: TaskScene): string[] {
  if (history.every(({ stage }) => stage === undefined) && questions.length === 0) return [];
  const visits = [
    ...history.map((one) => visitOf(one, scene)),
    ...questions.map((one) => askedVisit(one, { now: scene.now, open: task.question?.id })),
  ].sort((a, b) => a.began.localeCompare(b.began));
  const { colours, columns } = scene;
  const fit = (line: string): string => (columns === undefined ? line : cut(line, columns));
  const { header, lines } = tableLines(
    COLUMNS,
    visits.map(({ cells }) => cells),
  );
  const body = visits.flatMap(({ below }, at) => [
    fit(lines[at] ?? ""),
    ...below.map((text) => colours.dim(fit(INDENT + text))),
  ]);
  return ["", colours.bold("its path"), colours.dim(fit(header)), ...body];
}

function visitOf(one: Attempt, { now, live, shown }: TaskScene): Visit {
  const { started: began, visit, stage = "", agent, attempt, tokens, cost_usd: cost } = one;
  const isEnd = isEndOfWorkflow({ stage });
  const who = isEnd ? "" : `${clean(agent)}${attempt > 1 ? ` (attempt ${String(attempt)})` : ""}`;
  const output = one.output?.replace(/\.json$/u, ".md");
  return {
    began,
    cells: [
      visit === undefined ? "" : String(visit),
      clean(stage),
      who,
      showMoment(Date.parse(began), now),
      showDuration(one.duration_ms),
      tokens === 0 ? "" : showCount(tokens),
      cost === null ? "" : showCost(cost),
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
  const columns = [{ title: "" }, { title: "", right: true }, { title: "" }] as const;
  return ["", colours.bold(`used by ${plural(stages.length, "stage")}`), ...tableLines(columns, rows).lines];
}
