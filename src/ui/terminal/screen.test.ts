import { expect, test } from "vitest";
import type { Clock } from "../../system/ports.js";
import type { Output } from "../output.js";
import { Screen } from "./screen.js";

function stage() {
  let ticking: (() => void) | undefined;
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    at: () => ({ cancel: () => undefined }),
    after: () => ({ cancel: () => undefined }),
    sleep: () => Promise.resolve(),
    every: (_ms, tick) => {
      ticking = tick;
      return {
        cancel: () => {
          ticking = undefined;
        },
      };
    },
  };
  const written: string[] = [];
  const output: Output = {
    isTerminal: true,
    colour: true,
    columns: () => 20,
    rows: () => 5,
    write: (text) => {
      written.push(text);
      return Promise.resolve();
    },
  };
  const state = { line: "" };
  const screen = new Screen(output, clock, (columns) => state.line.slice(0, columns));
  return { screen, state, written, tick: () => ticking?.() };
}

test("the live line is drawn at a tick, only when it changed, and never fills the last column", () => {
  const { state, written, tick } = stage();
  tick();
  expect(written).toEqual([]);
  state.line = "x".repeat(30);
  tick();
  tick();
  expect(written).toEqual([`\r\u001b[K${"x".repeat(19)}`]);
});

test("lines go above the live line, which comes back below", () => {
  const { screen, state, written, tick } = stage();
  state.line = "live";
  tick();
  screen.print(["one", "two"]);
  expect(written.slice(1)).toEqual(["\r\u001b[Kone\ntwo\n", "\r\u001b[Klive"]);
});

test("a question has the terminal for itself, and the end leaves a clean line", async () => {
  const { screen, state, written, tick } = stage();
  state.line = "live";
  tick();
  const answer = await screen.without(() => {
    tick();
    return Promise.resolve("yes");
  });
  expect(answer).toBe("yes");
  expect(written).toEqual(["\r\u001b[Klive", "\r\u001b[K"]);
  tick();
  screen.stop();
  tick();
  screen.print(["after"]);
  expect(written.slice(2)).toEqual(["\r\u001b[Klive", "\r\u001b[K", "after\n"]);
});

test("nothing is printed below a question: what a run says meanwhile, such as another question, comes after the answer", async () => {
  const { screen, written } = stage();
  await screen.without(() => {
    screen.print(["T3 asks"]);
    expect(written).toEqual([]);
    return Promise.resolve();
  });
  expect(written).toEqual(["T3 asks\n"]);
  const unanswered = screen.without(() => new Promise(() => undefined));
  screen.print(["over"]);
  screen.stop();
  expect(written.slice(1)).toEqual(["over\n"]);
  void unanswered;
});
