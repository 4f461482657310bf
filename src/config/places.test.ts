import { expect, test } from "vitest";
import { settingsPaths, stateFolder, userFiles } from "./places.js";
import { resolveSettings } from "./resolve.js";
import { readJsonSettings } from "./settings-text.js";

function paths(project: unknown, env: Record<string, string> = {}) {
  const file = readJsonSettings("p.json", JSON.stringify(project));
  const { settings } = resolveSettings({ project: file, env: {}, flags: {} });
  return settingsPaths(settings, { project: "/p", home: "/h", env });
}

test("paths are relative to the project, ~ is the home folder", () => {
  expect(paths({})).toEqual({ todoFile: "/p/to-do.json", logDir: "/p/looper-logs", prompts: {} });
  expect(
    paths({ todo_file: "a/b.json", schema_file: "/s.json", env_file: "~/.env", prompts: { review: "r.md" } }),
  ).toEqual({
    todoFile: "/p/a/b.json",
    schemaFile: "/s.json",
    logDir: "/p/looper-logs",
    envFile: "/h/.env",
    prompts: { review: "/p/r.md" },
  });
});

test("log_dir expands ~ and variables, and refuses one that is not set", () => {
  expect(paths({ log_dir: "~/logs" }).logDir).toBe("/h/logs");
  expect(paths({ log_dir: "$A/${B}_x" }, { A: "/a", B: "b" }).logDir).toBe("/a/b_x");
  expect(() => paths({ log_dir: "$NOPE/x" })).toThrow("$NOPE is not set");
});

test("XDG folders count when they are absolute", () => {
  expect(userFiles({}, "/h")[0]).toBe("/h/.config/looper/config.json");
  expect(userFiles({ XDG_CONFIG_HOME: "/x" }, "/h")[0]).toBe("/x/looper/config.json");
  expect(userFiles({ XDG_CONFIG_HOME: "x" }, "/h")[0]).toBe("/h/.config/looper/config.json");
  expect(stateFolder({}, "/h")).toBe("/h/.local/state/looper");
  expect(stateFolder({ XDG_STATE_HOME: "/s" }, "/h")).toBe("/s/looper");
});
