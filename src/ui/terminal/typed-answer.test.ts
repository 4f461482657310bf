import { expect, test } from "vitest";
import type { Question } from "../../workflow/progress.js";
import { promptText, readTyped } from "./typed-answer.js";

const PLAN: Question = {
  id: "T1.3",
  source: "stage",
  text: "Carry out this plan?",
  outcomes: ["approve", "edit", "revise", "reject"],
  edits: "plan",
  asked_at: "2026-11-23T18:00:00Z",
};
const TESTS: Question = { ...PLAN, outcomes: ["yes", "no"] };
const FREE: Question = { ...PLAN, source: "agent", outcomes: [] };

test.each([
  ["y", { how: "outcome", outcome: "approve", remark: "" }],
  ["YES looks good ", { how: "outcome", outcome: "approve", remark: "looks good" }],
  ["n too  risky", { how: "outcome", outcome: "reject", remark: "too  risky" }],
  ["revise", { how: "outcome", outcome: "revise", remark: "" }],
  ["e", { how: "again", why: "in another shell: looper answer T1.3 edit --edit FILE" }],
  ["edit", { how: "again", why: "in another shell: looper answer T1.3 edit --edit FILE" }],
  ["revize", { how: "again", why: "revize is not an answer; did you mean revise?" }],
  ["zzz", { how: "again", why: "zzz is not an answer; type y (approve), n (reject), edit, revise" }],
  ["", { how: "again", why: "type y (approve), n (reject), edit, revise; Ctrl-D leaves it open" }],
])("%j at a plan is read as %j", (line, typed) => {
  expect(readTyped(line, PLAN)).toEqual(typed);
});

test("y and n are yes and no where these are the outcomes", () => {
  expect(readTyped("n", TESTS)).toEqual({ how: "outcome", outcome: "no", remark: "" });
  expect(promptText(TESTS)).toBe("y, n; a remark may follow");
});

test("a question without outcomes takes any text, also one that looks like a word", () => {
  expect(readTyped("n", FREE)).toEqual({ how: "text", text: "n" });
  expect(promptText(FREE)).toBe("Your answer");
});
