// Programs that a build file runs itself, and whose output decides how checks are built.
import { expect, test } from "vitest";
import { kindsOf, type Texts } from "../../testing/classified.js";

const C: Texts = {
  "src/add.c": "int add(int a, int b) { return a - b; }\n",
  "src/flags.sh": "echo -DX=1\n",
  "test/main.c": "",
};
const RULE = ".PHONY: test\ntest:\n\t$(CC) $(CFLAGS) -o run src/*.c test/*.c\n\t./run\n";

test.each([
  ["a function of make", `CFLAGS = -Isrc $(shell sh src/flags.sh)\n${RULE}`],
  ["an assignment of make", `CFLAGS != sh ./src/flags.sh\n${RULE}`],
  ["a function of make that starts it", `CFLAGS = $(shell cd . && ./src/flags.sh -v)\n${RULE}`],
  ["the arguments of a compiler", "test:\n\t$(CC) $$(sh src/flags.sh) -o run src/*.c test/*.c\n\t./run\n"],
  ["a program that a function of make reads", `CFLAGS = $(shell python3 src/flags.sh)\n${RULE}`],
])("a script of the program that runs in %s is a check", (_, makefile) => {
  const before = { ...C, Makefile: makefile };
  const after = { "src/flags.sh": "echo -DNDEBUG\n", "src/add.c": "int add;" };
  expect(kindsOf({ commands: ["make test"] }, before, after)).toEqual({
    "src/flags.sh": "check",
    "src/add.c": "source",
  });
});

test("a script that the command itself asks for flags is a check", () => {
  const command = "cc $(sh src/flags.sh) -o run src/*.c test/*.c && ./run";
  expect(kindsOf({ commands: [command] }, C, { "src/flags.sh": "echo -DNDEBUG\n" })).toEqual({
    "src/flags.sh": "check",
  });
});

test("a program whose output a check compares stays source", () => {
  const before = { "src/add.sh": "echo 1\n", "check.sh": '[ "$(sh src/add.sh)" = 5 ]\n' };
  expect(kindsOf({ commands: ["sh check.sh"] }, before, { "src/add.sh": "echo 5\n" })).toEqual({
    "src/add.sh": "source",
  });
});
