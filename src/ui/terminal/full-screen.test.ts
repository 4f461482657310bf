import { expect, test } from "vitest";
import type { Output } from "../output.js";
import { FullScreen } from "./screen.js";

function terminal(rows: number): { screen: FullScreen; written: string[] } {
  const written: string[] = [];
  const output: Output = {
    isTerminal: true,
    colour: true,
    columns: () => 20,
    rows: () => rows,
    write: (text) => {
      written.push(text);
      return Promise.resolve();
    },
  };
  return { screen: new FullScreen(output), written };
}

test("the other screen is entered once, drawn only when it changes, and left with its cursor", async () => {
  const { screen, written } = terminal(5);
  await screen.draw(["one", "two"]);
  await screen.draw(["one", "two"]);
  await screen.draw(["one"]);
  screen.leave();
  screen.leave();
  expect(written).toEqual([
    "\u001b[?1049h\u001b[?25l\u001b[Hone\u001b[K\r\ntwo\u001b[K\u001b[J",
    "\u001b[Hone\u001b[K\u001b[J",
    "\u001b[?25h\u001b[?1049l",
  ]);
});

test("where it does not fit, the last row says how much is not shown; nothing scrolls", async () => {
  const { screen, written } = terminal(3);
  await screen.draw(["1", "2", "3", "4", "5"]);
  const [text = ""] = written;
  expect(text.split("\r\n").length).toBe(3);
  expect(text).toContain("… 3 more");
  expect(text).not.toContain("\n\u001b[J");
});
