import { expect, test } from "vitest";
import { createTestConversation } from "../testing/engine-world.js";
import { keepAround, type CheckpointPlace } from "./checkpoints.js";

test("files are kept once before the first call that may change something and once after, and not for talk", async () => {
  const done: string[] = [];
  const trees = {
    keep: (_session: string, name: string) => Promise.resolve(void done.push(name)),
    takeBack: () => Promise.reject(new Error("nothing is taken back")),
  };
  const session = {
    id: "s1",
    part: () => ({ read: () => Promise.resolve(undefined), write: () => Promise.resolve() }),
  };
  const place = {
    ...{ session, trees: () => Promise.resolve(trees), redact: (text: string) => text },
    onWarning: (text: string) => done.push(text),
  } as unknown as CheckpointPlace & { onWarning: (text: string) => void };
  const around = { conversation: createTestConversation(), message: { text: "Go", prompt: "Go" } };
  await keepAround(place, around, async (keepFiles) => {
    done.push("asked");
    await keepFiles();
    await keepFiles();
    done.push("called");
  });
  expect(done).toEqual(["asked", "1-1-before", "called", "1-1-after"]);
  await keepAround(place, around, () => Promise.resolve());
  expect(done).toHaveLength(4);
});
