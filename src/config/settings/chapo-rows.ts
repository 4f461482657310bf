// The part of the table of settings that is about the built-in engine: agents.<name>.chapo.
// Leaves what they come to for one agent to chapo-settings.ts.
import { z } from "zod";
import { MODES } from "./modes.js";
import { readModelName } from "./model-names.js";
import { row, type Row } from "./setting-row.js";
import {
  args,
  between,
  filled,
  matching,
  oneOf,
  path,
  text,
  texts,
  url,
  wholeBetween,
  wholeNumber,
  yesNo,
} from "./types.js";

const models = z.array(
  filled("a text that is not empty").refine((name) => !("problem" in readModelName(name)), {
    error: ({ input }) => {
      const read = readModelName(String(input));
      return "problem" in read ? `a provider/model (${read.problem})` : undefined;
    },
  }),
  "a list of provider/model",
);

const hostRule = "user@host, or {host, user?, port?, identity?}";
// ssh would take a word with a leading dash as an option.
const plainWord = matching(/^[^-\s][^\s]*$/, hostRule);
interface Host {
  host: string;
  user?: string | undefined;
  port?: number | undefined;
  identity?: string | undefined;
}
const host = z.union(
  [
    plainWord.transform((spelled): Host => {
      const cut = spelled.lastIndexOf("@");
      return cut < 1 ? { host: spelled } : { user: spelled.slice(0, cut), host: spelled.slice(cut + 1) };
    }),
    z.strictObject(
      {
        host: plainWord,
        user: plainWord.optional(),
        port: wholeBetween(1, 65_535).optional(),
        identity: path.optional(),
      },
      hostRule,
    ),
  ],
  hostRule,
);

const serverRule = "{command, args?, env?, tools?}, or {url, headers?, tools?}";
const variables = z.record(z.string(), z.string(serverRule), serverRule).optional();
const tools = texts.optional();
const server = z.union(
  [
    z.strictObject({ command: path, args: args.optional(), env: variables, tools }, serverRule),
    z.strictObject({ url, headers: variables, tools }, serverRule),
  ],
  serverRule,
);

const subAgent = z.strictObject(
  { model: text.optional(), tools, prompt: path.optional() },
  "{model?, tools?, prompt?}",
);

const chapoHookRule =
  "a list of {command or url, matcher?, timeout?, on_timeout?}, the timeout in seconds, the url with http:// or https://";
const chapoHookMore = {
  matcher: filled(chapoHookRule)
    .refine(isValidMatcher, {
      error: ({ input }) =>
        `a matcher that is a name or a valid regular expression (${JSON.stringify(input)} is neither)`,
    })
    .optional(),
  timeout: between(0.1, 3600).optional(),
  on_timeout: oneOf("allow", "deny").optional(),
};
const chapoHooks = z.array(
  z.union(
    [
      z.strictObject({ command: filled(chapoHookRule), ...chapoHookMore }, chapoHookRule),
      z.strictObject(
        {
          url: matching(/^https?:\/\/[^\s/]/, chapoHookRule).refine(
            (address) => URL.canParse(address),
            "a valid URL",
          ),
          ...chapoHookMore,
        },
        chapoHookRule,
      ),
    ],
    chapoHookRule,
  ),
  chapoHookRule,
);

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
  row(chapoHooks, `Chapo: commands run ${when} (see chapo.md).`, { asks: "each" });

