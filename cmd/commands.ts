// Every command: its group in the help, in which order, what it does in a line, and its file, which is imported only when it is asked
// for.
import type { CommandFile } from "./command.js";
import { legacy } from "./legacy.js";

export interface CommandRow {
  name: string;
  group: "Work" | "Backlog" | "People" | "Runs" | "Project";
  summary: string;
  /** Not for people: the program calls it itself. */
  hidden?: true;
  load: () => Promise<{ command: CommandFile }>;
}

/** In the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: "run",
    group: "Work",
    summary: "work through the backlog until every task is done",
    load: () => legacy("run"),
  },
  {
    name: "push",
    group: "Work",
    summary: "release: prepare, check, commit, tag and push a version",
    load: () => legacy("push"),
  },
  {
    name: "chapo",
    group: "Work",
    summary: "work with the built-in engine (needs only a model's key)",
    load: () => legacy("chapo"),
  },
  {
    name: "ls",
    group: "Backlog",
    summary: "list the tasks in the order a run takes them",
    load: () => legacy("ls"),
  },
  {
    name: "show",
    group: "Backlog",
    summary: "show a task, its attempts and why it is blocked",
    load: () => legacy("show"),
  },
  {
    name: "why",
    group: "Backlog",
    summary: "explain why a task is or isn't next",
    load: () => legacy("why"),
  },
  {
    name: "add",
    group: "Backlog",
    summary: "add a task, or import the tasks of a file",
    load: () => legacy("add"),
  },
  { name: "set", group: "Backlog", summary: "change a task", load: () => legacy("set") },
  {
    name: "block",
    group: "Backlog",
    summary: "mark a task as blocked, with a reason",
    load: () => legacy("block"),
  },
  { name: "todo", group: "Backlog", summary: "mark tasks as still to do", load: () => legacy("todo") },
  {
    name: "done",
    group: "Backlog",
    summary: "mark tasks as done by hand, without checks",
    load: () => legacy("done"),
  },
  {
    name: "accept",
    group: "Backlog",
    summary: "count done but unverified tasks as verified",
    load: () => legacy("accept"),
  },
  { name: "rm", group: "Backlog", summary: "remove tasks", load: () => legacy("rm") },
  {
    name: "validate",
    group: "Backlog",
    summary: "check the task file and list every problem",
    load: () => legacy("validate"),
  },
  {
    name: "fmt",
    group: "Backlog",
    summary: "format the task file: canonical order of tasks and keys",
    load: () => legacy("fmt"),
  },
  {
    name: "questions",
    group: "People",
    summary: "list the questions that wait for a person",
    load: () => legacy("questions"),
  },
  { name: "answer", group: "People", summary: "answer the question of a task", load: () => legacy("answer") },
  {
    name: "approve",
    group: "People",
    summary: "answer yes to the question of a task",
    load: () => legacy("approve"),
  },
  {
    name: "reject",
    group: "People",
    summary: "answer no to the question of a task",
    load: () => legacy("reject"),
  },
  { name: "pause", group: "People", summary: "start no more jobs on a task", load: () => legacy("pause") },
  { name: "resume", group: "People", summary: "lift the pause of a task", load: () => legacy("resume") },
  {
    name: "steer",
    group: "People",
    summary: "send a message to the agent of a task",
    load: () => legacy("steer"),
  },
  {
    name: "complete",
    group: "People",
    summary: "end the workflow of a task, and deliver its work",
    load: () => legacy("complete"),
  },
  { name: "runs", group: "Runs", summary: "list past runs, newest first", load: () => legacy("runs") },
  {
    name: "status",
    group: "Runs",
    summary: "show the run in progress or the last one, and what is left",
    load: () => legacy("status"),
  },
  {
    name: "stop",
    group: "Runs",
    summary: "stop the run in progress after its current task, or now",
    load: () => legacy("stop"),
  },
  { name: "tail", group: "Runs", summary: "show the events of a run", load: () => legacy("tail") },
  {
    name: "logs",
    group: "Runs",
    summary: "print what the agent wrote about a task",
    load: () => legacy("logs"),
  },
  {
    name: "replay",
    group: "Runs",
    summary: "repeat every decision of a run and compare",
    load: () => legacy("replay"),
  },
  {
    name: "undo",
    group: "Runs",
    summary: "take back what a task changed, and reopen it",
    load: () => legacy("undo"),
  },
  {
    name: "rescue",
    group: "Runs",
    summary: "list, show, restore or drop abandoned work",
    load: () => legacy("rescue"),
  },
  {
    name: "clean",
    group: "Runs",
    summary: "remove old runs and sessions that nothing needs",
    load: () => legacy("clean"),
  },
  {
    name: "init",
    group: "Project",
    summary: "set up a project: task file and settings",
    load: () => legacy("init"),
  },
  {
    name: "config",
    group: "Project",
    summary: "show the settings in force, or change one",
    load: () => legacy("config"),
  },
  {
    name: "workflows",
    group: "Project",
    summary: "list the workflows, show, copy or check one",
    load: () => legacy("workflows"),
  },
  {
    name: "doctor",
    group: "Project",
    summary: "check what a run needs and what dead runs left behind",
    load: () => legacy("doctor"),
  },
  {
    name: "demo",
    group: "Project",
    summary: "watch a scripted run; needs no agent and no network",
    load: () => legacy("demo"),
  },
  {
    name: "mcp",
    group: "Project",
    summary: "serve the backlog to a coding agent over MCP (stdio)",
    load: () => legacy("mcp"),
  },
  {
    name: "agent-host",
    group: "Project",
    summary: "host an agent in a child process",
    hidden: true,
    load: () => legacy("agent-host"),
  },
  {
    name: "completion",
    group: "Project",
    summary: "print the completion script for your shell",
    load: () => legacy("completion"),
  },
  {
    name: "__complete",
    group: "Project",
    summary: "list what may be typed next; used by the completion scripts",
    hidden: true,
    load: () => legacy("__complete"),
  },
];
