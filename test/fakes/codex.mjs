// How codex 0.169 speaks: `codex exec --json`.

const USAGE = {
  input_tokens: 1200,
  cached_input_tokens: 1000,
  cache_write_input_tokens: 0,
  output_tokens: 80,
  reasoning_output_tokens: 20,
};

/** @type {import("./play.mjs").Voice} */
export const codex = {
  name: "codex",
  refuse(args) {
    if (args[0] !== "exec") return "the following required arguments were not provided: <exec>";
    const gone = args.find((arg) => arg === "--full-auto");
    if (gone !== undefined) return `unexpected argument '${gone}' found`;
    if (!args.includes("--json")) return "this fake only speaks --json";
    return args.at(-1) === "-" ? undefined : "this fake only reads its prompt from stdin";
  },
  badUsage: 2,
  begin: () => [
    { type: "thread.started", thread_id: "01a1fa77-0000-7000-8000-000000000000" },
    { type: "turn.started" },
    item("completed", { id: "item_0", type: "reasoning", text: "**Looking at the task**" }),
  ],
  say: (text) => [item("completed", { id: "item_1", type: "agent_message", text })],
  commandStarted: (id, command) => [item("started", commandItem(id, command, null, ""))],
  commandEnded: (id, command, { code, output }) => [
    item("completed", commandItem(id, command, code, output)),
  ],
  wrote(id, path) {
    const change = { id, type: "file_change", changes: [{ path, kind: "add" }] };
    return [
      item("started", { ...change, status: "in_progress" }),
      item("completed", { ...change, status: "completed" }),
    ];
  },
  retrying: () => [
    {
      type: "error",
      message: "Reconnecting... 1/2 (stream disconnected before completion: 429 Too Many Requests)",
    },
  ],
  denied: (tool) => [
    item("completed", { ...commandItem("item_denied", tool, null, "rejected: denied"), status: "declined" }),
  ],
  failed({ message, status }) {
    const text = status === undefined ? message : `unexpected status ${status}: ${message}`;
    return [
      { type: "error", message: text },
      { type: "turn.failed", error: { message: text } },
    ];
  },
  ended: () => [{ type: "turn.completed", usage: USAGE }],
  onSignal: { SIGINT: 1 },
};

/**
 * @param {"started" | "completed"} when
 * @param {object} what
 */
function item(when, what) {
  return { type: `item.${when}`, item: what };
}

/**
 * @param {string} id
 * @param {string} command
 * @param {number | null} code
 * @param {string} output
 */
function commandItem(id, command, code, output) {
  const status = code === null ? "in_progress" : code === 0 ? "completed" : "failed";
  return {
    id,
    type: "command_execution",
    command: `/bin/bash -lc '${command}'`,
    aggregated_output: output,
    exit_code: code,
    status,
  };
}
