import { expect, test } from "vitest";
import { editSettingsText } from "./edit-settings-text.js";

test("only the setting changes: indentation, order and line ends stay", () => {
  const text =
    '{\r\n\t"loop": {"max_attempts": 2,   "delay_seconds": 1},\r\n\t"todo_file": "t.json"\r\n}\r\n';
  expect(editSettingsText(text, { path: ["loop", "max_attempts"], value: 5 })).toBe(
    text.replace('"max_attempts": 2', '"max_attempts": 5'),
  );
  expect(editSettingsText(text, { path: ["log_dir"], value: "logs" })).toBe(
    text.replace('"t.json"', '"t.json",\r\n\t"log_dir": "logs"'),
  );
  expect(editSettingsText("", { path: ["loop", "max_attempts"], value: 3 })).toBe(
    '{\n  "loop": {\n    "max_attempts": 3\n  }\n}\n',
  );
});

test("a setting that is removed takes the objects along that it leaves empty, and no others", () => {
  const text = '{\n  "agents": {"a": {"env": {"X": "1"}}, "b": {"model": "m"}}\n}\n';
  const left = editSettingsText(text, { path: ["agents", "a", "env", "X"] });
  expect(JSON.parse(left ?? "")).toEqual({ agents: { b: { model: "m" } } });
  expect(editSettingsText(text, { path: ["agents", "c"] })).toBeUndefined();
  expect(JSON.parse(editSettingsText(left ?? "", { path: ["agents", "b", "model"] }) ?? "")).toEqual({});
});
