import { expect, test } from "vitest";
import { editSettingsText, formatOf } from "./edit-settings-text.js";

test("only the setting changes: indentation, order and line ends stay", () => {
  const text =
    '{\r\n\t"loop": {"max_attempts": 2,   "delay_seconds": 1},\r\n\t"todo_file": "t.json"\r\n}\r\n';
  expect(editSettingsText(text, "json", { path: ["loop", "max_attempts"], value: 5 })).toBe(
    text.replace('"max_attempts": 2', '"max_attempts": 5'),
  );
  expect(editSettingsText(text, "json", { path: ["log_dir"], value: "logs" })).toBe(
    text.replace('"t.json"', '"t.json",\r\n\t"log_dir": "logs"'),
  );
  expect(editSettingsText("", "json", { path: ["loop", "max_attempts"], value: 3 })).toBe(
    '{\n  "loop": {\n    "max_attempts": 3\n  }\n}\n',
  );
});

test("a setting that is removed takes the objects along that it leaves empty, and no others", () => {
  const text = '{\n  "agents": {"a": {"env": {"X": "1"}}, "b": {"model": "m"}}\n}\n';
  const left = editSettingsText(text, "json", { path: ["agents", "a", "env", "X"] });
  expect(JSON.parse(left ?? "")).toEqual({ agents: { b: { model: "m" } } });
  expect(editSettingsText(text, "json", { path: ["agents", "c"] })).toBeUndefined();
  expect(JSON.parse(editSettingsText(left ?? "", "json", { path: ["agents", "b", "model"] }) ?? "")).toEqual(
    {},
  );
});

test("package.json keeps all that is not about looper", () => {
  const text = '{\n  "name": "x",\n  "looper": {}\n}\n';
  const edited =
    editSettingsText(text, "package", { path: ["verify", "commands"], value: ["npm test"] }) ?? "";
  expect(JSON.parse(edited)).toEqual({ name: "x", looper: { verify: { commands: ["npm test"] } } });
  expect(edited.startsWith('{\n  "name": "x",\n  "looper": {')).toBe(true);
});

test("YAML keeps its comments", () => {
  const text = "# mine\n\nloop:\n  max_attempts: 2 # few\nverify:\n  # all\n  commands:\n    - a\n";
  expect(editSettingsText(text, "yaml", { path: ["loop", "delay_seconds"], value: 1 })).toBe(
    text.replace("# few\n", "# few\n  delay_seconds: 1\n"),
  );
  expect(editSettingsText(text, "yaml", { path: ["loop", "max_attempts"] })).toBe(
    "# mine\n\nverify:\n  # all\n  commands:\n    - a\n",
  );
  expect(editSettingsText("", "yaml", { path: ["todo_file"], value: "t.json" })).toBe("todo_file: t.json\n");
});

test("the format follows from the name", () => {
  expect(["/p/.looper/config.yml", "/p/package.json", "/p/.looper/config.json"].map(formatOf)).toEqual([
    "yaml",
    "package",
    "json",
  ]);
});
