import { expect, test } from "vitest";
import { explainExhausted, startFailure } from "./exhausted.js";

const failed = (code: string): Error => Object.assign(new Error(`spawn git ${code}`), { code });

test.each([
  ["EMFILE", "ulimit -n"],
  ["ENFILE", "fs.file-max"],
  ["EAGAIN", "ulimit -u"],
  ["ENOMEM", "ulimit -v"],
])("%s at the start of a program is an environment error that names %s", (code, limit) => {
  expect(startFailure("git", failed(code))).toMatchObject({
    kind: "environment",
    message: expect.stringMatching(new RegExp(`^cannot start git: .*\\(${code}\\)$`)) as string,
    hint: expect.stringContaining(limit) as string,
  });
});

test("errors that mean no limit stay as they are", () => {
  for (const other of [failed("ENOENT"), new TypeError("x is not a function"), "text"])
    expect(startFailure("git", other)).toBe(other);
  expect(explainExhausted(failed("ENOSPC"))).toBeUndefined();
});
