// The news that a hidden tab tells: in its title, on its icon and, once a person asked for them by a click, as notices of the system.
import type { StatusAnswer } from "../src/ui/shapes/runs.js";
import { go, runPath } from "./router.js";
import { visible } from "./words.js";

interface Notice {
  /** Of several tabs the browser shows one of the same tag. */
  tag: string;
  text: string;
  to: string;
}

/** The questions that are new, and the run that has ended, since an earlier look. Pure. */
export function newsOf(before: StatusAnswer, { questions = [], run }: StatusAnswer): Notice[] {
  const known = new Set(before.questions?.map(({ question }) => question.id));
  const asked = questions.filter(({ question }) => !known.has(question.id));
  const news = asked.map(({ question: { id, text }, task }) => ({
    tag: id,
    text: `${task} asks: ${text.split("\n")[0] ?? ""}`,
    to: `/questions/${encodeURIComponent(id)}`,
  }));
  const { run: ran } = before;
  if (ran?.state !== "running" || (run?.run === ran.run && run.state === "running")) return news;
  const how = run?.run !== ran.run || run.ending === null ? "" : `: ${run.ending}`;
  return [...news, { tag: ran.run, text: `The run has ended${how}`, to: runPath(ran.run) }];
}

export function tellNews(before: StatusAnswer | undefined, now: StatusAnswer): void {
  if (before === undefined || !document.hidden || noticesAre() !== "granted") return;
  for (const { tag, text, to } of newsOf(before, now)) {
    const notice = new Notification(document.title, { body: visible(text), tag });
    notice.onclick = () => {
      window.focus();
      go(to);
    };
  }
}

/** Whether the browser lets the page give notices; `denied` too where it has none. */
export function noticesAre(): NotificationPermission {
  return "Notification" in window ? Notification.permission : "denied";
}

/** The tab's title, which begins with what is shown, and a dot on its icon, where questions are open. */
export function markTab(name: string, asks: number): void {
  document.title = `${asks > 0 ? `(${asks}) ` : ""}${visible(name)} · Looper`;
  const dot = asks > 0 ? '<circle cx="12" cy="4" r="4" fill="#7a3ec8"/>' : "";
  const arrow = '<text y="14" font-size="16" fill="#2557d6">↻</text>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${arrow}${dot}</svg>`;
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon !== null) icon.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
