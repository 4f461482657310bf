// The part of the table of settings that is about the built-in engine: agents.<name>.chapo.
// Leaves what they come to for one agent to chapo-settings.ts.
import { isValidMatcher } from "./hook-matcher.js";
import { MODES } from "./modes.js";
import { readModelName } from "./model-names.js";
import { row, type Row } from "./setting-row.js";
import {
  eitherType,
  listType,
  convertWith,
  numberType,
  objectType,
  textsByName,
  textType,
} from "./value-type.js";
import { args, oneOf, path, text, texts, wholeNumber, yesNo } from "./value-types.js";

function between(min: number, max: number) {
  return numberType(`a number from ${String(min)} to ${String(max)}`, { min, max });
}

function wholeBetween(min: number, max: number) {
  return numberType(`a whole number from ${String(min)} to ${String(max)}`, { min, max, whole: true });
}

const url = textType("a URL that begins with http:// or https://", { pattern: /^https?:\/\/[^\s/]/ });

const models = listType(
  textType("a text that is not empty", {
    filled: true,
    more: (name) => {
      const read = readModelName(name);
      return "problem" in read ? `a provider/model (${read.problem})` : undefined;
    },
  }),
  "a list of provider/model",
);

const hostRule = "user@host, or {host, user?, port?, identity?}";
// ssh would take a word with a leading dash as an option.
const plainWord = textType(hostRule, { pattern: /^[^-\s][^\s]*$/ });
const host = eitherType(
  hostRule,
  convertWith(
    plainWord,
    (spelled) => {
      const cut = spelled.lastIndexOf("@");
      return cut < 1 ? { host: spelled } : { user: spelled.slice(0, cut), host: spelled.slice(cut + 1) };
    },
    hostRule,
  ),
  objectType(
    hostRule,
    { host: plainWord },
    { user: plainWord, port: wholeBetween(1, 65_535), identity: path },
  ),
);

const serverRule = "{command, args?, env?, tools?}, or {url, headers?, tools?}";
const variables = textsByName(serverRule);
const server = eitherType(
  serverRule,
  objectType(serverRule, { command: path }, { args, env: variables, tools: texts }),
  objectType(serverRule, { url }, { headers: variables, tools: texts }),
);

const subAgent = objectType("{model?, tools?, prompt?}", {}, { model: text, tools: texts, prompt: path });

const chapoHookRule =
  "a list of {command or url, matcher?, timeout?, on_timeout?}, the timeout in seconds, the url with http:// or https://";
const chapoHookUrl = textType(chapoHookRule, {
  pattern: /^https?:\/\/[^\s/]/,
  more: (address) => (URL.canParse(address) ? undefined : "a valid URL"),
});
const chapoMatcher = textType(chapoHookRule, {
  filled: true,
  more: (matcher) =>
    isValidMatcher(matcher)
      ? undefined
      : `a matcher that is a name or a valid regular expression (${JSON.stringify(matcher)} is neither)`,
});
const chapoHookMore = {
  matcher: chapoMatcher,
  timeout: between(0.1, 3600),
  on_timeout: oneOf("allow", "deny"),
};
const chapoHooks = listType(
  eitherType(
    chapoHookRule,
    objectType(chapoHookRule, { command: textType(chapoHookRule, { filled: true }) }, chapoHookMore),
    objectType(chapoHookRule, { url: chapoHookUrl }, chapoHookMore),
  ),
  chapoHookRule,
);

/** The hooks of sessions, with the events of Claude Code. */
export const CHAPO_HOOK_ROWS = {
  "hooks.read_claude": row(
    yesNo,
    "Chapo: whether it also runs the hooks of Claude Code's settings files (see chapo.md).",
    { default: false },
  ),
  "hooks.events.PreToolUse": row(chapoHooks, "Chapo: commands run before a tool call (see chapo.md).", {}),
  "hooks.events.PostToolUse": row(
    chapoHooks,
    "Chapo: commands run after a successful tool call (see chapo.md).",
    {},
  ),
  "hooks.events.PermissionRequest": row(
    chapoHooks,
    "Chapo: commands run before a person is asked (see chapo.md).",
    {},
  ),
  "hooks.events.UserPromptSubmit": row(
    chapoHooks,
    "Chapo: commands run before a message reaches the model (see chapo.md).",
    {},
  ),
  "hooks.events.Stop": row(
    chapoHooks,
    "Chapo: commands run when Chapo is about to end its answer (see chapo.md).",
    {},
  ),
  "hooks.events.SubagentStop": row(
    chapoHooks,
    "Chapo: commands run when a sub-agent is about to end (see chapo.md).",
    {},
  ),
  "hooks.events.PreCompact": row(
    chapoHooks,
    "Chapo: commands run before older turns are replaced (see chapo.md).",
    {},
  ),
  "hooks.events.SessionStart": row(
    chapoHooks,
    "Chapo: commands run when a session starts or resumes (see chapo.md).",
    {},
  ),
  "hooks.events.SessionEnd": row(chapoHooks, "Chapo: commands run when a session ends (see chapo.md).", {}),
  "hooks.events.Notification": row(
    chapoHooks,
    "Chapo: commands run when a person is needed (see chapo.md).",
    {},
  ),
} as const satisfies Readonly<Record<string, Row>>;

