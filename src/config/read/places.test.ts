import { expect, test } from "vitest";
import { settingsPaths, findStateFolder, listUserFiles } from "./places.js";
import { resolveSettings } from "./resolve.js";
import { readJsonSettings } from "./settings-text.js";

function paths(project: unknown, env: Record<string, string> = {}) {
  const file = readJsonSettings("p.json", JSON.stringify(project));
  const resolved = resolveSettings({ project: file, env: {}, flags: {} });
  return settingsPaths(resolved, { project: "/p", home: "/h", env });
}

test("paths are relative to the project, ~ is the home folder", () => {
  const promptFolders = ["/p/.looper/prompts", "/h/.config/looper/prompts"];
  expect(paths({})).toEqual({
    todoFile: "/p/to-do.json",
    logDir: "/p/looper-logs",
    tasksDir: "/p/.looper/tasks",
    prompts: {},
    promptFolders,
    userFolder: "/h/.config/looper",
  });
  expect(
    paths({ todo_file: "a/b.json", schema_file: "/s.json", env_file: "~/.env", prompts: { review: "r.md" } }),
  ).toEqual({
    todoFile: "/p/a/b.json",
    schemaFile: "/s.json",
    logDir: "/p/looper-logs",
    tasksDir: "/p/.looper/tasks",
    envFile: "/h/.env",
    prompts: { review: "/p/r.md" },
    promptFolders,
    userFolder: "/h/.config/looper",
  });
});

test("log_dir expands ~ and variables, and refuses one that is not set", () => {
  expect(paths({ log_dir: "~/logs" }).logDir).toBe("/h/logs");
  expect(paths({ log_dir: "$A/${B}_x" }, { A: "/a", B: "b" }).logDir).toBe("/a/b_x");
  expect(() => paths({ log_dir: "$NOPE/x" })).toThrow("$NOPE is not set");
});

test.each([
  [{ log_dir: ".git" }, "log_dir: it is inside .git"],
  [{ log_dir: "./.git/hooks" }, "log_dir: it is inside .git"],
  [{ log_dir: "$G/logs" }, "log_dir: it is inside .git"],
  [{ log_dir: "sub/.GIT/x" }, "log_dir: it is inside .git"],
  [{ log_dir: "../.git" }, "log_dir: it is inside .git"],
  [{ todo_file: ".git/to-do.json" }, "todo_file: it is inside .git"],
  [{ agents: { codex: { last_message: ".git/x" } } }, "agents.codex.last_message: it is inside .git"],
  [{ agents: { codex: { work_dir: ".git" } } }, "agents.codex.work_dir: it is inside .git"],
  [{ log_dir: "." }, "log_dir: it is the project's own folder"],
  [{ log_dir: "/p/sub/.." }, "log_dir: it is the project's own folder"],
  [{ log_dir: ".." }, "log_dir: the project is inside it"],
  [{ log_dir: "/" }, "log_dir: the project is inside it"],
  [{ log_dir: "to-do.json" }, "log_dir: it is the task file"],
])("%j is refused, with the file and line", (project, why) => {
  expect(() => paths(project, { G: "/p/.git" })).toThrow(`as ${why}`);
  expect(() => paths(project, { G: "/p/.git" })).toThrow(/^p\.json:1: cannot use/);
});

test("names that only look like .git are accepted", () => {
  expect(paths({ log_dir: ".github/logs" }).logDir).toBe("/p/.github/logs");
  expect(paths({ log_dir: "..logs" }).logDir).toBe("/p/..logs");
});

test("XDG folders count when they are absolute", () => {
  expect(listUserFiles({}, "/h")[0]).toBe("/h/.config/looper/config.json");
  expect(listUserFiles({ XDG_CONFIG_HOME: "/x" }, "/h")[0]).toBe("/x/looper/config.json");
  expect(listUserFiles({ XDG_CONFIG_HOME: "x" }, "/h")[0]).toBe("/h/.config/looper/config.json");
  expect(findStateFolder({}, "/h")).toBe("/h/.local/state/looper");
  expect(findStateFolder({ XDG_STATE_HOME: "/s" }, "/h")).toBe("/s/looper");
});
