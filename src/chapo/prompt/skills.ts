// Skills: folders in .looper/skills/ that add to the system prompt and limit the tools. The command line chooses them.
import { z } from "zod";
import { usageError } from "../../system/errors.js";
import { tryParseJson } from "../../system/text/json.js";
import { nearest } from "../../system/text/nearest.js";
import { toToolPatterns } from "../rules/tool-names.js";
import { loadDefinitions, type DefinitionPlace, type Loaded } from "../definitions.js";

const FOLDER = ".looper/skills";
/** Tools that are always available, because a conversation cannot end without them. */
const ALWAYS = ["ask_user", "report_summary"];

const Skill = z.object({
  id: z.string().regex(/^[A-Za-z0-9][\w-]{0,63}$/, "letters, digits, dashes and underscores, at most 64"),
  name: z.string().min(1).max(200),
  description: z.string().max(2_000),
  systemPrompt: z.string().min(1).max(50_000),
  /** Names of tools; `fs_*` means all that begin with `fs_`. Absent: all tools. */
  toolAllowList: z.array(z.string().min(1).max(200)).max(500).optional(),
});
/** `.looper/skills/<id>/skill.json`. */
export type Skill = z.infer<typeof Skill>;

/** Loads every skill of the project and of the user. */
export async function loadSkills(place: DefinitionPlace): Promise<Loaded<Skill>> {
  return loadDefinitions(place, { kind: "skills", read: readSkill, nameOf: ({ id }) => id });
}

/** Returns the skill, or its problem. */
function readSkill(text: string, folder: string): Skill | string {
  const json = tryParseJson(text);
  if (!json.ok) return "not JSON";
  const read = Skill.safeParse(json.value);
  if (read.success)
    return read.data.id === folder ? read.data : `id: must be ${JSON.stringify(folder)}, like its folder`;
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join(".") ?? "";
  return `${where === "" ? "" : `${where}: `}${issue?.message ?? "not a skill"}`;
}

/** Returns the skills with the ids, in that order, each once. An unknown id is a `usage` error. */
export function chooseSkills({ found: skills, problems }: Loaded<Skill>, ids: readonly string[]): Skill[] {
  return [...new Set(ids)].map((id) => {
    const skill = skills.find((one) => one.id === id);
    if (skill !== undefined) return skill;
    const broken = problems.find((problem) => problem.includes(`/skills/${id}/`));
    if (broken !== undefined) throw usageError(`cannot use the skill ${id}: ${broken}`, "correct it");
    const known = skills.map((one) => one.id);
    const near = nearest(id, known);
    const available = known.length === 0 ? `${FOLDER}/ contains no skills` : `available: ${known.join(", ")}`;
    const hint = near === undefined ? available : `did you mean ${near}?`;
    throw usageError(`unknown skill ${JSON.stringify(id)}`, hint);
  });
}

/** Returns the skills' part of the system prompt; "" without skills. */
export function formatSkills(skills: readonly Skill[]): string {
  return skills.map(({ name, systemPrompt }) => `## Skill: ${name}\n\n${systemPrompt.trim()}`).join("\n\n");
}

/** Returns the canonical patterns of the allowed tools; `undefined` if no skill has a list, which means all tools. */
export function collectSkillTools(skills: readonly Skill[]): string[] | undefined {
  const lists = skills.flatMap(({ toolAllowList }) => (toolAllowList === undefined ? [] : [toolAllowList]));
  if (lists.length === 0) return undefined;
  const allowed = lists.flat().flatMap((name) => {
    const patterns = toToolPatterns(name);
    // An unknown name stays, so that a list of such names allows nothing.
    return patterns.length > 0 ? patterns : [name];
  });
  return [...new Set([...allowed, ...ALWAYS])];
}
