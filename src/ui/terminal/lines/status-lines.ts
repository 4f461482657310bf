// The lines of `looper status`. Pure.
import { never } from "../../../system/never.js";
import { explainEnding } from "../../view/words/ending.js";
import { plural, showCostOf, showDuration, showMoment, showTokens } from "../../view/words/amounts.js";
import type { StatusAnswer } from "../../shapes/runs.js";
import type { View } from "../../view/view.js";
import type { Colours } from "../../colours.js";
import { PHASES, stageText, waitingText, type Titles } from "../../view/words/live-line.js";
import { openLine, questionLine } from "../../view/open-questions.js";
import { countOpen } from "../../view/stage-view.js";
import { clean, cut, wrap } from "../../text.js";
import { verdictLine, lookLine } from "../../view/judged.js";

/** The share of a line that a title may take. */
const TITLE_SHARE = 0.4;

export interface StatusScene {
  /** Of the run in question. */
  view: View | undefined;
  titles: Titles;
  /** Epoch ms. */
  now: number;
  /** As shown. */
  todoFile: string;
  colours: Colours;
  /** No line is wider; absent: nothing is cut. */
  columns?: number;
}

type Run = NonNullable<StatusAnswer["run"]>;

/** Lines for a terminal: the run, what is left, what is in hand, what it waits for, what it used. */
export function statusLines(answer: StatusAnswer, scene: StatusScene): string[] {
  const {
    run,
    tasks: counted,
    verdicts,
    need_a_look: looks,
    accepted,
    questions = [],
    paused = [],
    rejected = [],
  } = answer;
  const tasks = { ...counted, asking: questions.length };
  const { colours, columns } = scene;
  const open = questions.length === 0 ? "" : openLine(questions.length);
  const lines =
    run === null
      ? [
          { text: "no runs yet", look: colours.bold },
          { text: leftText(tasks, null) },
          { text: open, look: colours.yellow },
        ]
      : [
          { text: headText(run, scene), look: colours.bold },
          { text: leftText(tasks, run) },
          { text: handText(run, scene), look: colours.cyan },
          { text: waitText(run, scene), look: colours.yellow },
          { text: spentText(run, scene.view) },
          ...(takenUpText(answer, scene.view) ?? endTexts(run, scene)).map((text) => ({ text })),
          { text: verdictLine(verdicts), look: colours.yellow },
          { text: lookLine(looks), look: colours.yellow },
          ...questions.map((one) => ({ text: questionLine(one, columns), look: colours.yellow })),
          { text: open, look: colours.yellow },
          {
            text:
              paused.length === 0 ? "" : `paused: ${paused.join(", ")} (looper resume ${paused[0] ?? ""})`,
          },
          { text: rejected.length === 0 ? "" : `rejected by a person: ${rejected.join(", ")}` },
          { text: accepted.length === 0 ? "" : `accepted by a person: ${accepted.join(", ")}` },
        ];
  return lines
    .filter(({ text }) => text !== "")
    .flatMap(({ text, look = (same: string) => same }) => wrap(clean(text), columns).map(look));
}

function headText(
  { run, state, stopping, pid, elapsed_ms: ms, ending }: Run,
  { view, now }: StatusScene,
): string {
  switch (state) {
    case "running":
      return `run ${run} ${stopping ? "is stopping after" : "running for"} ${showDuration(ms)}, pid ${String(pid)}`;
    case "ended":
      return `the last ${kindOf(view)}, ${run}, ended ${ago(view, now)}: ${ending ?? ""}, after ${showDuration(ms)}`;
    case "killed":
      return `the last ${kindOf(view)}, ${run}, was killed after at least ${showDuration(ms)}; last event ${lastEvent(view, now)}`;
    default:
      return never(state);
  }
}

function kindOf(view: View | undefined): string {
  return view?.release === undefined ? "run" : "release";
}

/** Of a killed run nothing is known beyond its last line: when it was killed is not. */
function lastEvent(view: View | undefined, now: number): string {
  return view === undefined ? "unknown" : `${showMoment(view.at, now)} (${ago(view, now)})`;
}

function ago(view: View | undefined, now: number): string {
  return `${showDuration(Math.max(0, now - (view?.at ?? now)))} ago`;
}

function leftText(
  { todo, doing, blocked: given, done, asking }: StatusAnswer["tasks"] & { asking: number },
  run: Run | null,
): string {
  const all = todo + doing + given + done;
  // The row of a task that asks a person is blocked.
  const blocked = Math.max(0, given - asking);
  const eta = run?.eta_ms ?? null;
  if (all === 0) return "no tasks";
  const parts = [
    `${String(done)} of ${plural(all, "task")} done`,
    todo + doing === 0 ? "" : `${String(todo + doing)} left`,
    blocked === 0 ? "" : `${String(blocked)} blocked`,
    asking === 0 ? "" : `${String(asking)} ${asking === 1 ? "waits" : "wait"} for you`,
    eta === null ? "" : `about ${showDuration(eta)} to go, by what tasks took so far`,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** One line, the title cut before what follows it. */
function handText({ current, state }: Run, { titles, now, columns }: StatusScene): string {
  if (current === null) return "";
  const title = clean(titles.get(current.task ?? "") ?? "");
  const shown = cut(title, columns && Math.floor(columns * TITLE_SHARE));
  const what = current.task === null ? PHASES[current.phase] : `${current.task} ${shown}`.trim();
  if (state !== "running") return `in hand: ${what}; the next run takes it up first`;
  const attempt = current.attempt > 1 ? [`attempt ${String(current.attempt)}`] : [];
  const since = showDuration(Math.max(0, now - Date.parse(current.started)));
  const stage = stageText({ stage: current.stage, visit: current.visit });
  const who = [stage, current.agent].filter((one) => one !== "");
  const line = clean(`${what} · ${[...who, ...attempt, since, current.doing].join(" · ")}`);
  return cut(line, columns);
}

function waitText({ state }: Run, { view, now }: StatusScene): string {
  return view?.waiting === undefined || state !== "running" ? "" : waitingText(view.waiting, now);
}

function spentText({ tokens, cost_usd: cost, cost_partly: partly }: Run, view: View | undefined): string {
  if (tokens === 0 && cost === null) return "";
  const known = cost === null ? {} : { cost, ...(partly ? { partly: true as const } : {}) };
  const parts = [showTokens(tokens), showCostOf({ tokens, ...known })];
  return [...parts, unpriced(view)].filter((part) => part !== "").join(" · ");
}

function unpriced(view: View | undefined): string {
  return view?.unpriced === undefined ? "" : `what ${view.unpriced} cost is not known`;
}

/** The end of a run that waited for answers, where a person gave some since; `undefined`: the run's own words still hold. */
function takenUpText({ run, questions = [] }: StatusAnswer, view: View | undefined): string[] | undefined {
  const asked = countOpen(view?.stages);
  if (run?.ending !== "waiting" || questions.length >= asked) return undefined;
  const answered = `${plural(asked - questions.length, "question")} of ${String(asked)} answered since`;
  return [asked === 1 ? "its question was answered since" : answered, "looper run takes the answers up"];
}

function endTexts({ state }: Run, { view, todoFile }: StatusScene): string[] {
  if (state === "killed")
    return [view?.release === undefined ? "looper run resumes it" : "run looper push again"];
  if (view?.ended === undefined) return [];
  if (view.release !== undefined)
    return view.ended.message === undefined
      ? []
      : [clean(view.ended.message), "looper push starts a release again"];
  const { why, next } = explainEnding(view, view.ended, todoFile);
  return [why, next];
}
