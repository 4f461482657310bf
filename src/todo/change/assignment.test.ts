import { expect, test } from "vitest";
import { readAssignment, valuesOf } from "./person-edits.js";
import { withValues } from "../model/changes/person-change.js";
import { Task } from "../model/task.js";

const TASK = Task.parse({
  id: "T1",
  title: "a",
  priority: 3,
  status: "todo",
  tags: ["x", "y"],
  details: "long",
});

/** The task after these words. */
function after(...words: string[]): Task {
  return withValues(TASK, valuesOf(TASK, words.map(readAssignment)));
}

test.each([
  [["priority=1", "title=b c"], { priority: 1, title: "b c" }],
  [["status=blocked", "blockers=no key, no door"], { status: "blocked", blockers: ["no key, no door"] }],
  [["tags=a, b,,c"], { tags: ["a", "b", "c"] }],
  [["tags+=z,x", "tags-=y"], { tags: ["x", "z"] }],
  [["steps+=one", "steps+=two\nthree"], { steps: ["one", "two", "three"] }],
  [["depends-on=T2,T3"], { depends_on: ["T2", "T3"] }],
  [["details="], { details: undefined }],
  [["tags=", "tags+=n"], { tags: ["n"] }],
  [["tags-=x,y"], { tags: undefined }],
  [["description=a=b"], { description: "a=b" }],
  [["verify=npm test, and more"], { verify: ["npm test, and more"] }],
])("%j", (words, changed) => {
  const wanted: Record<string, unknown> = { ...TASK, ...changed };
  for (const [key, value] of Object.entries(wanted))
    if (value === undefined) Reflect.deleteProperty(wanted, key);
  expect(after(...words)).toEqual(wanted);
  expect(Object.keys(after(...words)).sort()).toEqual(Object.keys(wanted).sort());
});

test.each([
  ["priority=6", /from 1 to 5/, /1 comes first/],
  ["priority=01", /from 1 to 5/, /./],
  ["status=dome", /not a status/, /did you mean "done"/],
  ["depends_on=T 1", /"T 1" is not an id/, /comma/],
  ["changes+=", /names no pattern/, /changes=/],
  ["changes+= ", /names no pattern/, /changes=/],
  ["changes+=[.]looper/config.json", /is refused: Looper's own files/, /name files/],
  ["changes+=to-do.json", /is refused: the task file/, /name files/],
])("%s is refused", (word, message, hint) => {
  expect(() => after(word)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(hint) as string,
    }),
  );
});

test.each([
  ["priority", /not of the form key=value/, /priority=1/],
  ["prio=1", /no key prio/, /did you mean "priority"/],
  ["colour=red", /no key colour/, /there are: title/],
  ["id=T2", /id is not set by hand/, /title, description/],
  ["meta=1", /not set by hand/, /./],
  ["title+=x", /not a list/, /title=…/],
])("%s cannot be read", (word, message, hint) => {
  expect(() => readAssignment(word)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(hint) as string,
    }),
  );
});
