// Builds the system prompt in a fixed order: core, decisions, agents, skills, memory rules, the project, today's memory,
// long-term memory. Pure. The texts are in prompts/chapo/.
import { quoteCode, fenceBlock } from "../../prompts/text.js";
import type { ProjectContext } from "./describe-project.js";
import type { ChapoPrompts } from "./prompts.js";

const LONGEST_NAME = 200;

/** The parts of the system prompt. */
export interface SystemPromptParts {
  prompts: ChapoPrompts;
  /** The agents a call can be routed to; empty without sub-agents. */
  agents: readonly { name: string; description: string; tools: readonly string[] }[];
  /** The part of the chosen skills; "" without skills. */
  skills: string;
  project: ProjectContext;
  /** The day (`2026-11-23`) and the operating system. */
  today: { day: string; system: string };
  /** The memory's texts, truncated; absent without a memory. */
  memory?: { today: string; longTerm: string };
}

/** Builds the system prompt of the main conversation. */
export function buildSystemPrompt(parts: SystemPromptParts): string {
  const { prompts, agents, skills, project, memory, today } = parts;
  return joinParts([
    prompts["looper.core"],
    prompts["looper.decision"],
    agents.length === 0 ? "" : prompts["looper.routing"],
    listAgents(agents),
    skills,
    memory === undefined ? "" : prompts["looper.memory"],
    formatProject(project, today),
    memory === undefined ? "" : formatMemory("Today's memory", memory.today),
    memory === undefined ? "" : formatMemory("Long-term memory (MEMORY.md)", memory.longTerm),
  ]);
}

/** Builds the system prompt of a sub-agent with a conversation of its own; `prompt`: its own prompt. */
export function buildSubAgentPrompt(
  prompt: string,
  project: ProjectContext,
  today: SystemPromptParts["today"],
): string {
  return joinParts([prompt, formatProject(project, today)]);
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

function listAgents(agents: SystemPromptParts["agents"]): string {
  if (agents.length === 0) return "";
  const lines = agents.map(
    ({ name, description, tools }) => `- \`${name}\`: ${description.trim()} Tools: ${tools.join(", ")}.`,
  );
  return `## Who does what\n\nA call is made by the agent it belongs to; one whose tools do not include it is refused.\n\n${lines.join("\n")}`;
}

function formatMemory(heading: string, text: string): string {
  return text === ""
    ? ""
    : `## ${heading}\n\nNotes of earlier work. They may be wrong or old.\n\n${fenceBlock(text, "markdown")}`;
}

function formatProject(project: ProjectContext, today: SystemPromptParts["today"]): string {
  return joinParts([
    `## The project\n\n${listFacts(project, today)
      .map(([what, said]) => `- ${what}: ${said}`)
      .join("\n")}`,
    ...project.guides.map(
      ({ file, text, cut }) =>
        `### ${file}\n\nThe project's own rules. Follow them where neither the user nor the rules above say otherwise.\n\n${fenceBlock(text.trim(), "markdown")}${cut ? `\n\n[… truncated: ${file} is longer; read the rest with a tool]` : ""}`,
    ),
  ]);
}

/** Lists the facts. Names and commands are quoted as code, so that a project's text cannot end its part of the prompt. */
function listFacts(
  project: ProjectContext,
  today: SystemPromptParts["today"],
): [what: string, said: string][] {
  const { name, branch, dependencies, packageTool, scripts, testCommand, entries } = project;
  const told: [string, string | undefined][] = [
    ["Today", today.day],
    ["System", today.system],
    ["Folder", quoteCode(project.root)],
    ["Branch", branch === undefined ? undefined : quoteCode(branch.slice(0, LONGEST_NAME))],
    ["Name", name === undefined ? undefined : quoteCode(name.slice(0, LONGEST_NAME))],
    ["Dependencies", dependencies.map(quoteCode).join(", ")],
    ["Packages", packageTool],
    ["Test command", testCommand === undefined ? undefined : quoteCode(testCommand)],
    ["Scripts", scripts.map((one) => `${quoteCode(one.name)} (${quoteCode(one.command)})`).join(", ")],
    ["In its folder", entries.map((entry) => quoteCode(entry.slice(0, LONGEST_NAME))).join(", ")],
  ];
  return told.flatMap(([what, said]) => (said === undefined || said === "" ? [] : [[what, said]]));
}

/** Drafts an AGENTS.md: the recognised facts in a part of their own, and room for conventions. */
export function draftProjectFile(project: ProjectContext): string {
  const { name, dependencies, testCommand, scripts, packageTool } = project;
  const about = [
    ...(dependencies.length > 0 ? [`- Dependencies: ${dependencies.map(quoteCode).join(", ")}`] : []),
    ...(testCommand !== undefined ? [`- Tests: ${quoteCode(testCommand)}`] : []),
    ...scripts
      .filter((one) => one.name !== "test")
      .map((one) => `- ${quoteCode(`${packageTool ?? "npm"} run ${one.name}`)}: ${quoteCode(one.command)}`),
  ];
  return [
    `# ${(name ?? "This project").replaceAll(/\s+/g, " ").slice(0, LONGEST_NAME).trim()}`,
    "Notes for agents that work here. Add what the code does not show: conventions, pitfalls, files that must not be changed.",
    `<!-- looper:project -->\n## What is here\n\n${about.length > 0 ? about.join("\n") : "- Nothing was recognised yet."}\n<!-- /looper:project -->`,
    "## Conventions\n",
  ].join("\n\n");
}
