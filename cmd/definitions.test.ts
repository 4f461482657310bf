import { expect, test } from "vitest";
import { COMMANDS } from "./definitions.js";

const shown = COMMANDS.filter(({ hidden }) => hidden !== true);

test("help has two examples of each command that takes words or flags", () => {
  const poor = shown.filter(({ flags, operands, examples = [] }) => {
    return flags.length + operands.length > 0 && examples.length < 2;
  });
  expect(poor.map(({ name }) => name)).toEqual([]);
});

test("an example is of its own command, and says what it does in a line", () => {
  const strange = shown.flatMap(({ name, examples = [] }) =>
    examples.filter(
      ({ line, says }) => !line.includes(`looper ${name}`) || says === "" || /[\n.]$/.test(says),
    ),
  );
  expect(strange).toEqual([]);
});
