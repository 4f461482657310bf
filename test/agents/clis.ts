// The real clients: which version is pinned, and how each is told to ask the model server instead of its own provider.
// Leaves how it is installed to install.ts, what it is put through to cases.ts.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The parts of a case's stage that a client sees. */
export interface Place {
  home: string;
  /** Of the model server, without a path. */
  origin: string;
}

export interface Cli {
  /** The agent's name in looper's settings, and its kind unless its settings name one. */
  name: AgentName;
  /** The npm package, and the version it is pinned to. */
  package: string;
  version: string;
  /** The program it brings. */
  program: string;
  /** Settings of the agent it cannot do without. */
  settings?: Record<string, unknown>;
  /** Lays its own settings into its home; returns what its environment needs. */
  wire(place: Place): Record<string, string>;
}

export const AGENT_NAMES = ["codex", "claude", "gemini", "opencode", "gemini-acp", "opencode-acp"] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

/** No client's own patience is worth waiting for: it asks so often again. */
const RETRIES = 2;

const GEMINI_MODEL = "gemini-2.5-pro";

const GEMINI: Cli = {
  name: "gemini",
  package: "@google/gemini-cli",
  version: "0.61.0",
  program: "gemini",
  // Left to itself it asks a model which model to ask.
  settings: { model: GEMINI_MODEL },
  wire: ({ home, origin }) => {
    const folder = path.join(home, ".gemini");
    mkdirSync(folder, { recursive: true });
    const auth = { selectedType: "gemini-api-key" };
    writeFileSync(path.join(folder, "settings.json"), JSON.stringify({ security: { auth } }));
    return { GEMINI_CLI_HOME: home, GOOGLE_GEMINI_BASE_URL: origin, GEMINI_API_KEY: "dummy" };
  },
};

const OPENCODE: Cli = {
  name: "opencode",
  package: "opencode-ai",
  version: "1.18.33",
  program: "opencode",
  wire: (place) => wireOpencode(place),
};

export const CLIS: readonly Cli[] = [
  {
    name: "codex",
    package: "@openai/codex",
    version: "0.169.0",
    program: "codex",
    wire: ({ home, origin }) => {
      const folder = path.join(home, ".codex");
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, "config.toml"), codexConfig(origin));
      return { CODEX_HOME: folder, MODEL_SERVER_KEY: "dummy" };
    },
  },
  {
    name: "claude",
    package: "@anthropic-ai/claude-code",
    version: "2.1.329",
    program: "claude",
    wire: ({ home, origin }) => ({
      CLAUDE_CONFIG_DIR: path.join(home, ".claude"),
      ANTHROPIC_BASE_URL: origin,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_MAX_RETRIES: String(RETRIES),
    }),
  },
  GEMINI,
  OPENCODE,
  {
    ...GEMINI,
    name: "gemini-acp",
    settings: { kind: "acp", args: ["--acp", "--skip-trust", "-m", GEMINI_MODEL] },
  },
  {
    ...OPENCODE,
    name: "opencode-acp",
    // Why it waits it tells in its log alone.
    settings: { kind: "acp", args: ["acp", "--print-logs", "--log-level", "WARN"] },
    // Left to itself it asks for nothing, even its plan mode runs commands, and the first refusal would end its work.
    wire: (place) =>
      wireOpencode(place, {
        permission: { edit: "ask", bash: "ask" },
        experimental: { continue_loop_on_deny: true },
      }),
  },
];

function wireOpencode({ origin }: Place, more: Record<string, unknown> = {}): Record<string, string> {
  return {
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...opencodeConfig(origin), ...more }),
  };
}

function opencodeConfig(origin: string) {
  const model = {
    tool_call: true,
    limit: { context: 100_000, output: 8000 },
    cost: { input: 1, output: 2 },
  };
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "model-server",
    options: { baseURL: `${origin}/v1`, apiKey: "dummy" },
    models: { scripted: model },
  };
  const name = "model-server/scripted";
  return {
    autoupdate: false,
    share: "disabled",
    model: name,
    small_model: name,
    provider: { "model-server": provider },
  };
}

function codexConfig(origin: string): string {
  return `# gpt-5.5 is a model it knows: for others it prints a warning.
model = "gpt-5.5"
model_provider = "model-server"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.model-server]
name = "model-server"
base_url = "${origin}/v1"
wire_api = "responses"
env_key = "MODEL_SERVER_KEY"
request_max_retries = ${RETRIES}
stream_max_retries = ${RETRIES}
stream_idle_timeout_ms = 4000
`;
}
