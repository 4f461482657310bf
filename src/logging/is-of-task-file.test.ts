import { expect, test } from "vitest";
import { isOfTaskFile } from "./is-of-task-file.js";

const here = { folder: "/new/shop", logDir: "/new/shop/looper-logs", todoFile: "/new/shop/to-do.json" };
const before = { project: "/old/shop", todo_file: "/old/shop/to-do.json" };

test("a run of this task file, whatever the log folder", () => {
  const shared = { ...here, logDir: "/var/logs" };
  expect(isOfTaskFile({ project: "/elsewhere", todo_file: here.todoFile }, shared)).toBe(true);
});

test("a run from before the project was moved or copied, if its logs came along", () => {
  expect(isOfTaskFile(before, here)).toBe(true);
  expect(isOfTaskFile({ ...before, todo_file: "/old/shop/other.json" }, here)).toBe(false);
  expect(isOfTaskFile(before, { ...here, logDir: "/var/logs" })).toBe(false);
  expect(isOfTaskFile(before, { ...here, logDir: "/new" })).toBe(false);
});

test("a log that names no project, or none at all", () => {
  expect(isOfTaskFile({ todo_file: "/old/shop/to-do.json" }, here)).toBe(false);
  expect(isOfTaskFile({}, here)).toBe(false);
});
