// How Claude Code 2.1.329 speaks: `claude -p --output-format stream-json --verbose`.

const SESSION = "5f2f7b9e-0000-4000-8000-000000000000";
const USAGE = {
  input_tokens: 200,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 1000,
  output_tokens: 80,
};

/** @type {import("./play.mjs").Voice} */
export const claude = {
  name: "claude",
  refuse(args) {
    if (!args.includes("-p")) return "this fake only speaks -p";
    if (args[args.indexOf("--output-format") + 1] !== "stream-json")
      return "this fake only speaks stream-json";
    if (args.includes("--verbose")) return undefined;
    return "When using --print, --output-format=stream-json requires --verbose";
  },
  badUsage: 1,
  begin: () => [
    {
      type: "system",
      subtype: "init",
      session_id: SESSION,
      model: "fake-model",
      tools: ["Bash", "Edit", "Write", "Read"],
      permissionMode: "acceptEdits",
      apiKeySource: "none",
      claude_code_version: "2.1.329",
    },
    assistant({ type: "thinking", thinking: "Looking at the task." }),
  ],
  say: (text) => [assistant({ type: "text", text })],
  commandStarted: (id, command) => [
    assistant({ type: "tool_use", id: `toolu_${id}`, name: "Bash", input: { command } }),
  ],
  commandEnded(id, _command, { code, output }) {
    const content = code === 0 ? output : `Exit code ${code}\n${output}`;
    return [result(`toolu_${id}`, content, code !== 0)];
  },
  wrote: (id, file_path) => [
    assistant({ type: "tool_use", id: `toolu_${id}`, name: "Write", input: { file_path, content: "" } }),
    result(`toolu_${id}`, `File created successfully at: ${file_path}`, false),
  ],
  retrying: () => [
    {
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      max_retries: 2,
      retry_delay_ms: 2190,
      error_status: 429,
      error: "rate_limit",
    },
  ],
  denied: (tool_name) => [
    {
      type: "system",
      subtype: "permission_denied",
      tool_name,
      tool_use_id: "toolu_denied",
      message: `Permission to use ${tool_name} has been denied.`,
    },
  ],
  failed({ message, status }) {
    const text = `API Error: ${status ?? ""} ${message}`;
    return [
      {
        ...assistant({ type: "text", text }, "<synthetic>"),
        error: "unknown",
        is_api_error_message: true,
        api_error_status: status ?? null,
      },
      { ...ending(text), is_error: true, terminal_reason: "api_error", api_error_status: status ?? null },
    ];
  },
  ended: (text) => [ending(text)],
  onSignal: { SIGTERM: 143, SIGINT: 0 },
};

/**
 * @param {object} block
 * @param {string} [model]
 */
function assistant(block, model = "fake-model") {
  return {
    type: "assistant",
    message: { id: "msg_1", type: "message", role: "assistant", model, content: [block], usage: USAGE },
    parent_tool_use_id: null,
    session_id: SESSION,
  };
}

/**
 * @param {string} tool_use_id
 * @param {string} content
 * @param {boolean} is_error
 */
function result(tool_use_id, content, is_error) {
  return {
    type: "user",
    message: { role: "user", content: [{ tool_use_id, type: "tool_result", content, is_error }] },
    parent_tool_use_id: null,
    session_id: SESSION,
  };
}

/** @param {string} text */
function ending(text) {
  return {
    type: "result",
    subtype: "success",
    is_error: false,
    num_turns: 2,
    result: text,
    session_id: SESSION,
    total_cost_usd: 0.0123,
    usage: USAGE,
    modelUsage: {},
    permission_denials: [],
    terminal_reason: "completed",
    errors: [],
  };
}
