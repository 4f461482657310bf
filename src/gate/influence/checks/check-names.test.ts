import { expect, test } from "vitest";
import { namesCheck } from "./check-names.js";

test.each([
  ["test/a.js", true],
  ["src/a.test.ts", true],
  ["test/README.md", false],
  ["package.json", true],
  ["packages/x/tsconfig.build.json", true],
  ["vitest.config.ts", true],
  [".github/workflows/ci.yml", true],
  ["src/a.ts", false],
  ["README.md", false],
  ["checks/run.sh", true],
  ["test/data/big.json", false],
])("%s is named like a check: %s", (path, isCheck) => {
  expect(namesCheck(["checks/", "!test/data/"])(path)).toBe(isCheck);
});
