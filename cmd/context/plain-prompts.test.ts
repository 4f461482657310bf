import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { plainPrompts, type Prompts } from "./plain-prompts.js";

const options = [
  { value: "a", label: "Alpha", hint: "first" },
  { value: "b", label: "Beta" },
];

/** The answer to a question for which these lines are typed, and the printed text. */
async function play(typed: string, ask: (prompts: Prompts, output: PassThrough) => Promise<unknown>) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const asked = ask(plainPrompts(input), output);
  input.end(typed);
  return { answer: await asked, printed: String(output.read()) };
}

const pick = (prompts: Prompts, output: PassThrough) =>
  prompts.select({ message: "Which?", options, output });
const pickSome = (prompts: Prompts, output: PassThrough) =>
  prompts.multiselect({ message: "Which?", options, initialValues: ["a"], required: false, output });
const confirm = (prompts: Prompts, output: PassThrough) =>
  prompts.confirm({ message: "Go?", initialValue: false, output });
const type = (prompts: Prompts, output: PassThrough) =>
  prompts.text({ message: "You", placeholder: "example", defaultValue: "", output });

test("a question is a printed line and a typed one, without a sequence that moves the cursor", async () => {
  expect(await play("y\n", confirm)).toEqual({ answer: true, printed: "Go? (y/N) " });
  expect(await play("\n", confirm)).toMatchObject({ answer: false });
  expect(await play(" hello \n", type)).toEqual({ answer: " hello ", printed: "You: " });
  expect(await play("2\n", pick)).toEqual({
    answer: "b",
    printed: "  1 Alpha (first)\n  2 Beta\nWhich? (1) ",
  });
  expect(await play("\n", pick)).toMatchObject({ answer: "a" });
  expect(await play("2, 1\n", pickSome)).toMatchObject({ answer: ["b", "a"] });
  expect(await play("0\n", pickSome)).toMatchObject({ answer: [] });
});

test("the end of the input and an aborted signal cancel", async () => {
  expect(typeof (await play("", type)).answer).toBe("symbol");
  expect(typeof (await play("9", pickSome)).answer).toBe("symbol");
  const stop = new AbortController();
  const asked = plainPrompts(new PassThrough()).confirm({
    ...{ message: "Go?", initialValue: false, signal: stop.signal },
  });
  stop.abort();
  expect(typeof (await asked)).toBe("symbol");
});
