// Every command in the order of the help: its group, what it does in a line, and its file, which is imported
// only when it is asked for.
import type * as Answers from "./commands/answer.js";
import type * as Edits from "./commands/edits.js";
import type { CommandRow } from "./context/command.js";

const edits = (name: keyof typeof Edits) => async () => ({
  command: (await import("./commands/edits.js"))[name],
});
const answers = (name: keyof typeof Answers) => async () => ({
  command: (await import("./commands/answer.js"))[name],
});

/** In the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  ...rowsOf("Work", [
    ["run", "work through the backlog until every task is done", () => import("./commands/run.js")],
    ["push", "release: prepare, check, commit, tag and push a version", () => import("./commands/push.js")],
    [
      "chapo",
      "work with the built-in engine (needs only a model's key)",
      () => import("./commands/chapo.js"),
    ],
  ]),
  ...rowsOf("Backlog", [
    ["ls", "list the tasks in the order a run takes them", () => import("./commands/ls.js")],
    ["show", "show a task, its attempts and why it is blocked", () => import("./commands/show.js")],
    ["why", "explain why a task is or isn't next", () => import("./commands/why.js")],
    ["add", "add a task, or import the tasks of a file", () => import("./commands/add.js")],
    ["set", "change a task", edits("set")],
    ["block", "mark a task as blocked, with a reason", edits("block")],
    ["todo", "mark tasks as still to do", edits("todo")],
    ["done", "mark tasks as done by hand, without checks", edits("done")],
    ["accept", "count unbroken and unverified tasks as verified", edits("accept")],
    ["rm", "remove tasks", edits("rm")],
    ["validate", "check the task file and list every problem", () => import("./commands/validate.js")],
    ["fmt", "format the task file: canonical order of tasks and keys", () => import("./commands/fmt.js")],
  ]),
  ...rowsOf("People", [
    ["questions", "list the questions that wait for a person", () => import("./commands/questions.js")],
    ["answer", "answer the question of a task", () => import("./commands/answer.js")],
    ["approve", "answer yes to the question of a task", answers("approve")],
    ["reject", "answer no to the question of a task", answers("reject")],
    ["pause", "start no more jobs on a task", edits("pause")],
    ["resume", "lift the pause of a task", edits("resume")],
    ["steer", "send a message to the agent of a task", edits("steer")],
    ["complete", "end the workflow of a task, and deliver its work", edits("complete")],
  ]),
  ...rowsOf("Runs", [
    ["runs", "list past runs, newest first", () => import("./commands/runs.js")],
    [
      "status",
      "show the run in progress or the last one, and what is left",
      () => import("./commands/status.js"),
    ],
    ["serve", "show this project in a browser, and serve its API", () => import("./serve/serve.js")],
    ["stop", "stop the run in progress after its current task, or now", () => import("./commands/stop.js")],
    ["tail", "show the events of a run", () => import("./commands/tail.js")],
    ["logs", "print what the agent wrote about a task", () => import("./commands/logs.js")],
    ["replay", "repeat every decision of a run and compare", () => import("./commands/replay.js")],
    ["undo", "take back what a task changed, and reopen it", () => import("./commands/undo.js")],
    ["rescue", "list, show, restore or drop abandoned work", () => import("./commands/rescue.js")],
    ["clean", "remove old runs and sessions that nothing needs", () => import("./commands/clean.js")],
  ]),
  ...rowsOf("Project", [
    ["init", "set up a project: task file and settings", () => import("./commands/init.js")],
    ["config", "show the settings in force, or change one", () => import("./commands/config.js")],
    ["workflows", "list the workflows, show, copy or check one", () => import("./commands/workflows.js")],
    ["doctor", "check what a run needs and what dead runs left behind", () => import("./commands/doctor.js")],
    ["demo", "watch a scripted run; needs no agent and no network", () => import("./commands/demo.js")],
    ["mcp", "serve the backlog to a coding agent over MCP (stdio)", () => import("./commands/mcp.js")],
    ["agent-host", "host an agent in a child process", () => import("./commands/agent-host.js"), "hidden"],
    ["completion", "print the completion script for your shell", () => import("./commands/completion.js")],
    [
      "__complete",
      "list what may be typed next; used by the completion scripts",
      async () => ({ command: (await import("./commands/offer-words.js")).offerWords(COMMANDS) }),
      "hidden",
    ],
  ]),
];

/** `hidden`: not for people; the program calls it itself. */
type Row = readonly [name: string, summary: string, load: CommandRow["load"], hidden?: "hidden"];

function rowsOf(group: CommandRow["group"], rows: readonly Row[]): CommandRow[] {
  return rows.map(([name, summary, load, hidden]) => {
    const row = { name, group, summary, load };
    return hidden === undefined ? row : { ...row, hidden: true };
  });
}
