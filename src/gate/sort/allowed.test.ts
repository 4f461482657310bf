import { expect, test } from "vitest";
import { matchAllowed } from "./files.js";

test.each([
  ["app/test/a.js", true],
  ["app/sub/b.json", true],
  ["app/src/a.js", false],
  ["test/a.js", false],
  ["app/.looper/config.json", false],
  ["app/looper.config.json", false],
  ["app/sub/.looper/config.json", false],
])("%s is allowed by patterns of the project in app: %s", (path, isAllowed) => {
  expect(matchAllowed(["test/", "*.json"], "app")(path)).toBe(isAllowed);
});

test("without patterns nothing is allowed", () => {
  expect(matchAllowed([], "")("a.js")).toBe(false);
});
