// Clients that know the server `looper mcp`: an agent of a run asks the runner with its tools.
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentName } from "./clis.js";
import { MAKE, madeAll, unless, type Case, type Scene } from "./case.js";

const SERVER = {
  command: process.execPath,
  args: [fileURLToPath(new URL("../../dist/looper.js", import.meta.url)), "mcp", "--allow-answers"],
};

/** The flags that name the server to a client. Codex offers its tools of gpt-5 at once, those of later models on demand. */
function flagsFor(agent: AgentName): string[] {
  if (agent === "claude") return ["--mcp-config", JSON.stringify({ mcpServers: { looper: SERVER } })];
  const { command, args } = SERVER;
  const settings = [
    `mcp_servers.looper.command=${JSON.stringify(command)}`,
    `mcp_servers.looper.args=${JSON.stringify(args)}`,
    'model="gpt-5"',
  ];
  return settings.flatMap((setting) => ["-c", setting]);
}

/** No request of the model's offered a tool that only a person has. */
function offersNoAnswer({ server }: Scene): string[] {
  const offered = server.seen.flatMap(({ tools }) => tools).filter((name) => /answer$|edit_task$/.test(name));
  return unless(offered.length === 0, `the agent was offered ${path.basename(String(offered[0]))}`);
}

export const MCP_CASES: readonly Case[] = [
  {
    name: "mcp",
    about: "The agent reads its task, leaves a note and reports over `looper mcp`.",
    only: ["codex", "claude"],
    agent: (agent) => ({ args: flagsFor(agent) }),
    scenario: {
      sessions: [
        [
          { do: "mcp", tool: "task", input: {} },
          { do: "mcp", tool: "note", input: { text: "noted over MCP" } },
          MAKE,
          { do: "mcp", tool: "report", input: { status: "done", summary: "reported over MCP" } },
          { do: "say", text: "Finished." },
          { do: "say", text: "Really." },
        ],
      ],
    },
    check: (scene) => [
      ...madeAll(scene, ["T1"]),
      ...offersNoAnswer(scene),
      ...unless(
        scene.rig.events().some(({ type, role }) => type === "message" && role === "note"),
        "the note is not in the log",
      ),
      ...unless(
        scene.rig.events().some(({ summary }) => summary === "reported over MCP"),
        "the report is not the one that came over MCP",
      ),
    ],
    wanted: "complete",
  },
  {
    name: "mcp-ask",
    about: "The agent asks a person over `looper mcp`, with `permissions: read-only`.",
    only: ["codex", "claude"],
    agent: (agent) => ({ args: flagsFor(agent), permissions: "read-only" }),
    scenario: {
      sessions: [
        [
          { do: "mcp", tool: "ask_human", input: { question: "Which port?" } },
          { do: "say", text: "I wait for the answer." },
          { do: "say", text: "Still." },
        ],
      ],
    },
    check: ({ rig }) =>
      unless(
        rig.readBacklog().tasks[0]?.blockers?.join() === "Which port?",
        "the question is not what blocks the task",
      ),
    wanted: "blocked",
  },
];
