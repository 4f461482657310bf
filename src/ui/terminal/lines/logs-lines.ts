// An agent's messages on a task, for people: each attempt with a heading. Pure. Leaves reading them to cmd/commands/logs.ts.
import { showMoment } from "../../view/words/amounts.js";
import type { LogsAnswer } from "../../shapes/runs.js";
import type { Colours } from "../../colours.js";
import { stageText } from "../../view/words/live-line.js";
import { clean, cut, showBlock } from "../../text.js";

export interface LogsScene {
  /** Empty when the task was removed from the task file. */
  title: string;
  /** Epoch ms. */
  now: number;
  colours: Colours;
  /** Headings are truncated to it; absent: nothing is truncated. */
  columns?: number;
}

/** The lines; messages are unchanged except for terminal control characters. */
export function logsLines({ task, run, attempts }: LogsAnswer, scene: LogsScene): string[] {
  const { title, now, colours, columns } = scene;
  const name = `${clean(task)} ${clean(title)}`.trim();
  if (run === null || attempts.length === 0) return [`no run has worked on ${clean(task)} yet`];
  return attempts.flatMap(({ attempt, agent, started, messages, ...staged }, at) => {
    const stage = stageText(staged);
    const facts = [
      ...(stage === "" ? [] : [stage]),
      `attempt ${attempt}`,
      clean(agent),
      showMoment(Date.parse(started), now),
      `run ${clean(run)}`,
    ];
    const heading = colours.bold(cut([name, ...facts].join(" · "), columns));
    const blocks = messages.map(({ text }) => showBlock(text.trimEnd()));
    // Some agents write a line at a time, others a paragraph.
    const isApart = (nth: number): boolean => [nth - 1, nth].some((one) => (blocks[one]?.length ?? 0) > 1);
    const said = blocks.flatMap((lines, nth) => (nth > 0 && isApart(nth) ? ["", ...lines] : lines));
    const body = said.length === 0 ? [colours.dim("the agent has said nothing")] : said;
    return [...(at === 0 ? [] : [""]), heading, ...body];
  });
}
