import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { settingsJsonSchema } from "./settings-schema.js";

const valid = new Ajv2020({ strict: true, strictTypes: false }).compile(settingsJsonSchema());

test.each([
  [{}, true],
  [{ $schema: "x", loop: { max_iterations: 3 }, schedule: { strategy: "rr" } }, true],
  [{ agents: { "my-bot": { kind: "command", binary: "x", timeout: "1d12h", env: { A: "1" } } } }, true],
  [{ agents: { codex: { timeout: 90 } } }, true],
  [{ agents: { Codex: {} } }, false],
  [{ agents: { codex: { timeout: "soon" } } }, false],
  [{ agents: { codex: { env: { A: 1 } } } }, false],
  [{ loop: { max_iteration: 3 } }, false],
  [{ git: { on_failure: "drop" } }, false],
  [{ loop: { max_iterations: 0 } }, false],
])("%j: %s", (settings, verdict) => {
  expect(valid(settings)).toBe(verdict);
});

test("defaults stand as they would be spelled", () => {
  expect(JSON.stringify(settingsJsonSchema())).toContain('"default":"30m"');
});
