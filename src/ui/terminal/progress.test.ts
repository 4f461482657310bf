// The lines during a run, for events of a size that no run should print whole. rendering.test.ts has whole runs.
import { expect, test } from "vitest";
import { id } from "../../todo/testing/testing.js";
import { PLAIN } from "../colours.js";
import { sealAll, started } from "../testing/testing.js";
import { fold, NOTHING } from "../view/view.js";
import { progressNotes } from "./progress.js";

test("an edit of very many tasks is one short line", () => {
  const added = Array.from({ length: 100_000 }, (_, nth) => id(`Z${nth}`));
  const back = added.map((one) => `status of ${one}`);
  const [start, event] = sealAll(started(), { type: "backlog_edited", added, changed: [], put_back: back });
  if (start === undefined || event === undefined) throw new Error("two events");
  const before = fold(NOTHING, start);
  const look = { titles: new Map<string, string>(), colours: PLAIN, live: false };
  const notes = progressNotes({ before, event, after: fold(before, event) }, look);
  const [line = ""] = notes.flatMap(({ lines }) => lines);
  expect(line).toContain(
    "new: Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9 and 99,990 more; put back: status of Z0; ",
  );
  expect(line.length).toBeLessThan(400);
});
