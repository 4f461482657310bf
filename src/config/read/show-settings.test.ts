import { expect, test } from "vitest";
import { resolveSettings } from "./resolve.js";
import { readJsonSettings } from "./settings-text.js";
import { spellSettings } from "./show-settings.js";

test("settings as a file would spell them; of secrets nothing, wherever they stand", () => {
  const agents = {
    codex: {
      timeout: "90m",
      env: { MY_TOKEN: "supersecretvalue", PLAIN: "seen" },
      args: ["--key", "supersecretvalue"],
    },
  };
  const hooks = { post_iteration: ["curl -H supersecretvalue", "echo from-the-environment"] };
  const project = readJsonSettings("config.json", JSON.stringify({ agents, hooks }));
  const { values } = resolveSettings({ project, env: {}, flags: {} });
  const told = spellSettings(values, { DEPLOY_SECRET: "from-the-environment" });
  const valueOf = (key: string): unknown => told.find((one) => one.key === key)?.value;
  expect(valueOf("agents.codex.timeout")).toBe("90m");
  expect(valueOf("agents.claude.timeout")).toBe("30m");
  expect(valueOf("agents.codex.env.PLAIN")).toBe("seen");
  expect(valueOf("agents.codex.args")).toEqual(["--key", "[redacted]"]);
  expect(JSON.stringify(told)).not.toMatch(/supersecretvalue|from-the-environment/);
});
