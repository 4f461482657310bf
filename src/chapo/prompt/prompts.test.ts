import path from "node:path";
import { fileURLToPath } from "node:url";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { nodeFiles } from "../../system/files/files.js";
import { readChapoPrompts } from "./prompts.js";

const folder = fileURLToPath(new URL("../../../prompts/", import.meta.url));
const files = nodeFiles();
const read = (language: "en" | "de", own = {}) =>
  readChapoPrompts(files, folder, { language, subAgents: {}, ...own });

test("every file in prompts/chapo is a prompt in both languages", async () => {
  for (const language of ["en", "de"] as const) {
    const prompts = await read(language);
    const parts = Object.keys(prompts).map((name) => `${name.split(".").at(-1) ?? ""}.md`);
    expect(parts.toSorted()).toEqual(readdirSync(path.join(folder, "chapo", language)).toSorted());
    for (const text of Object.values(prompts)) expect(text.length).toBeGreaterThan(100);
  }
});

test("the German prompts have the same keys for programs", async () => {
  const german = await read("de");
  const english = await read("en");
  const code = (text: string) => [...text.matchAll(/^- (`\w+`)/gm)].map(([, word]) => word);
  for (const name of ["looper.validation", "looper.decision_json"] as const)
    expect(code(german[name])).toEqual(code(english[name]));
  expect(code(english["looper.validation"])).toHaveLength(4);
  const record = (text: string) => /```\n([\s\S]*?)```/.exec(text)?.[1];
  expect(record(german["looper.decision_json"])).toBe(record(english["looper.decision_json"]));
  expect(german["looper.validation"]).toContain('{"isComplete": true, "confidence": 0.9, "issues": []');
});

test("the prompts contain the required rules", async () => {
  const prompts = await read("en");
  const { "looper.decision": decision, "looper.memory": memory } = prompts;
  expect(decision).toMatch(/Prefer\s+this\s+for\s+talk/);
  expect(decision).toMatch(/only when it is truly unclear[^]*Ask\s+one\s+question/);
  expect(decision).toMatch(/only tools you are\s+offered, by\s+exactly the names/);
  for (const agent of ["developer", "searcher", "document_manager", "commander"])
    expect(prompts["looper.routing"]).toContain(`\`${agent}\``);
  for (const tool of ["memory_remember", "memory_search"]) expect(memory).toContain(tool);
  expect(memory).toContain("Memory is not truth");
});

test("a prompt's file in the settings is used and must exist", async () => {
  const own = path.join(mkdtempSync(path.join(tmpdir(), "chapo-prompts-")), "core.md");
  await expect(read("en", { corePrompt: own })).rejects.toMatchObject({
    kind: "usage",
    message: `cannot read the prompt looper.core: ${own} is not a file`,
  });
  writeFileSync(own, "Be brief, {{user}}.\r\n");
  const prompts = await read("en", { corePrompt: own });
  expect(prompts["looper.core"]).toBe("Be brief, {{user}}.");
  expect(prompts["looper.memory"]).toContain("memory_remember");
  const subAgents = { plan: { prompt: own }, ops: { prompt: own }, code: {} };
  const agents = await read("en", { subAgents });
  for (const type of ["plan", "ops"] as const)
    expect(agents[`looper.agent.${type}`]).toBe("Be brief, {{user}}.");
  expect(agents["looper.agent.code"]).toBe(prompts["looper.agent.code"]);
});
