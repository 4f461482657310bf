import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { test } from "../../../git/testing/scratch.js";
import { openStore } from "../../../todo/store/store.js";
import { noteStart } from "./keep-attempt.js";
import { createMemory } from "../world.js";

test("the whole backlog is noted at the start of a run while an editor rewrites the file", async ({
  scratch,
}) => {
  const file = path.join(scratch.top, "to-do.json");
  const whole = JSON.stringify({ schema_version: 1, source_files: [], tasks: [] });
  writeFileSync(file, "");
  const clock = {
    ...scratch.ports.clock,
    sleep: (): Promise<void> => {
      writeFileSync(
        file,
        whole.replace("[]}", '[{"id":"T1","title":"Do it","priority":1,"status":"todo"}]}'),
      );
      return Promise.resolve();
    },
  };
  const store = openStore({ ...scratch.ports, clock }, file, {
    lockFolder: path.join(scratch.top, ".git", "looper"),
  });
  const memory = createMemory();
  await noteStart({ store, repo: await scratch.open(), memory });
  expect(memory.start?.backlog.toString()).toBe(readFileSync(file, "utf8"));
  expect(readFileSync(file, "utf8")).toContain("T1");
});