/** Of all kinds of agents only `chapo` heeds them. */
export const CHAPO_ROWS = {
  "agents.*.chapo.base_url": row(url, "The address of its provider, instead of the usual one.", {}),
  "agents.*.chapo.fallback": row(models, "Models to use, in order, when the first one is unavailable.", {
    default: [],
  }),
  "agents.*.chapo.script": row(path, "Provider `scripted`: the file of replies.", {}),
  "agents.*.chapo.prices_file": row(
    path,
    "A file of its models' prices; without it `prices_file` is read.",
    {},
  ),
  "agents.*.chapo.temperature": row(between(0, 2), "The temperature to ask for.", {}),
  "agents.*.chapo.max_output_tokens": row(wholeNumber(1), "The most tokens of one reply.", {}),
  "agents.*.chapo.stream": row(yesNo, "Whether replies are read as they come.", { default: true }),
  "agents.*.chapo.context_window": row(
    wholeNumber(1000),
    "The context size of its model in tokens, if Chapo does not know it.",
    {},
  ),
  "agents.*.chapo.tools": row(
    oneOf("chapo", "claude", "anvil"),
    "The names under which the model sees its tools.",
    {
      default: "chapo",
    },
  ),
  "agents.*.chapo.tool_calls": row(
    oneOf("native", "json"),
    "How its model calls tools: natively, or as JSON in its text.",
    { default: "native" },
  ),
  "agents.*.chapo.mode": row(
    oneOf(...MODES),
    "Which calls run, ask or are refused (see chapo.md); unset: `trusted` in a run, `default` in `looper chapo`.",
    {},
  ),
  "agents.*.chapo.rules.allow": row(texts, "Calls that run without asking, e.g. `Bash(npm test)`.", {
    default: [],
  }),
  "agents.*.chapo.rules.ask": row(texts, "Calls to ask about; overrides `allow`.", { default: [] }),
  "agents.*.chapo.rules.deny": row(texts, "Calls to refuse; overrides everything else.", { default: [] }),
  "agents.*.chapo.sandbox": row(
    yesNo,
    "Whether its shell and npm run in a sandbox of bubblewrap: the project writable, the rest read-only.",
    { default: false },
  ),
  "agents.*.chapo.language": row(oneOf("en", "de"), "The language of its prompts.", { default: "en" }),
  "agents.*.chapo.core_prompt": row(path, "A file used instead of the bundled core prompt.", {}),
  "agents.*.chapo.max_iterations": row(wholeBetween(1, 1000), "Turns of the model before it asks you.", {
    default: 25,
  }),
  "agents.*.chapo.max_conversation_tokens": row(
    wholeBetween(1000, 10_000_000),
    "The most tokens of one request.",
    { default: 120_000 },
  ),
  "agents.*.chapo.max_requests": row(
    wholeBetween(1, 1_000_000),
    "The most requests of a session to models, sub-agents included.",
    { default: 1000 },
  ),
  "agents.*.chapo.max_tokens": row(
    wholeBetween(1000, 10_000_000_000),
    "The most tokens of a session, sub-agents and cached input included.",
    { default: 20_000_000 },
  ),
  "agents.*.chapo.max_cost_usd": row(
    between(0, 1_000_000),
    "The most dollars of a session, as far as prices are known.",
    { default: 50 },
  ),
  "agents.*.chapo.max_parallel_children": row(
    wholeBetween(0, 16),
    "The most sub-agents at the same time, if they only read; 0: none. Unset: 1, with read-only permissions 4, in a workflow's stage 0.",
    {},
  ),
  "agents.*.chapo.max_tool_retries": row(wholeBetween(0, 10), "Retries after a temporary failure.", {
    default: 3,
  }),
  "agents.*.chapo.min_validation_confidence": row(
    between(0, 1),
    "The least confidence with which an answer passes its own check.",
    { default: 0.7 },
  ),
  "agents.*.chapo.self_validation_enabled": row(
    yesNo,
    "Whether answers are checked before they are delivered.",
    {
      default: true,
    },
  ),
  "agents.*.chapo.compact_at": row(
    between(0.1, 1),
    "The share of the context at which old turns are summarised.",
    {
      default: 0.92,
    },
  ),
  "agents.*.chapo.sub_agents.*": row(
    subAgent,
    "A sub-agent by its type: a model, tools (patterns), a file with its prompt.",
    {},
  ),
  "agents.*.chapo.search.provider": row(
    oneOf("tavily", "brave", "serper", "perplexity", "searxng"),
    "The provider of web searches; the key is TAVILY_API_KEY, BRAVE_API_KEY, SERPER_API_KEY or PERPLEXITY_API_KEY.",
    {},
  ),
  "agents.*.chapo.search.base_url": row(url, "The address of that provider, instead of the usual one.", {}),
  "agents.*.chapo.web_fetch.only_mentioned": row(
    yesNo,
    "Whether only pages that were mentioned are fetched; by default true in a run.",
    {},
  ),
  "agents.*.chapo.git.allow_push_main": row(yesNo, "Whether `git_push` may push main and master.", {
    default: false,
  }),
  "agents.*.chapo.ssh.hosts.*": row(host, "A host by its alias; others are refused.", {}),
  "agents.*.chapo.logs.staging": row(path, "The file `logs_getStagingLogs` reads.", {}),
  "agents.*.chapo.documents": row(path, "The folder of the `context_` tools.", {
    default: "context/documents",
  }),
  "agents.*.chapo.mcp.servers.*": row(
    server,
    "A server of the Model Context Protocol by its name: its command or its address; `tools` limits its tools.",
    {},
  ),
  "agents.*.chapo.budgets.total": row(wholeNumber(1), "The most tool calls of a session.", {}),
  "agents.*.chapo.budgets.tools.*": row(wholeNumber(0), "The most calls of one tool in a session.", {}),
} as const satisfies Readonly<Record<string, Row>>;
