import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../../../src/system/processes/node-ports.js";
import { openHistory } from "./input.js";

test("a line is recalled at once, and written when the history is saved", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "history-"));
  const open = () => openHistory(nodePorts().files, folder, (text) => text.replace("secret", "[redacted]"));
  const history = open();
  await history.save();
  for (const line of ["one", "a secret", "one"]) await history.add(line);
  expect(await history.read()).toEqual(["a [redacted]", "one"]);
  expect(readdirSync(folder)).toEqual([]);
  await history.save();
  expect(await open().read()).toEqual(["a [redacted]", "one"]);
  rmSync(folder, { recursive: true });
});
