import { expect, test } from "vitest";
import type { ChapoEvent } from "../../../chapo/engine/events.js";
import { coloursFor } from "../../colours.js";
import { TalkLines, type TalkScreen } from "./talk-lines.js";

/** The lines of these events. */
function play(news: readonly Pick<ChapoEvent, "type" | "data">[], screen: TalkScreen): string[] {
  const lines = new TalkLines("scripted/x");
  return news.flatMap((one, at) =>
    lines.take({ ...one, timestamp: new Date(0).toISOString(), seq: at + 1 } as ChapoEvent, screen),
  );
}

const thought = (text: string) =>
  ({ type: "thought", data: { iteration: 1, request: 1, text } }) satisfies Pick<ChapoEvent, "type" | "data">;
const delta = (text: string) =>
  ({ type: "delta", data: { iteration: 1, request: 1, text } }) satisfies Pick<ChapoEvent, "type" | "data">;
const message = (text: string) =>
  ({ type: "message", data: { iteration: 1, text } }) satisfies Pick<ChapoEvent, "type" | "data">;

test("thinking is dimmed and marked, ends before the text, and cannot steer the terminal", () => {
  const screen = { colours: coloursFor(true), columns: 20 };
  const news = [
    thought("I look at the fi"),
    thought("les first.\u001b[2J"),
    delta("Done."),
    message("Done."),
  ];
  expect(play(news, screen)).toEqual([
    "",
    "\u001b[2m┆ I look at the\u001b[22m",
    "\u001b[2m┆ files\u001b[22m",
    "\u001b[2m┆ first.\\u001b[2J\u001b[22m",
    "",
    "Done.",
  ]);
  expect(play(news.slice(2), screen)).toEqual(["", "Done."]);
  expect(play([thought("Plan."), delta("A")], { colours: coloursFor(false), columns: 20 })).toEqual([
    "",
    "┆ Plan.",
    "",
  ]);
});

test("nothing that a model, a tool or a file name says reaches the terminal raw", () => {
  const evil = "a\u001b]52;c;AAAA\u0007\u001b[2J\u009b31m\r\nb\u0000\u202e\u2028c\td";
  const screen = { colours: coloursFor(false), columns: 60 };
  const name = { callId: evil, agent: evil, tool: evil };
  const args = { path: evil, command: evil, todos: [{ id: evil, content: evil, status: "pending" }] };
  const news: Pick<ChapoEvent, "type" | "data">[] = [
    thought(evil),
    delta(evil),
    message(evil),
    message(`${evil}2`),
    { type: "tool_call", data: { ...name, args } },
    {
      type: "tool_result",
      data: { ...name, success: true, output: evil, diff: `+${evil}\n-${evil}`, tries: 1 },
    },
    { type: "tool_call", data: { ...name, tool: "todo_write", args } },
    { type: "tool_result", data: { ...name, tool: "todo_write", success: false, output: evil, tries: 1 } },
    { type: "validation", data: { isComplete: false, confidence: 0, issues: [evil], suggestion: evil } },
    { type: "waiting", data: { ms: 1, why: evil } },
    { type: "delivered", data: { text: evil } },
    {
      type: "usage",
      data: { who: "looper", model: evil, input_tokens: 1, output_tokens: 1, cached_input_tokens: 0 },
    },
    { type: "error", data: { error: evil, reason: evil, status: "error" } },
    { type: "clarify", data: { question: evil, status: "waiting_for_user" } },
    { type: "answer", data: { answer: evil, validated: true, status: "completed" } },
  ];
  const lines = new TalkLines(evil);
  for (const [at, one] of news.entries()) {
    const event = { ...one, timestamp: new Date(0).toISOString(), seq: at + 1 } as ChapoEvent;
    const shown = [
      ...lines.take(event, screen),
      ...lines.live(0, screen),
      lines.footer(screen, "plan"),
      ...lines.wholeOutput(screen),
    ];
    for (const line of shown) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
  }
});
