// The part of the table of settings that is about the built-in engine: agents.<name>.chapo.
// Leaves what they come to for one agent to chapo-settings.ts.
import { z } from "zod";
import { MODES } from "./modes.js";
import { readModelName } from "./model-names.js";
import { row, rowWith, type Row } from "./setting-row.js";
import * as types from "./types.js";

const models = z.array(
  types.filled("a text that is not empty").refine((name) => !("problem" in readModelName(name)), {
    error: ({ input }) => {
      const read = readModelName(String(input));
      return "problem" in read ? `a provider/model (${read.problem})` : undefined;
    },
  }),
  "a list of provider/model",
);

const hostRule = "user@host, or {host, user?, port?, identity?}";
// ssh would take a word with a leading dash as an option.
const plainWord = types.matching(/^[^-\s][^\s]*$/, hostRule);
const wholeHost = z.strictObject(
  {
    host: plainWord,
    user: plainWord.optional(),
    port: types.wholeBetween(1, 65_535).optional(),
    identity: types.path.optional(),
  },
  hostRule,
);
const hostWord = plainWord.transform((spelled): z.output<typeof wholeHost> => {
  const cut = spelled.lastIndexOf("@");
  return cut < 1 ? { host: spelled } : { user: spelled.slice(0, cut), host: spelled.slice(cut + 1) };
});
const host = z.union([hostWord, wholeHost], hostRule);

const serverRule = "{command, args?, env?, tools?}, or {url, headers?, tools?}";
const variables = z.record(z.string(), z.string(serverRule), serverRule).optional();
const tools = types.texts.optional();
const program = z.strictObject(
  { command: types.path, args: types.args.optional(), env: variables, tools },
  serverRule,
);
const server = z.union(
  [program, z.strictObject({ url: types.url, headers: variables, tools }, serverRule)],
  serverRule,
);

const subAgent = z.strictObject(
  { model: types.text.optional(), tools, prompt: types.path.optional() },
  "{model?, tools?, prompt?}",
);

const chapoHookRule =
  "a list of {command or url, matcher?, timeout?, on_timeout?}, the timeout in seconds, the url with http:// or https://";
const chapoHookMore = {
  matcher: types
    .filled(chapoHookRule)
    .refine(isValidMatcher, {
      error: ({ input }) =>
        `a matcher that is a name or a valid regular expression (${JSON.stringify(input)} is neither)`,
    })
    .optional(),
  timeout: types.between(0.1, 3600).optional(),
  on_timeout: types.oneOf("allow", "deny").optional(),
};
const hookUrl = types
  .matching(types.WEB_ADDRESS, chapoHookRule)
  .refine((address) => URL.canParse(address), "a valid URL");
const chapoHook = z.union(
  [
    z.strictObject({ command: types.filled(chapoHookRule), ...chapoHookMore }, chapoHookRule),
    z.strictObject({ url: hookUrl, ...chapoHookMore }, chapoHookRule),
  ],
  chapoHookRule,
);
const chapoHooks = z.array(chapoHook, chapoHookRule);

/** Whether a matcher can match: exact names with `|`, `*`, or a valid regular expression. */
export function isValidMatcher(matcher: string): boolean {
  if (matcher === "*") return true;
  try {
    new RegExp(matcher);
    return true;
  } catch {
    return false;
  }
}

const hookRow = (when: string) =>
  row(chapoHooks, { doc: `Chapo: commands run ${when} (see chapo.md).`, asks: "each" });

/** The hooks of sessions, with the events of Claude Code. */
export const CHAPO_HOOK_ROWS = {
  "hooks.read_claude": row(types.yesNo, false, {
    doc: "Chapo: whether it also runs the hooks of Claude Code's settings files (see chapo.md).",
  }),
  "hooks.events.PreToolUse": hookRow("before a tool call"),
  "hooks.events.PostToolUse": hookRow("after a successful tool call"),
  "hooks.events.PermissionRequest": hookRow("before a person is asked"),
  "hooks.events.UserPromptSubmit": hookRow("before a message reaches the model"),
  "hooks.events.Stop": hookRow("when Chapo is about to end its answer"),
  "hooks.events.SubagentStop": hookRow("when a sub-agent is about to end"),
  "hooks.events.PreCompact": hookRow("before older turns are replaced"),
  "hooks.events.SessionStart": hookRow("when a session starts or resumes"),
  "hooks.events.SessionEnd": hookRow("when a session ends"),
  "hooks.events.Notification": hookRow("when a person is needed"),
} as const satisfies Readonly<Record<string, Row>>;

/** A row of what starts, sends and permits nothing. */
const harmless = rowWith({ kinds: ["chapo"] });

/** One that decides what the engine starts, sends, or may do: a project's own is asked about. */
const asked = rowWith({ kinds: ["chapo"], asks: "whole" });

