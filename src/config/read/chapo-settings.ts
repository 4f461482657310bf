// The settings of the built-in engine as it needs them: every default in, every path absolute. A record, as it is handed
// to the child that hosts it.
import { MODES } from "../settings/modes.js";
import { z } from "zod";
import { resolvePath, type PathBase } from "./places.js";
import type { Settings } from "../settings/settings.js";

const HOOK_EVENTS = [
  ...(["PreToolUse", "PostToolUse", "PermissionRequest", "UserPromptSubmit", "Stop"] as const),
  ...(["SubagentStop", "PreCompact", "SessionStart", "SessionEnd", "Notification"] as const),
] as const;

const texts = z.array(z.string());
const optionalText = z.exactOptional(z.string());
const optionalNumber = z.exactOptional(z.number());
const variables = z.exactOptional(z.record(z.string(), z.string()));

const hookMore = {
  matcher: optionalText,
  timeout: optionalNumber,
  on_timeout: z.exactOptional(z.enum(["allow", "deny"])),
};

/** All paths are absolute. An optional field is absent when it is not set. */
export const ChapoSettings = z.object({
  baseUrl: optionalText,
  /** `provider/model` each. */
  fallback: texts,
  script: optionalText,
  /** Its own, else that of all agents. */
  pricesFile: optionalText,
  temperature: optionalNumber,
  maxOutputTokens: optionalNumber,
  /** How much the model is to think; checked when the model is opened. */
  effort: optionalText,
  stream: z.boolean(),
  contextWindow: optionalNumber,
  tools: z.enum(["chapo", "claude", "anvil"]),
  toolCalls: z.enum(["native", "json"]),
  /** Absent: `trusted` in a backlog run, else `default`. */
  mode: z.exactOptional(z.enum(MODES)),
  rules: z.object({ allow: texts, ask: texts, deny: texts }),
  /** The sandbox of its shell, with the files of keys to hide; absent: none. */
  sandbox: z.exactOptional(z.object({ keyFiles: texts })),
  language: z.enum(["en", "de"]),
  corePrompt: optionalText,
  maxIterations: z.number(),
  maxConversationTokens: z.number(),
  /** Of a session, its sub-agents included. */
  maxRequests: z.number(),
  maxTokens: z.number(),
  maxCostUsd: z.number(),
  /** Absent: 1, 4 with read-only permissions, 0 in a stage of a workflow. */
  maxParallelChildren: optionalNumber,
  maxToolRetries: z.number(),
  minValidationConfidence: z.number(),
  selfValidationEnabled: z.boolean(),
  compactAt: z.number(),
  /** By type. `prompt` is a file; `tools` are patterns such as `fs_*`. */
  subAgents: z.record(
    z.string(),
    z.object({ model: optionalText, tools: z.exactOptional(texts), prompt: optionalText }),
  ),
  search: z.object({
    provider: z.exactOptional(z.enum(["tavily", "brave", "serper", "perplexity", "searxng"])),
    baseUrl: optionalText,
  }),
  /** Absent: true in a backlog run, else false. */
  webFetch: z.object({ onlyMentioned: z.exactOptional(z.boolean()) }),
  git: z.object({ allowPushMain: z.boolean() }),
  ssh: z.object({
    /** By alias. */
    hosts: z.record(
      z.string(),
      z.object({ host: z.string(), user: optionalText, port: optionalNumber, identity: optionalText }),
    ),
  }),
  /** A file. */
  logs: z.object({ staging: optionalText }),
  /** A folder, which need not be there. */
  documents: z.string(),
  mcp: z.object({
    /** By name. `tools`: those offered; absent: all. */
    servers: z.record(
      z.string(),
      z.union([
        z.object({
          command: z.string(),
          args: z.exactOptional(texts),
          env: variables,
          tools: z.exactOptional(texts),
        }),
        z.object({ url: z.string(), headers: variables, tools: z.exactOptional(texts) }),
      ]),
    ),
  }),
  /** By event: the hooks of sessions. */
  hooks: z.exactOptional(
    z.partialRecord(
      z.enum(HOOK_EVENTS),
      z.array(
        z.union([z.object({ command: z.string(), ...hookMore }), z.object({ url: z.string(), ...hookMore })]),
      ),
    ),
  ),
  /** Tool calls of a session: in total, and by tool. */
  budgets: z.object({ total: optionalNumber, tools: z.record(z.string(), z.number()) }),
});
export type ChapoSettings = z.infer<typeof ChapoSettings>;

/** The engine's settings of one agent; `settings`: those that all agents share. */
export function chapoSettings(
  { chapo: own, reasoning }: Pick<Settings["agents"][string], "chapo" | "reasoning">,
  { prices_file: pricesFile, env_file: envFile, hooks }: Pick<Settings, "prices_file" | "env_file" | "hooks">,
  place: Pick<PathBase, "project" | "home">,
): ChapoSettings {
  const absolute = (spelled: string): string => resolvePath(spelled, place);
  return ChapoSettings.parse(
    withoutAbsent({
      baseUrl: own.base_url,
      fallback: own.fallback,
      script: mapped(own.script, absolute),
      pricesFile: mapped(own.prices_file ?? pricesFile, absolute),
      temperature: own.temperature,
      maxOutputTokens: own.max_output_tokens,
      effort: reasoning,
      stream: own.stream,
      contextWindow: own.context_window,
      tools: own.tools,
      toolCalls: own.tool_calls,
      mode: own.mode,
      rules: own.rules,
      sandbox: own.sandbox ? { keyFiles: envFile === undefined ? [] : [absolute(envFile)] } : undefined,
      language: own.language,
      corePrompt: mapped(own.core_prompt, absolute),
      maxIterations: own.max_iterations,
      maxConversationTokens: own.max_conversation_tokens,
      maxRequests: own.max_requests,
      maxTokens: own.max_tokens,
      maxCostUsd: own.max_cost_usd,
      maxParallelChildren: own.max_parallel_children,
      maxToolRetries: own.max_tool_retries,
      minValidationConfidence: own.min_validation_confidence,
      selfValidationEnabled: own.self_validation_enabled,
      compactAt: own.compact_at,
      subAgents: eachOf(own.sub_agents, (one) => ({ ...one, prompt: mapped(one.prompt, absolute) })),
      search: { provider: own.search.provider, baseUrl: own.search.base_url },
      webFetch: { onlyMentioned: own.web_fetch.only_mentioned },
      git: { allowPushMain: own.git.allow_push_main },
      ssh: {
        hosts: eachOf(own.ssh.hosts, (one) => ({
          ...one,
          identity: "identity" in one ? mapped(one.identity, absolute) : undefined,
        })),
      },
      logs: { staging: mapped(own.logs.staging, absolute) },
      documents: absolute(own.documents),
      mcp: { servers: own.mcp.servers },
      budgets: own.budgets,
      ...(Object.keys(hooks.events).length > 0 ? { hooks: hooks.events } : {}),
    }),
  );
}

function mapped<T>(value: string | undefined, map: (value: string) => T): T | undefined {
  return value === undefined ? undefined : map(value);
}

function eachOf<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

/** Leaves out fields that are `undefined`, at any depth. */
function withoutAbsent(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(members.map(([name, one]: [string, unknown]) => [name, withoutAbsent(one)]));
}
