// Skills: folders below .looper/skills/ that add words to the prompt and narrow the tools.
// Leaves which are wanted to the command line.
import { z } from "zod";
import { UserError } from "../../system/errors.js";
import { tryParseJson } from "../../system/text/json.js";
import { nearest } from "../../system/text/nearest.js";
import { readInside } from "../read-inside.js";
import { resolvePath, type ProjectFolder } from "../paths.js";

const FOLDER = ".looper/skills";
const LARGEST = 256 * 1024;
const MOST = 500;
/** Tools without which a conversation cannot come to its end. */
const ALWAYS = ["ask_user", "report_summary"];

const Skill = z.object({
  id: z.string().regex(/^[A-Za-z0-9][\w-]{0,63}$/, "letters, digits, dashes and underscores, at most 64"),
  name: z.string().min(1).max(200),
  description: z.string().max(2_000),
  systemPrompt: z.string().min(1).max(50_000),
  /** Names of tools; `fs_*` is all that begin so. Absent: all tools. */
  toolAllowList: z.array(z.string().min(1).max(200)).max(500).optional(),
});
/** `.looper/skills/<id>/skill.json`. */
export type Skill = z.infer<typeof Skill>;

/** Every skill of the project, and what is wrong with each that cannot be used. */
export async function loadSkills(place: ProjectFolder): Promise<{ skills: Skill[]; problems: string[] }> {
  const skills: Skill[] = [];
  const problems: string[] = [];
  const folder = await resolvePath(place, FOLDER, "read");
  const names = "refusal" in folder ? [] : await place.files.list(folder.path).catch(() => []);
  for (const name of names.filter((one) => !one.startsWith(".")).slice(0, MOST)) {
    const file = `${FOLDER}/${name}/skill.json`;
    const read = await readInside(place, file, LARGEST);
    if (read === undefined)
      problems.push(`${file}: there is no such file, or it lies outside of the project`);
    else if (read.cut) problems.push(`${file} is larger than 256 KB`);
    else {
      const skill = readSkill(read.text, name);
      if (typeof skill === "string") problems.push(`${file}: ${skill}`);
      else skills.push(skill);
    }
  }
  return { skills, problems };
}

/** The skill, or what is wrong with it. */
function readSkill(text: string, folder: string): Skill | string {
  const json = tryParseJson(text);
  if (!json.ok) return "not JSON";
  const read = Skill.safeParse(json.value);
  if (read.success)
    return read.data.id === folder ? read.data : `id: must be ${JSON.stringify(folder)}, as its folder`;
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join(".") ?? "";
  return `${where === "" ? "" : `${where}: `}${issue?.message ?? "not a skill"}`;
}

/** Those with the ids, in that order, each once. An id there is no skill for is a `usage` error. */
export function chooseSkills(
  { skills, problems }: { skills: readonly Skill[]; problems: readonly string[] },
  ids: readonly string[],
): Skill[] {
  return [...new Set(ids)].map((id) => {
    const skill = skills.find((one) => one.id === id);
    if (skill !== undefined) return skill;
    const broken = problems.find((problem) => problem.startsWith(`${FOLDER}/${id}/`));
    if (broken !== undefined)
      throw new UserError("usage", `the skill ${id} cannot be used: ${broken}`, "correct it");
    const known = skills.map((one) => one.id);
    const near = nearest(id, known);
    const there = known.length === 0 ? `there is none below ${FOLDER}/` : `there are ${known.join(", ")}`;
    throw new UserError(
      "usage",
      `there is no skill ${JSON.stringify(id)}`,
      near === undefined ? there : `did you mean ${near}?`,
    );
  });
}

/** What they add to the system prompt; "" for none. */
export function formatSkills(skills: readonly Skill[]): string {
  return skills.map(({ name, systemPrompt }) => `## Skill: ${name}\n\n${systemPrompt.trim()}`).join("\n\n");
}

/** Patterns of the tools that may be used with them, canonical; `undefined` for all: a skill without a list narrows nothing. */
export function collectSkillTools(skills: readonly Skill[]): string[] | undefined {
  const lists = skills.flatMap(({ toolAllowList }) => (toolAllowList === undefined ? [] : [toolAllowList]));
  if (lists.length === 0) return undefined;
  return [...new Set([...lists.flat().map((pattern) => pattern.replaceAll(".", "_")), ...ALWAYS])];
}