/** Only the kind `chapo` heeds them; their keys are below `agents.<name>.chapo`. */
export const CHAPO_ROWS = forChapo({
  base_url: asked(types.url, "The address of its provider, instead of the usual one."),
  fallback: harmless(models, [], "Models to use, in order, when the first one is unavailable."),
  script: asked(types.path, "Provider `scripted`: the file of replies."),
  prices_file: harmless(types.path, "A file of its models' prices; without it `prices_file` is read."),
  temperature: harmless(types.between(0, 2), "The temperature to ask for."),
  max_output_tokens: harmless(types.wholeNumber(1), "The most tokens of one reply."),
  stream: harmless(types.yesNo, true, "Whether replies are read as they come."),
  context_window: harmless(types.wholeNumber(1000), {
    doc: "The context size of its model in tokens, if Chapo does not know it.",
  }),
  tools: harmless(types.oneOf("chapo", "claude", "anvil"), "chapo", {
    doc: "The names under which the model sees its tools.",
  }),
  tool_calls: harmless(types.oneOf("native", "json"), "native", {
    doc: "How its model calls tools: natively, or as JSON in its text.",
  }),
  mode: asked(types.oneOf(...MODES), {
    doc: "Which calls run, ask or are refused (see chapo.md); unset: `trusted` in a run, `default` in `looper chapo`.",
  }),
  "rules.allow": asked(types.texts, [], "Calls that run without asking, e.g. `Bash(npm test)`."),
  "rules.ask": asked(types.texts, [], "Calls to ask about; overrides `allow`."),
  "rules.deny": asked(types.texts, [], "Calls to refuse; overrides everything else."),
  sandbox: asked(types.yesNo, false, {
    doc: "Whether its shell and npm run in a sandbox of bubblewrap: the project writable, the rest read-only.",
  }),
  language: harmless(types.oneOf("en", "de"), "en", "The language of its prompts."),
  core_prompt: asked(types.path, "A file used instead of the bundled core prompt."),
  max_iterations: harmless(types.wholeBetween(1, 1000), {
    doc: "Turns of the model before it asks you. Unset: 25, counted from the last turn that made progress.",
  }),
  max_conversation_tokens: harmless(types.wholeBetween(1000, 10_000_000), 120_000, {
    doc: "The most tokens of one request.",
  }),
  max_requests: harmless(types.wholeBetween(1, 1_000_000), 1000, {
    doc: "The most requests of a session to models, sub-agents included.",
  }),
  max_tokens: harmless(types.wholeBetween(1000, 10_000_000_000), 20_000_000, {
    doc: "The most tokens of a session, sub-agents and cached input included.",
  }),
  max_cost_usd: harmless(types.between(0, 1_000_000), 50, {
    doc: "The most dollars of a session, as far as prices are known.",
  }),
  max_parallel_children: harmless(types.wholeBetween(0, 16), {
    doc: "The most sub-agents at the same time, if they only read; 0: none. Unset: 1, with read-only permissions 4, in a workflow's stage 0.",
  }),
  max_tool_retries: harmless(types.wholeBetween(0, 10), 3, "Retries after a temporary failure."),
  min_validation_confidence: harmless(types.between(0, 1), 0.7, {
    doc: "The least confidence with which an answer passes its own check.",
  }),
  self_validation_enabled: harmless(types.yesNo, {
    doc: "Whether answers are checked before they are delivered. Unset: only in a run.",
  }),
  compact_at: harmless(
    types.between(0.1, 1),
    0.92,
    "The share of the context at which old turns are summarised.",
  ),
  "sub_agents.*": asked(subAgent, {
    doc: "A sub-agent by its type: a model, tools (patterns), a file with its prompt.",
  }),
  "search.provider": harmless(types.oneOf("tavily", "brave", "serper", "perplexity", "searxng"), {
    doc: "The provider of web searches; the key is TAVILY_API_KEY, BRAVE_API_KEY, SERPER_API_KEY or PERPLEXITY_API_KEY.",
  }),
  "search.base_url": asked(types.url, "The address of that provider, instead of the usual one."),
  "web_fetch.only_mentioned": asked(types.yesNo, {
    doc: "Whether only pages that were mentioned are fetched; by default true in a run.",
  }),
  "git.allow_push_main": asked(types.yesNo, false, "Whether `git_push` may push main and master."),
  "ssh.hosts.*": asked(host, "A host by its alias; others are refused."),
  "logs.staging": harmless(types.path, "The file `logs_getStagingLogs` reads."),
  documents: harmless(types.path, "context/documents", "The folder of the `context_` tools."),
  "mcp.servers.*": asked(server, {
    doc: "A server of the Model Context Protocol by its name: its command or its address; `tools` limits its tools.",
  }),
  "budgets.total": harmless(types.wholeNumber(1), "The most tool calls of a session."),
  "budgets.tools.*": harmless(types.wholeNumber(0), "The most calls of one tool in a session."),
});

function forChapo<R extends Readonly<Record<string, Row>>>(rows: R) {
  const all = Object.entries(rows).map(([key, one]) => [`agents.*.chapo.${key}`, one] as const);
  return Object.fromEntries(all) as { [K in keyof R & string as `agents.*.chapo.${K}`]: R[K] };
}
