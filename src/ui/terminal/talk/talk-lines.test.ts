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
