// What the loop needs of the world, for one message of an open session: prompts, tools, rules and files as they are now.
// Leaves opening what outlives the message to open-session.ts.
import type { ChapoSettings } from "../config/chapo-settings.js";
import { slashTool, type BuiltInCommand } from "./commands.js";
import type { ChapoNews } from "./engine/events.js";
import { covers, subAgents } from "./engine/sub-agents.js";
import type { Chat, EngineSettings, EngineWorld, Gatekeepers } from "./engine/world.js";
import type { Memory } from "./memory/memory.js";
import type { Model } from "./model.js";
import { readProjectContext } from "./project-context.js";
import type { ChapoPrompts } from "./prompts.js";
import type { SessionRequest } from "./session-request.js";
import type { OpenSession } from "./sessions.js";
import { skillsPrompt, skillTools, type Skill } from "./skills.js";
import { systemPrompt } from "./system-prompt.js";
import type { Tool } from "./tool.js";
import type { Toolbox } from "./toolbox.js";
import { checkSubjects } from "./tools/paths.js";
import { canonicalCall, offerAs } from "./vocabulary.js";

/** What a session is made of once it is open. */
export interface Parts {
  request: SessionRequest;
  prompts: ChapoPrompts;
  model: Model;
  session: OpenSession;
  skills: readonly Skill[];
  memory: Memory;
  toolbox: Toolbox;
  permit: Gatekeepers["permit"];
  emit: (news: ChapoNews) => void;
}

/** Everything the loop needs, as it is now: notes and files of the project are read anew for each message. */
export async function worldOf(parts: Parts, signal: AbortSignal): Promise<EngineWorld> {
  const { request, prompts, model, session, skills, memory, emit } = parts;
  const { ports, root, settings, task } = request;
  const place = { files: ports.files, root };
  const agents = subAgents(settings.subAgents);
  const allowed = skillTools(skills);
  const system = systemPrompt({
    prompts,
    agents,
    skills: skillsPrompt(skills),
    project: await readProjectContext(place),
    memory: await memory.forPrompt(),
  });
  return {
    ...{ clock: ports.clock, random: ports.random, settings: engineSettings(settings), model, who: "looper" },
    ...{ system, agents, emit, signal, mayAsk: true },
    prompts: {
      validation: prompts["looper.validation"],
      summary: prompts["looper.summary"],
      compaction: prompts["looper.compaction"],
    },
    tools: (chat) =>
      toolsFor(parts, chat).filter(({ name }) => allowed === undefined || covers(allowed, name)),
    offer: (tools, names) => offerAs(settings.tools, tools, names),
    canonical: (name, args) => canonicalCall(settings.tools, name, args),
    gate: {
      checkSubjects: (subjects) => checkSubjects(place, subjects),
      permit: parts.permit,
      keepOutput: (callId, text) => session.keepOutput(callId, text),
      audit: (record) => session.audit(record),
    },
    ...(task === undefined ? {} : { finish: task.finish }),
    save: (conversation) => session.save(conversation),
    remember: async (summary) => {
      const written = await memory.rememberSummary(session.id, summary);
      if (written !== undefined && task === undefined) request.onWarning(written.refused);
    },
  };
}

function toolsFor({ request, toolbox }: Parts, chat: Chat): Tool[] {
  const place = { files: request.ports.files, root: request.root };
  const onBuiltIn = (name: BuiltInCommand): string => {
    chat.wish = name;
    return `/${name} takes effect before your next turn.`;
  };
  return [...toolbox.tools, slashTool(place, onBuiltIn)];
}

function engineSettings(settings: ChapoSettings): EngineSettings {
  const { contextWindow, maxIterations, maxConversationTokens, maxToolRetries, budgets } = settings;
  return {
    ...{ maxIterations, maxConversationTokens, maxToolRetries, budgets, stream: settings.stream },
    minValidationConfidence: settings.minValidationConfidence,
    selfValidation: settings.selfValidationEnabled,
    compactAt: settings.compactAt,
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
}
