// How new text is laid out beside what is there. Leaves where it goes to edit.test.ts.
import { expect, test } from "vitest";
import type { Change } from "../model/changes/change.js";
import { editBacklog } from "./edit.js";
import { joinText, readText } from "./file-text.js";
import { isBacklog } from "../check/shape.js";
import { backlog, id, task } from "../testing/testing.js";
import type { Backlog } from "../model/task.js";
import { applyChanges } from "../change/update.js";

const NOW = "2026-11-20T21:46:01.000Z";

/** The text of an edit that makes one backlog of another. */
function turned(text: string, after: (before: Backlog) => Backlog): string {
  const before: unknown = JSON.parse(text);
  if (!isBacklog(before)) throw new Error("not a backlog");
  return joinText(editBacklog(readText(text).file, before, after(before)));
}

function changed(text: string, ...changes: Change[]): string {
  return turned(text, (before) => applyChanges(before, changes, NOW).backlog);
}

const addOne: Change = {
  op: "add",
  keepVerify: false,
  tasks: [{ title: "New", steps: ["a", "b"], tags: ["x"] }],
};

const onLines = `{
  "schema_version": 1,
  "source_files": [],
  "tasks": [
    {
      "id": "T1",
      "title": "a",
      "priority": 1,
      "status": "doing",
      FILES
    },

    {
      "id": "T2",
      "title": "b",
      "priority": 1,
      "status": "todo"
    }
  ]
}
`;

test.each([
  ["on one line", ['"files": ["x", "y"]', '"files": ["x", "y", "z", "w"]', '["a", "b"]', '["x"]']],
  ["on one line, with spaces", ['"files": [ "x" ]', '"files": ["x", "z", "w"]', '["a", "b"]', '["x"]']],
  [
    "on lines of their own",
    [
      '"files": [\n        "x",\n        "y"\n      ]',
      '"files": [\n        "x",\n        "y",\n        "z",\n        "w"\n      ]',
      '[\n        "a",\n        "b"\n      ]',
      '[\n        "x"\n      ]',
    ],
  ],
] as const)(
  "arrays stand %s: those that change, and those that are new",
  (_, [files, after, steps, tags]) => {
    const text = onLines.replace("FILES", files);
    const finish: Change = {
      op: "finish",
      id: id("T1"),
      result: "ok",
      files: ["z", "w"],
      verdict: "unverified",
    };
    const block: Change = { op: "block", id: id("T2"), blockers: ["a", "b"] };
    expect(changed(text, finish, block, addOne)).toBe(
      text
        .replace('"doing"', '"done"')
        .replace(
          files,
          `${after},\n      "result": "ok",\n      "updated_at": "${NOW}",\n      "meta": {\n        "verdict": "unverified"\n      }`,
        )
        .replace(
          '"todo"\n    }',
          `"blocked",\n      "blockers": ${steps},\n      "updated_at": "${NOW}"\n    },

    {
      "id": "T3",
      "title": "New",
      "priority": 3,
      "status": "todo",
      "steps": ${steps},
      "tags": ${tags},
      "created_at": "${NOW}",
      "updated_at": "${NOW}"
    }`,
        ),
    );
  },
);

test("where two tasks differ in their arrays, a new one is written like the later; one of a task's own comes first", () => {
  const text = `{"schema_version": 1, "source_files": [], "tasks": [
{
  "id": "T1", "title": "a", "priority": 1, "status": "todo",
  "steps": [
    "x"
  ]
},
{
  "id": "T2", "title": "b", "priority": 1, "status": "todo",
  "steps": ["x"]
},
{
  "id": "T3", "title": "c", "priority": 1, "status": "todo"
}
]}`;
  const block = (name: string): Change => ({ op: "block", id: id(name), blockers: ["no"] });
  const result = changed(text, block("T1"), block("T3"), addOne);
  expect(result.match(/"blockers": \[[^\]]*\]/g)).toEqual([
    '"blockers": [\n    "no"\n  ]',
    '"blockers": ["no"]',
  ]);
  expect(result).toContain('"steps": ["a", "b"]');
});

test("without any indentation a list is indented by two spaces; what comes behind a line is what its neighbours have", () => {
  const text = JSON.stringify(backlog(task("T1", { status: "doing" })), null, 2).replaceAll(/^ +/gm, "");
  const finish: Change = { op: "finish", id: id("T1"), result: "", files: ["x"], verdict: "unverified" };
  expect(changed(text, finish)).toContain('"status": "done",\n"files": [\n  "x"\n],\n"updated_at"');
});

test("a key of the root is written like its neighbours, and behind the one it belongs behind", () => {
  const text = '{\n  "source_files": ["a"],\n  "schema_version": 1,\n  "tasks": []\n}';
  const after = turned(text, (before) => ({
    ...before,
    project: { name: "x" },
    meta: { list: [1, null], none: {} },
  }));
  expect(after).toBe(`{
  "source_files": ["a"],
  "schema_version": 1,
  "project": {
    "name": "x"
  },
  "tasks": [],
  "meta": {
    "list": [1, null],
    "none": {}
  }
}`);
});
