import { expect, test } from "vitest";
import { readGithubName } from "./github.js";

test.each([
  ["https://github.com/a/b.git", "a/b"],
  ["https://token@github.com/a/b", "a/b"],
  ["git@github.com:a/b.c.git", "a/b.c"],
  ["ssh://git@ssh.github.com:443/a/b.git", "a/b"],
  ["https://github.com.evil.org/a/b", undefined],
  ["https://gitlab.com/github.com/b", undefined],
  ["/srv/github.com/a/b", undefined],
  ["https://github.com/a", undefined],
])("%s: %s", (url, expected) => {
  expect(readGithubName({ url, resolved: "/elsewhere" })).toBe(expected);
});

test("a URL that insteadOf rewrites to github.com is recognised", () => {
  expect(readGithubName({ url: "gh:a/b", resolved: "git@github.com:a/b.git" })).toBe("a/b");
});
