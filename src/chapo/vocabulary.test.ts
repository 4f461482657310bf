import { mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { nodePorts } from "../system/processes/node-ports.js";
import { defineTool, done, type Tool } from "./tool.js";
import { createFindTools } from "./tools/files/files-find.js";
import { createMoveTools } from "./tools/files/files-move.js";
import { createReadTools } from "./tools/files/files-read.js";
import { createWriteTools } from "./tools/files/files-write.js";
import { createNotebookTools } from "./tools/files/notebook.js";
import { createTodoTools } from "./tools/notes/todos.js";
import { toCanonicalCall, offerTools, type Vocabulary } from "./vocabulary.js";

function tool(name: string, ...fields: string[]): Tool {
  const shape = Object.fromEntries(fields.map((field) => [field, z.string().optional()]));
  return defineTool({
    name,
    description: `Runs ${name}`,
    arguments: z.strictObject(shape),
    changes: false,
    run: () => Promise.resolve(done("")),
  });
}

function tools(root: string): Tool[] {
  const store = { read: () => Promise.resolve([]), write: () => Promise.resolve() };
  const place = { ...nodePorts(), root };
  return [
    ...[...createReadTools(place), ...createWriteTools(place), ...createMoveTools(place)],
    ...createFindTools(place),
    ...createTodoTools(store),
    ...createNotebookTools({ ...nodePorts(), root }),
    tool("bash_execute", "command", "description", "timeout", "background"),
    tool("bash_output", "id", "command", "filter"),
    tool("bash_kill", "id"),
    tool("run_command", "command", "timeout"),
    tool("web_fetch", "url"),
    tool("web_search", "query", "page"),
    tool("agent_task", "agent_type", "prompt"),
    tool("slash_command", "command"),
    tool("git_status"),
    tool("memory_search", "query"),
  ];
}

/** Lists names and fields, with `?` after optional ones. */
function listed(vocabulary: Vocabulary, agents: string[] = []): string[] {
  return offerTools(vocabulary, tools("/"), agents).map(({ name, parameters }) => {
    const required: unknown[] = Array.isArray(parameters.required) ? parameters.required : [];
    const fields = Object.keys(parameters.properties ?? {});
    return `${name}(${fields.map((field) => (required.includes(field) ? field : `${field}?`)).join(", ")})`;
  });
}

test("claude has nineteen names, and a tool without one keeps its own", () => {
  expect(
    listed("claude")
      .filter((name) => /^[A-Z]/.test(name))
      .sort(),
  ).toEqual(
    [
      "Agent(agent_type, prompt)",
      "Bash(command, description?, timeout?, background?)",
      "BashOutput(id)",
      "Edit(file_path, old_string, new_string, replace_all?)",
      "Glob(pattern)",
      "Grep(pattern, path?, flags?)",
      "KillShell(id?)",
      "LS(path)",
      "MultiEdit(file_path?, edits)",
      "NotebookEdit(path, cell_idx, content)",
      "NotebookRead(path)",
      "Read(file_path, offset?, limit?)",
      "SlashCommand(command)",
      "Task(agent_type, prompt)",
      "TodoRead()",
      "TodoWrite(todos)",
      "WebFetch(url)",
      "WebSearch(query)",
      "Write(file_path, content)",
    ].sort(),
  );
  expect(listed("claude").filter((name) => /^[a-z]/.test(name))).toEqual([
    "fs_mkdir(path)",
    "fs_move(source, destination)",
    "fs_delete(path, recursive?)",
    "run_command(command?, timeout?)",
    "git_status()",
    "memory_search(query?)",
  ]);
});

test("anvil has nine names", () => {
  const own = tools("/").map(({ name }) => name);
  const names = listed("anvil").filter((name) => !own.includes(name.replace(/\(.*/, "")));
  expect([...names, ...listed("anvil").filter((name) => /^(?:run_c|web_s)/.test(name))].sort()).toEqual([
    "glob(pattern)",
    "grep(pattern, path?)",
    "list_files(path)",
    "read_file(path, offset?, limit?)",
    "run_command(command, timeout?)",
    "str_replace(path, old_string, new_string, replace_all?)",
    "web_extract(url)",
    "web_search(query, page?)",
    "write_file(path, contents)",
  ]);
});

test("chapo uses the tools' own names", () => {
  const offered = offerTools("chapo", tools("/"), []);
  expect(offered.map(({ name }) => name)).toEqual(tools("/").map(({ name }) => name));
  const [edit] = offered.filter(({ name }) => name === "fs_edit");
  expect(edit?.parameters).toMatchObject({ type: "object", required: ["path", "old_string", "new_string"] });
  // Bounds are checked by the gate.
  expect(JSON.stringify(offered)).not.toMatch(/maxLength|additionalProperties|9007199254740991/);
});

test("each tool gets a field `agent`, unless it has one itself", () => {
  const own = tool("mcp_x_y", "agent");
  const [first, second] = offerTools("claude", [tool("web_fetch", "url"), own], ["developer", "searcher"]);
  expect(first?.parameters.properties).toMatchObject({ agent: { enum: ["developer", "searcher"] } });
  expect(first?.parameters.required).toEqual(["url"]);
  expect(second?.parameters).toEqual(own.parameters);
});

test("a description contains the offered names of tools", () => {
  const described = { ...tool("x"), description: "see fs_readFile, old_string and git_status" };
  expect(offerTools("anvil", [described], [])[0]?.description).toBe(
    "see read_file, old_string and git_status",
  );
  const id = z.string().describe("the id from bash_execute");
  const output = defineTool({
    ...{ name: "bash_output", description: "", arguments: z.strictObject({ id }), changes: false },
    run: () => Promise.resolve(done("")),
  });
  expect(offerTools("claude", [output], [])[0]?.parameters.properties).toEqual({
    id: { type: "string", description: "the id from Bash" },
  });
});

test.each<[Vocabulary, string, unknown, string, unknown]>([
  ["chapo", "fs.readFile", { path: "a" }, "fs_readFile", { path: "a" }],
  ["chapo", " fs_readFile ", { path: "a" }, "fs_readFile", { path: "a" }],
  ["chapo", "Read", { file_path: "a" }, "Read", { file_path: "a" }],
  ["claude", "Read", { file_path: "a", limit: 3 }, "fs_readFile", { path: "a", limit: 3 }],
  ["claude", "read", { file_path: "a" }, "fs_readFile", { path: "a" }],
  ["claude", "fs.readFile", { path: "a" }, "fs_readFile", { path: "a" }],
  ["claude", "Read", { file_path: "a", path: "b" }, "fs_readFile", { file_path: "a", path: "b" }],
  ["claude", "Bash", { command: "ls", timeout: 100 }, "bash_execute", { command: "ls", timeout: 100 }],
  ["claude", "BashOutput", { command: "npm start" }, "bash_output", { command: "npm start" }],
  ["claude", "Agent", { agent_type: "plan", prompt: "x" }, "agent_task", { agent_type: "plan", prompt: "x" }],
  ["claude", "SlashCommand", { command: "/x" }, "slash_command", { command: "/x" }],
  ["claude", "MultiEdit", { file_path: "a", edits: [{}] }, "fs_multiEdit", { path: "a", edits: [{}] }],
  [
    "chapo",
    "fs_multiEdit",
    { edits: [{ file_path: "a" }, 1] },
    "fs_multiEdit",
    { edits: [{ path: "a" }, 1] },
  ],
  ["anvil", "write_file", { path: "a", contents: "" }, "fs_writeFile", { path: "a", content: "" }],
  ["anvil", "run_command", { command: "ls" }, "run_command", { command: "ls" }],
  ["anvil", "read_file", "not an object", "fs_readFile", "not an object"],
  ["anvil", "mcp_a_b", null, "mcp_a_b", null],
])("%s: %s %j", (...[vocabulary, name, args, canonical, canonicalArgs]) => {
  expect(toCanonicalCall(vocabulary, name, args)).toEqual({ name: canonical, args: canonicalArgs });
});

test("an edit has the same result in each of the three vocabularies", async () => {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "looper-words-")));
  const edit = { old_string: "one", new_string: "two" };
  const calls: [Vocabulary, string, object][] = [
    ["chapo", "fs.edit", { path: "a.txt", ...edit }],
    ["claude", "Edit", { file_path: "a.txt", ...edit }],
    ["anvil", "str_replace", { path: "a.txt", ...edit }],
  ];
  for (const [vocabulary, name, args] of calls) {
    await writeFile(path.join(root, "a.txt"), "one\n");
    const call = toCanonicalCall(vocabulary, name, args);
    const prepared = tools(root)
      .find((one) => one.name === call.name)
      ?.prepare(call.args);
    if (prepared === undefined || "problem" in prepared) throw new Error(prepared?.problem ?? call.name);
    const { signal } = new AbortController();
    const result = await prepared.run({ callId: "c", signal });
    expect(result).toMatchObject({ success: true, output: "updated a.txt: 1 replacement" });
    expect(await readFile(path.join(root, "a.txt"), "utf8")).toBe("two\n");
  }
});

test("the claude vocabulary accepts the further fields of Grep", () => {
  const grep = (args: unknown) => toCanonicalCall("claude", "Grep", args);
  expect(
    grep({ pattern: "x", output_mode: "content", "-A": 3, "-B": 1, "-n": true, "-i": true, flags: "-w" }),
  ).toEqual({ name: "fs_grep", args: { pattern: "x", flags: "-w -A 3 -B 1 -i" } });
  expect(grep({ pattern: "x", output_mode: "files_with_matches", glob: "*.ts" })).toEqual({
    name: "fs_grep",
    args: { pattern: "x", glob: "*.ts", flags: "-l" },
  });
  expect(grep({ pattern: "x", "-C": 2, output_mode: "count" }).args).toEqual({
    ...{ pattern: "x", flags: "-C 2 -c" },
  });
  expect(grep({ pattern: "x" }).args).toEqual({ pattern: "x" });
  expect(grep({ pattern: "x", output_mode: "tree" }).args).toEqual({ pattern: "x", output_mode: "tree" });
});
