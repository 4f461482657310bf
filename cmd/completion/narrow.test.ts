import { expect, test } from "vitest";
import { narrow, type Wanted } from "./narrow.js";

function narrowed(completes: Parameters<typeof narrow>[1], typed: string, used: string[] = []): Wanted {
  return narrow({ lead: "", typed, used, words: [], dashIsFlag: true }, completes);
}

test("a list is completed at its last item, and none is offered twice", () => {
  expect(narrowed("tasks", "T1,T")).toMatchObject({ kind: "task", lead: "T1,", typed: "T", used: ["T1"] });
  expect(narrowed("agents", "")).toMatchObject({ kind: "agent", lead: "", typed: "", used: [] });
});

test.each<[string, Partial<Wanted>]>([
  ["status=do", { kind: "status", lead: "status=", typed: "do", more: false }],
  ["depends-on+=T1,T", { kind: "task", lead: "depends-on+=T1,", typed: "T", used: ["T1"] }],
  ["depends_on=", { kind: "task", lead: "depends_on=", typed: "" }],
  ["tags-=a,b", { kind: "tag", lead: "tags-=a,", typed: "b", used: ["a"] }],
  ["agent=c", { kind: "agent", lead: "agent=", typed: "c" }],
  ["priority=", { kind: "priority", lead: "priority=" }],
  ["files=a=b", { kind: "file", lead: "files=", typed: "a=b" }],
])("set … %s", (typed, wanted) => {
  expect(narrowed("assignment", typed, ["T1"])).toMatchObject(wanted);
});

test("a key is followed by its value at once; a text is only a person's to know", () => {
  const keys = narrowed("assignment", "st");
  expect(keys.more).toBe(true);
  expect(keys.words).toContainEqual({ value: "depends-on=" });
  expect(narrowed("assignment", "depends_").words).toContainEqual({ value: "depends_on=" });
  expect(narrowed("assignment", "title=x")).not.toHaveProperty("kind");
  expect(narrowed("assignment", "constructor=x")).not.toHaveProperty("kind");
});