/** The hooks of sessions, with the events of Claude Code. */
export const CHAPO_HOOK_ROWS = {
  "hooks.read_claude": row(
    yesNo,
    "Chapo: whether it also runs the hooks of Claude Code's settings files (see chapo.md).",
    { default: false },
  ),
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

/** Only the kind `chapo` heeds them. All but the harmless ones decide what it starts, sends, or may do. */
export const CHAPO_ROWS = forChapo({
  "agents.*.chapo.base_url": row(url, "The address of its provider, instead of the usual one."),
  "agents.*.chapo.fallback": row(models, "Models to use, in order, when the first one is unavailable.", {
    default: [],
    isHarmless: true,
  }),
  "agents.*.chapo.script": row(path, "Provider `scripted`: the file of replies."),
  "agents.*.chapo.prices_file": row(path, "A file of its models' prices; without it `prices_file` is read.", {
    isHarmless: true,
  }),
  "agents.*.chapo.temperature": row(between(0, 2), "The temperature to ask for.", { isHarmless: true }),
  "agents.*.chapo.max_output_tokens": row(wholeNumber(1), "The most tokens of one reply.", {
    isHarmless: true,
  }),
  "agents.*.chapo.stream": row(yesNo, "Whether replies are read as they come.", {
    default: true,
    isHarmless: true,
  }),
  "agents.*.chapo.context_window": row(
    wholeNumber(1000),
    "The context size of its model in tokens, if Chapo does not know it.",
    { isHarmless: true },
  ),
  "agents.*.chapo.tools": row(
    oneOf("chapo", "claude", "anvil"),
    "The names under which the model sees its tools.",
    { default: "chapo", isHarmless: true },
  ),
  "agents.*.chapo.tool_calls": row(
    oneOf("native", "json"),
    "How its model calls tools: natively, or as JSON in its text.",
    { default: "native", isHarmless: true },
  ),
  "agents.*.chapo.mode": row(
    oneOf(...MODES),
    "Which calls run, ask or are refused (see chapo.md); unset: `trusted` in a run, `default` in `looper chapo`.",
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
  "agents.*.chapo.language": row(oneOf("en", "de"), "The language of its prompts.", {
    default: "en",
    isHarmless: true,
  }),
  "agents.*.chapo.core_prompt": row(path, "A file used instead of the bundled core prompt."),
  "agents.*.chapo.max_iterations": row(wholeBetween(1, 1000), "Turns of the model before it asks you.", {
    default: 25,
    isHarmless: true,
  }),
  "agents.*.chapo.max_conversation_tokens": row(
    wholeBetween(1000, 10_000_000),
    "The most tokens of one request.",
    { default: 120_000, isHarmless: true },
  ),
  "agents.*.chapo.max_requests": row(
    wholeBetween(1, 1_000_000),
    "The most requests of a session to models, sub-agents included.",
    { default: 1000, isHarmless: true },
  ),
  "agents.*.chapo.max_tokens": row(
    wholeBetween(1000, 10_000_000_000),
    "The most tokens of a session, sub-agents and cached input included.",
    { default: 20_000_000, isHarmless: true },
  ),
  "agents.*.chapo.max_cost_usd": row(
    between(0, 1_000_000),
    "The most dollars of a session, as far as prices are known.",
    { default: 50, isHarmless: true },
  ),
  "agents.*.chapo.max_parallel_children": row(
    wholeBetween(0, 16),
    "The most sub-agents at the same time, if they only read; 0: none. Unset: 1, with read-only permissions 4, in a workflow's stage 0.",
    { isHarmless: true },
  ),
  "agents.*.chapo.max_tool_retries": row(wholeBetween(0, 10), "Retries after a temporary failure.", {
    default: 3,
    isHarmless: true,
  }),
  "agents.*.chapo.min_validation_confidence": row(
    between(0, 1),
    "The least confidence with which an answer passes its own check.",
    { default: 0.7, isHarmless: true },
  ),
  "agents.*.chapo.self_validation_enabled": row(
    yesNo,
    "Whether answers are checked before they are delivered.",
    { default: true, isHarmless: true },
  ),
  "agents.*.chapo.compact_at": row(
    between(0.1, 1),
    "The share of the context at which old turns are summarised.",
    { default: 0.92, isHarmless: true },
  ),
  "agents.*.chapo.sub_agents.*": row(
    subAgent,
    "A sub-agent by its type: a model, tools (patterns), a file with its prompt.",
  ),
  "agents.*.chapo.search.provider": row(
    oneOf("tavily", "brave", "serper", "perplexity", "searxng"),
    "The provider of web searches; the key is TAVILY_API_KEY, BRAVE_API_KEY, SERPER_API_KEY or PERPLEXITY_API_KEY.",
    { isHarmless: true },
  ),
  "agents.*.chapo.search.base_url": row(url, "The address of that provider, instead of the usual one."),
  "agents.*.chapo.web_fetch.only_mentioned": row(
    yesNo,
    "Whether only pages that were mentioned are fetched; by default true in a run.",
  ),
  "agents.*.chapo.git.allow_push_main": row(yesNo, "Whether `git_push` may push main and master.", {
    default: false,
  }),
  "agents.*.chapo.ssh.hosts.*": row(host, "A host by its alias; others are refused."),
  "agents.*.chapo.logs.staging": row(path, "The file `logs_getStagingLogs` reads.", { isHarmless: true }),
  "agents.*.chapo.documents": row(path, "The folder of the `context_` tools.", {
    default: "context/documents",
    isHarmless: true,
  }),
  "agents.*.chapo.mcp.servers.*": row(
    server,
    "A server of the Model Context Protocol by its name: its command or its address; `tools` limits its tools.",
  ),
  "agents.*.chapo.budgets.total": row(wholeNumber(1), "The most tool calls of a session.", {
    isHarmless: true,
  }),
  "agents.*.chapo.budgets.tools.*": row(wholeNumber(0), "The most calls of one tool in a session.", {
    isHarmless: true,
  }),
});

function forChapo<R extends Readonly<Record<string, Row>>>(rows: R): R {
  const all = Object.entries(rows).map(([key, one]): [string, Row] => [
    key,
    { ...one, kinds: ["chapo"], ...(one.isHarmless === true ? {} : { asks: "whole" }) },
  ]);
  return Object.fromEntries(all) as R;
}
