import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigAnswer } from "../../src/ui/shapes/project.js";
import { contextIn, typeLine } from "../testing/testing.js";

let root = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "config-"));
  for (const name of ["project/.looper", "home/.config/looper"])
    mkdirSync(path.join(root, name), { recursive: true });
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function settings(place: string, value: unknown): void {
  writeFileSync(path.join(root, place), JSON.stringify(value));
}

async function ask(...words: string[]): Promise<string> {
  const started = contextIn(root, { LOOPER_MAX_ITERATIONS: "7" });
  expect(await typeLine(started.context, "config", ...words)).toBe("ok");
  return started.out();
}

test("every setting with its value and where it comes from", async () => {
  settings("home/.config/looper/config.json", { loop: { max_attempts: 5, max_wait: "90m" } });
  settings("project/.looper/config.json", { loop: { max_attempts: 4 } });
  const lines = (await ask()).split("\n").map((line) => line.split(/ {2,}/));
  const of = (key: string): string[] => lines.find(([first]) => first === key)?.slice(1) ?? [];
  expect(of("loop.max_attempts")).toEqual(["4", ".looper/config.json:1"]);
  expect(of("loop.max_wait")).toEqual(["90m", path.join(root, "home/.config/looper/config.json:1")]);
  expect(of("loop.max_reviews")).toEqual(["3", "default"]);
  expect(of("schedule.agents")).toEqual(['["claude","codex"]', "default"]);
});

test("one setting, those below one, the files", async () => {
  settings("project/.looper/config.json", { agents: { codex: { env: { A: "1", B: "2" } } } });
  expect(await ask("get", "loop.max_attempts")).toBe("2\n");
  expect(await ask("get", "agents.codex.env")).toBe("agents.codex.env.A = 1\nagents.codex.env.B = 2\n");
  const [user, project] = (await ask("path")).split("\n");
  expect(user).toBe(`${path.join(root, "home/.config/looper/config.json")}  (not there)`);
  expect(project).toBe(path.join(root, "project/.looper/config.json"));
  const answer = ConfigAnswer.parse(JSON.parse(await ask("get", "hooks.timeout", "--json")));
  expect(answer.settings).toEqual([{ key: "hooks.timeout", value: "60s", layer: "default", where: "" }]);
});

test.each([
  [["get", "loop.max_atempts"], /unknown setting loop\.max_atempts/, /did you mean loop\.max_attempts/],
  [["get", "loop.max_wiat"], /unknown setting loop\.max_wiat/, /did you mean loop\.max_wait/],
  [["get"], /no setting is named/, /config get/],
  [["pth"], /no verb pth/, /did you mean path/],
  [["path", "x"], /no more words/, /./],
])("%j is refused", async (operands, message, hint) => {
  const asked = typeLine(contextIn(root).context, "config", ...operands);
  await expect(asked).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringMatching(message) as string,
    hint: expect.stringMatching(hint) as string,
  });
});

test.each(["loop.max_wait", "roles", "agents.codex.model"])(
  "config get %s, which has no value, ends with no",
  async (key) => {
    const asked = typeLine(contextIn(root).context, "config", "get", key);
    await expect(asked).rejects.toMatchObject({ kind: "no", message: `${key} has no value` });
  },
);

test("where the files lie is told even when something is wrong with them", async () => {
  settings("project/.looper/config.json", { loop: { max_atempts: 4 } });
  expect(await ask("path")).toContain(path.join(root, "project/.looper/config.json"));
});

test("the settings of a package.json are named where it holds any", async () => {
  rmSync(path.join(root, "project/.looper"), { recursive: true });
  settings("project/package.json", { name: "x" });
  expect(await ask("path")).not.toContain("package.json");
  settings("project/package.json", { name: "x", looper: { loop: { max_attempts: 4 } } });
  expect(await ask("path")).toContain(path.join(root, "project/package.json"));
});
