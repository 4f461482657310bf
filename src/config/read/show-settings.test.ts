import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDuration } from "../../system/text/duration.js";
import { resolveSettings } from "./resolve.js";
import { readJsonSettings } from "./settings-text.js";
import { spellDuration, spellSettings } from "./show-settings.js";

test.each([
  [0, 0],
  [60_000, "60s"],
  [90_000, "90s"],
  [150_000, "2m30s"],
  [129_600_000, "1d12h"],
  [1_500, 1.5],
])("%d ms is spelled %s", (ms, spelled) => {
  expect(spellDuration(ms)).toBe(spelled);
});

test("what a duration is spelled as is read as the same", () => {
  fc.assert(
    fc.property(fc.nat({ max: 10 ** 12 }), (ms) => {
      expect(parseDuration(spellDuration(ms))).toBe(ms);
    }),
  );
});

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
  expect(valueOf("agents.codex.timeout")).toBe("1h30m");
  expect(valueOf("agents.claude.timeout")).toBe("30m");
  expect(valueOf("agents.codex.env.PLAIN")).toBe("seen");
  expect(valueOf("agents.codex.args")).toEqual(["--key", "[redacted]"]);
  expect(JSON.stringify(told)).not.toMatch(/supersecretvalue|from-the-environment/);
});
