// The three questions of `init`: which agent, which tasks, which check. Leaves using the answers to plan.ts.
import { createAgent } from "../../../src/agents/clients/registry.js";
import { AUTO_ORDER } from "../../../src/config/settings/setting-row.js";
import { agentSettings, knownAgents } from "../../../src/config/read/agent-settings.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { AUTO } from "../../../src/config/settings/settings.js";
import type { Choice, CommandContext } from "../../context/command-context.js";
import type { Wishes } from "./plan.js";
import type { KnownCheck } from "./proofs.js";

/** Where tasks come from. `import`: the file as typed. */
export type Origin = { from: "nowhere" } | { from: "draft" } | { from: "import"; file: string };

/** The agents a run could start now, found as the run finds them. */
async function findInstalled({ ports, self, env, home }: CommandContext, project: Project) {
  const { settings } = project.resolved;
  const place = { project: project.folder, home };
  const names = [...new Set<string>([...AUTO_ORDER, ...knownAgents(settings)])];
  const found = await Promise.all(
    names.map(async (name) => {
      const agent = createAgent(agentSettings(settings, name, place), { ports, self });
      return "found" in (await agent.find(env, project.folder)) ? [name] : [];
    }),
  );
  return found.flat();
}

/** `undefined`, here and below: the person cancelled. */
export async function askWho(context: CommandContext, project: Project): Promise<string | undefined> {
  const installed = await findInstalled(context, project);
  const first = installed.find((name) => AUTO_ORDER.some((known) => known === name));
  const hint =
    first === undefined
      ? "the first that is installed, or whose key is set; none is yet"
      : `the first that is installed: ${first}`;
  const choices: readonly Choice[] = [
    { value: AUTO, label: AUTO, hint },
    ...installed.map((name) => ({ value: name, label: name })),
  ];
  // Enter chooses the first: the agent of the user's own settings, if it is installed.
  const own = choices.filter(({ value }) => value === project.resolved.settings.schedule.agent);
  return context.choose("Which agent is to work?", [...own, ...choices.filter((one) => !own.includes(one))]);
}

export async function askWhence(context: CommandContext): Promise<Origin | undefined> {
  const chosen = await context.choose("Where do the tasks come from?", [
    { value: "nowhere", label: "I add them", hint: "looper add, or an editor" },
    { value: "draft", label: "an agent drafts them", hint: "looper run --prompt" },
    { value: "import", label: "from a file", hint: "a checklist, prd.json, tasks.json, issues" },
  ]);
  if (chosen === undefined) return undefined;
  if (chosen === "import") {
    const file = await context.ask("Which file?", "TODO.md");
    return file === undefined ? undefined : file === "" ? { from: "nowhere" } : { from: "import", file };
  }
  return { from: chosen === "draft" ? "draft" : "nowhere" };
}

const ANOTHER = { value: "", label: "another command" };

/** The commands, which are only stored, not run. */
export async function askProof(
  context: CommandContext,
  proofs: readonly KnownCheck[],
): Promise<readonly string[] | undefined> {
  const question = "What proves a task done?";
  const known = proofs.map(({ command, from }) => ({ value: command, label: command, hint: from }));
  const chosen = known.length === 0 ? "" : await context.choose(question, [...known, ANOTHER]);
  const command =
    chosen === ""
      ? await context.ask(`${question} A command; empty: nothing does yet`, "for example: npm test")
      : chosen;
  if (command === undefined) return undefined;
  return command === "" ? [] : [command];
}

/** The questions to ask; those that files or flags answer are left out. */
export interface Open {
  settings: boolean;
  origin: boolean;
  proof: boolean;
}

export interface Answers {
  wishes: Wishes;
  origin: Origin;
}

/** `undefined` when the person cancelled a question. */
export async function askAll(
  context: CommandContext,
  { project, proofs }: { project: Project; proofs: readonly KnownCheck[] },
  open: Open,
): Promise<Answers | undefined> {
  const agent = open.settings ? await askWho(context, project) : AUTO;
  if (agent === undefined) return undefined;
  const origin = open.origin ? await askWhence(context) : { from: "nowhere" as const };
  if (origin === undefined) return undefined;
  const commands = open.proof ? await askProof(context, proofs) : [];
  if (commands === undefined) return undefined;
  const setup = proofs.flatMap((one) => (commands.includes(one.command) && one.setup) || []);
  return { wishes: { ...(open.settings ? { agent } : {}), commands, setup }, origin };
}
