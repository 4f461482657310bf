import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { nodeFiles } from "../../system/files/files.js";
import { chooseSkills, loadSkills, formatSkills, collectSkillTools } from "./skills.js";

let root: string;
const load = () => loadSkills({ files: nodeFiles(), root });
const write = (id: string, skill: unknown) => {
  mkdirSync(path.join(root, ".looper/skills", id), { recursive: true });
  const text = typeof skill === "string" ? skill : JSON.stringify(skill);
  writeFileSync(path.join(root, ".looper/skills", id, "skill.json"), text);
};
const reviewer = {
  id: "reviewer",
  name: "Reviewer",
  description: "Reviews",
  systemPrompt: "Only review.",
  toolAllowList: ["fs.readFile", "git_*"],
};

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "chapo-skills-"));
});

test("a skill adds its prompt and limits the tools", async () => {
  write("reviewer", reviewer);
  write("pirate", {
    ...reviewer,
    id: "pirate",
    name: "Pirate",
    systemPrompt: "Arr.",
    toolAllowList: undefined,
  });
  const chosen = chooseSkills(await load(), ["reviewer", "pirate", "reviewer"]);
  expect(formatSkills(chosen)).toBe("## Skill: Reviewer\n\nOnly review.\n\n## Skill: Pirate\n\nArr.");
  expect(collectSkillTools(chosen)).toEqual(["fs_readFile", "git_*", "ask_user", "report_summary"]);
  expect(collectSkillTools(chosen.slice(1))).toBeUndefined();
  expect(formatSkills([])).toBe("");
});

test("a broken skill is reported, and the others load", async () => {
  write("reviewer", reviewer);
  write("torn", '{"id": "torn",');
  write("other", { ...reviewer, id: "elsewhere" });
  write("typed", { ...reviewer, id: "typed", toolAllowList: "fs_*" });
  write("list", []);
  mkdirSync(path.join(root, ".looper/skills/empty"));
  const { found: skills, problems } = await load();
  expect(skills.map(({ id }) => id)).toEqual(["reviewer"]);
  expect(problems).toEqual([
    expect.stringContaining("empty/skill.json: cannot be read"),
    expect.stringContaining("list/skill.json: Invalid input: expected object"),
    '.looper/skills/other/skill.json: id: must be "other", like its folder',
    ".looper/skills/torn/skill.json: not JSON",
    expect.stringContaining("typed/skill.json: toolAllowList: Invalid input: expected array"),
  ]);
});

test("an unknown skill is an error with a suggestion, the known skills, or the problem of its file", async () => {
  expect(await load()).toEqual({ found: [], problems: [] });
  const hint = async (id: string) => {
    const loaded = await load();
    try {
      return chooseSkills(loaded, [id]);
    } catch (error) {
      return error;
    }
  };
  expect(await hint("x")).toMatchObject({ kind: "usage", hint: ".looper/skills/ contains no skills" });
  write("reviewer", reviewer);
  write("torn", "{");
  expect(await hint("reviewr")).toMatchObject({ hint: "did you mean reviewer?" });
  expect(await hint("__proto__")).toMatchObject({ hint: "available: reviewer" });
  expect(await hint("torn")).toMatchObject({ message: expect.stringContaining("not JSON") as string });
});
