// The system prompt, put together in its fixed order: core, how to decide, who does what, skills, memory rules, the project,
// today's memory, long-term memory. Pure. Leaves the words to prompts/chapo/.
import { quoteCode, fenceBlock } from "../../prompts/text.js";
import type { ProjectContext } from "./project-context.js";
import type { ChapoPrompts } from "./prompts.js";

const LONGEST_NAME = 200;

/** What goes into it. */
export interface SystemPromptParts {
  prompts: ChapoPrompts;
  /** Who a call can be given to; none where there are no sub-agents. */
  agents: readonly { type: string; description: string; tools: readonly string[] }[];
  /** What chosen skills add; "" for nothing. */
  skills: string;
  project: ProjectContext;
  /** What memory holds, bounded; absent where there is no memory. */
  memory?: { today: string; longTerm: string };
}

/** The words the engine leads its own model by. */
export function buildSystemPrompt({ prompts, agents, skills, project, memory }: SystemPromptParts): string {
  return joinParts([
    prompts["looper.core"],
    prompts["looper.decision"],
    listAgents(agents),
    skills,
    memory === undefined ? "" : prompts["looper.memory"],
    formatProject(project),
    memory === undefined ? "" : formatMemory("Today's memory", memory.today),
    memory === undefined ? "" : formatMemory("Long-term memory (MEMORY.md)", memory.longTerm),
  ]);
}

/** The words a sub-agent with a history of its own is led by; `prompt`: its own. */
export function buildSubAgentPrompt(prompt: string, project: ProjectContext): string {
  return joinParts([prompt, formatProject(project)]);
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

function listAgents(agents: SystemPromptParts["agents"]): string {
  if (agents.length === 0) return "";
  const lines = agents.map(
    ({ type, description, tools }) => `- \`${type}\`: ${description.trim()} Tools: ${tools.join(", ")}.`,
  );
  return `## Who does what\n\nA call is made by the agent it belongs to; one whose tools do not include it is refused.\n\n${lines.join("\n")}`;
}

function formatMemory(heading: string, text: string): string {
  return text === ""
    ? ""
    : `## ${heading}\n\nNotes of earlier work. They may be wrong or old.\n\n${fenceBlock(text, "markdown")}`;
}

function formatProject(project: ProjectContext): string {
  return joinParts([
    `## The project\n\n${listFacts(project)
      .map(([what, said]) => `- ${what}: ${said}`)
      .join("\n")}`,
    ...project.guides.map(
      ({ file, text, cut }) =>
        `### ${file}\n\nThe project's own rules. Follow them where neither the user nor the rules above say otherwise.\n\n${fenceBlock(text.trim(), "markdown")}${cut ? `\n\n[… truncated: ${file} is longer; read the rest with a tool]` : ""}`,
    ),
  ]);
}

/** Names and commands are the project's own words: as code they end nothing. */
function listFacts(project: ProjectContext): [what: string, said: string][] {
  const { name, languages, frameworks, packageTool, scripts, testCommand, entries } = project;
  const told: [string, string | undefined][] = [
    ["Folder", quoteCode(project.root)],
    ["Name", name === undefined ? undefined : quoteCode(name.slice(0, LONGEST_NAME))],
    ["Languages", languages.join(", ")],
    ["Frameworks", frameworks.join(", ")],
    ["Packages", packageTool],
    ["Test command", testCommand === undefined ? undefined : quoteCode(testCommand)],
    ["Scripts", scripts.map((one) => `${quoteCode(one.name)} (${quoteCode(one.command)})`).join(", ")],
    ["In its folder", entries.map((entry) => quoteCode(entry.slice(0, LONGEST_NAME))).join(", ")],
  ];
  return told.flatMap(([what, said]) => (said === undefined || said === "" ? [] : [[what, said]]));
}

/** A first AGENTS.md for a project that has none: what can be seen, in a part of its own, and room for what cannot. */
export function draftProjectFile(project: ProjectContext): string {
  const { name, languages, frameworks, testCommand, scripts, packageTool } = project;
  const about = [
    ...(languages.length > 0 ? [`- Languages: ${languages.join(", ")}`] : []),
    ...(frameworks.length > 0 ? [`- Frameworks: ${frameworks.join(", ")}`] : []),
    ...(testCommand !== undefined ? [`- Tests: ${quoteCode(testCommand)}`] : []),
    ...scripts
      .filter((one) => one.name !== "test")
      .map((one) => `- ${quoteCode(`${packageTool ?? "npm"} run ${one.name}`)}: ${quoteCode(one.command)}`),
  ];
  return [
    `# ${toOneLine(name ?? "This project")}`,
    "What agents that work here should know. Write below what the code does not show: conventions, traps, what must not be touched.",
    `<!-- looper:project -->\n## What is here\n\n${about.length > 0 ? about.join("\n") : "- Nothing was recognised yet."}\n<!-- /looper:project -->`,
    "## Conventions\n",
  ].join("\n\n");
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, LONGEST_NAME).trim();
}
