import { expect, test } from "vitest";
import type { Question } from "../../../workflow/progress.js";
import { questionsAbout } from "./stages.js";

const asked = (at: string): Question => ({
  ...{ id: "T1.2", source: "stage", text: "Go?", outcomes: ["yes", "no"] },
  asked_at: at,
});
const progress = { workflow: "w", digest: "d", stage: "look", visit: 2, since: "2026-11-24T08:00:00.000Z" };
const by = { by: "ada", via: "cli" as const, at: "2026-11-24T09:00:00.000Z" };
const logged = { task: "T1", question: asked("2026-11-24T08:00:00.000Z"), stage: "look" };

test("a question is listed once, although its row is written a moment after the decision", () => {
  const row = { ...progress, question: asked("2026-11-24T08:00:00.700Z") };
  const found = questionsAbout({ progress: row }, { asked: [logged], answers: [] });
  expect(found).toEqual([{ question: row.question, stage: "look", visit: 2, answer: null }]);
});

test("a question of an earlier pass with the same id stays", () => {
  const row = { ...progress, question: asked("2026-11-24T12:00:00.000Z") };
  expect(questionsAbout({ progress: row }, { asked: [logged], answers: [] })).toHaveLength(2);
});

test("the remark of an answer is that of the row where the log has none", () => {
  const row = {
    ...progress,
    answers: [{ question: "T1.2", outcome: "yes", comment: "keep it small", ...by }],
  };
  const answers = [{ task: "T1", question: "T1.2", outcome: "yes", ...by }];
  const [one] = questionsAbout({ progress: row }, { asked: [logged], answers });
  expect(one?.answer).toMatchObject({ by: "ada", comment: "keep it small" });
});
