import { expect, test } from "vitest";
import { chooseSettings, type AcpWishes } from "./acp-host.js";

const modes = (current: string, ...ids: string[]): object => ({
  modes: { currentModeId: current, availableModes: ids.map((id) => ({ id, name: id })) },
});
const option = (category: string, currentValue: string, ...values: string[]): object => ({
  configOptions: [
    {
      id: `${category}-id`,
      category,
      type: "select",
      currentValue,
      options: values.map((value) => ({ value })),
    },
  ],
});
const choose = (session: unknown, more: Partial<AcpWishes> = {}): unknown =>
  chooseSettings("s1", session, { permissions: "read-only", ...more }).calls.map(({ method, params }) =>
    [method, ...Object.values(params).slice(1)].join(" "),
  );

test.each<[string, object, AcpWishes["permissions"], string[]]>([
  [
    "codex, read-only",
    modes("agent", "read-only", "workspace-write", "agent-full-access"),
    "read-only",
    ["session/set_mode read-only"],
  ],
  [
    "codex, workspace",
    modes("agent", "read-only", "workspace-write", "agent-full-access"),
    "workspace",
    ["session/set_mode workspace-write"],
  ],
  [
    "codex, full",
    modes("agent", "read-only", "workspace-write", "agent-full-access"),
    "full",
    ["session/set_mode agent-full-access"],
  ],
  [
    "claude, read-only",
    modes("default", "default", "acceptEdits", "plan", "bypassPermissions"),
    "read-only",
    ["session/set_mode plan"],
  ],
  ["claude, already so", modes("default", "default", "plan"), "workspace", []],
  [
    "claude, set to more by its own settings",
    modes("bypassPermissions", "default", "plan"),
    "workspace",
    ["session/set_mode default"],
  ],
  ["gemini, full", modes("default", "default", "yolo"), "full", []],
  [
    "opencode, read-only",
    option("mode", "build", "build", "plan"),
    "read-only",
    ["session/set_config_option mode-id plan"],
  ],
  ["opencode, already so", option("mode", "plan", "build", "plan"), "read-only", []],
  ["no modes", {}, "read-only", []],
])("the mode: %s", (_name, session, permissions, calls) => {
  expect(choose(session, { permissions })).toEqual(calls);
});

test("the model, by either way there is; the effort", () => {
  expect(choose(option("model", "a", "a", "b"), { model: "b" })).toEqual([
    "session/set_config_option model-id b",
  ]);
  expect(choose({ models: { availableModels: [] } }, { model: "b" })).toEqual(["session/set_model b"]);
  expect(choose(option("thought_level", "low"), { reasoning: "high" })).toEqual([
    "session/set_config_option thought_level-id high",
  ]);
});

test("what cannot be chosen is said, whatever was answered", () => {
  for (const session of [
    undefined,
    null,
    7,
    [],
    { configOptions: [null, 1], modes: "x", models: undefined },
  ]) {
    const wishes = { permissions: "workspace", model: "b", reasoning: "high" } as const;
    expect(chooseSettings("s1", session, wishes)).toEqual({ calls: [], missing: ["model", "reasoning"] });
  }
});
