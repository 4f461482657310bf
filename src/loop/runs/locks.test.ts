import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { takeRunLocks } from "./locks.js";

let root = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "locks-"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

test.each([
  ["beside the task file", "file", "git"],
  ["in the git folder", "good", "file"],
])("a lock that cannot be written %s is an error that names that folder", async (_place, lockDir, gitDir) => {
  // Root may write everywhere, but a file cannot be a folder.
  writeFileSync(path.join(root, "file"), "");
  const folder = path.join(root, "file");
  const project = { realTodoFile: path.join(root, "to-do.json"), lockDir: path.join(root, lockDir) };
  await expect(takeRunLocks(nodePorts(), project, { gitDir: path.join(root, gitDir) })).rejects.toMatchObject(
    {
      kind: "environment",
      message: expect.stringContaining(`cannot write the lock of this run in ${folder}: `) as string,
      hint: `make ${folder} writable, or free some space`,
    },
  );
});
