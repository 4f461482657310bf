// Decisions about the calls of the built-in engine, by rules or by a person at a terminal; and tools of a server.
import { spawn } from "node:child_process";
import { existsSync, linkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively, sample } from "../rig/exhaustive.js";
import { call, dataOf, eventsOf, playScript } from "../rig/chapo.js";
import { story, type Rig } from "../rig/rig.js";
import { BIN } from "../rig/program.js";

/** Git with an author, so that it can commit. */
const GIT = "git -c user.name=P -c user.email=p@example.org";

/** `looper chapo` on a terminal, its questions answered one after the other. */
function onTerminal(
  rig: Rig,
  words: string,
  answers: readonly string[],
): Promise<{ code: number | null; said: string }> {
  const line = `"${process.execPath}" "${BIN}" chapo ${words}`;
  const child = spawn("script", ["-qefc", line, "/dev/null"], {
    cwd: rig.project,
    env: { ...rig.env, TERM: "xterm" },
  });
  const waiting = [...answers];
  let said = "";
  let asked = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    const questions = said.split("wants to use");
    const isAsking = questions.length - 1 > asked && questions.at(-1)?.includes("Allow this?") === true;
    if (!isAsking) return;
    asked += 1;
    // A question too many is turned away from.
    child.stdin.write(waiting.shift() ?? "\u0003");
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => {
      resolve({ code, said });
    });
  });
}

const onLinux = test.skipIf(process.platform !== "linux");

onLinux(
  "files as the rules allow, commands as a person does: two questions, each with the exact command",
  story(async (rig) => {
    rig.gitInit();
    rig.write("a.txt", "alpha\n");
    rig.write("check.sh", "grep -q beta b.txt && echo checked >> checks.txt\n");
    const turns = [
      call("fs_readFile", { path: "a.txt" }),
      call("fs_listFiles", {}),
      call("fs_writeFile", { path: "b.txt", content: "alpha\n" }),
      call("fs_edit", { path: "b.txt", old_string: "alpha", new_string: "beta" }),
      call("bash_execute", { command: "sh check.sh" }),
      call("bash_execute", { command: `git add -A && ${GIT} commit -qm made` }),
      { say: "All of it is done." },
    ];
    playScript(rig, { turns }, { rules: { allow: ["Write", "Edit(b.txt)"] } });
    const { code, said } = await onTerminal(rig, '"Make b"', ["y", "y"]);
    expect(code, said).toBe(0);
    expect(said.split("wants to use").length - 1).toBe(2);
    expect(said).toContain(`git add -A && ${GIT} commit -qm made`);
    expect(said).toContain("All of it is done.");
    expect([rig.read("b.txt"), rig.read("checks.txt")]).toEqual(["beta\n", "checked\n"]);
    expect(rig.git("log", "-1", "--format=%s").trim()).toBe("made");
  }),
);

onLinux(
  "no does nothing, always holds for the very same, and a change is shown as a diff",
  story(async (rig) => {
    rig.write("a.txt", "alpha\n");
    const turns = [
      call("fs_edit", { path: "a.txt", old_string: "alpha", new_string: "beta" }),
      call("bash_execute", { command: "echo x >> x.txt" }),
      call("bash_execute", { command: "echo x >> x.txt" }),
      call("bash_execute", { command: "echo x  >> y.txt" }),
      { say: "Done." },
    ];
    playScript(rig, { turns });
    const { code, said } = await onTerminal(rig, "Change", ["n", "a", "n"]);
    expect(code, said).toBe(0);
    expect(said.split("wants to use").length - 1).toBe(3);
    expect(said).toContain("-alpha");
    expect(said).toContain("+beta");
    expect([rig.read("a.txt"), rig.read("x.txt")]).toEqual(["alpha\n", "x\nx\n"]);
    expect(existsSync(path.join(rig.project, "y.txt"))).toBe(false);
  }),
);

test(
  "a denied command is seen however it is wrapped, in every trust mode and vocabulary; the rest runs",
  story(async (rig) => {
    rig.write("kept/x", "kept");
    rig.gitInit();
    const denied = [
      `true && ${GIT} commit --allow-empty -m x`,
      `FOO=1 ${GIT} commit --allow-empty -m x`,
      'sh -c "rm -rf kept"',
      "echo $(rm -rf kept)",
    ];
    const turns = [
      ...denied.map((command) => call("Bash", { command })),
      call("Bash", { command: "echo fine > fine.txt" }),
      // No reader can tell what it runs, so a person is asked.
      call("Bash", { command: "r=rm; $r -rf kept" }),
      { say: "Done." },
    ];
    const rules = { allow: ["Bash"], deny: ["Bash(git commit *)", "Bash(rm -rf *)"] };
    for (const mode of sample(["trusted", "default"], 1)) {
      playScript(rig, { turns }, { rules, tools: "claude" });
      const before = rig.git("rev-parse", "HEAD");
      const events = eventsOf(await rig.run(["chapo", "--json", "--mode", mode, "Go"]));
      const results = dataOf(events, "tool_result");
      expect(results.map(({ success }) => success)).toEqual([...denied.map(() => false), true]);
      for (const { code, tries } of results.slice(0, -1)) expect([code, tries]).toEqual(["denied", 0]);
      expect(events.slice(-2).map(({ type }) => type)).toEqual(["action_pending", "clarify"]);
      expect([rig.read("kept/x"), rig.read("fine.txt")]).toEqual(["kept", "fine\n"]);
      expect(rig.git("rev-parse", "HEAD")).toBe(before);
    }
  }),
);

test(
  "a hard link to a denied file is neither read, searched, edited nor printed",
  story(async (rig) => {
    rig.write(".env", "TOKEN=tk-987654321\n");
    rig.write("free.txt", "TOKEN of nothing\n");
    linkSync(path.join(rig.project, ".env"), path.join(rig.project, "notes.txt"));
    const turns = [
      call("fs_readFile", { path: "notes.txt" }),
      call("fs_grep", { pattern: "TOKEN" }),
      call("fs_grep", { pattern: "TOKEN", path: "notes.txt" }),
      call("fs_edit", { path: "notes.txt", old_string: "TOKEN", new_string: "T" }),
      call("fs_move", { from: "notes.txt", to: "moved.txt" }),
      call("bash_execute", { command: "cat notes.txt" }),
      call("fs_readFile", { path: "free.txt" }),
      { say: "Done." },
    ];
    playScript(rig, { turns }, { rules: { deny: ["Read(.env)"] } });
    const events = eventsOf(await rig.run(["chapo", "--json", "--mode", "trusted", "Go"]));
    const results = dataOf(events, "tool_result");
    expect(results.map(({ success }) => success)).toEqual([false, true, false, false, false, false, true]);
    expect(JSON.stringify(results)).not.toContain("987654321");
    expect(results[1]?.output).toContain("free.txt:1:TOKEN of nothing");
  }),
);

test(
  "a git command that may print a denied file is not run unasked; one that names other files is",
  story(async (rig) => {
    rig.write(".env", "TOKEN=tk-987654321\n");
    rig.write("a.txt", "alpha\n");
    rig.gitInit();
    rig.write(".env", "TOKEN=tk-123456789\n");
    rig.write("a.txt", "beta\n");
    for (const command of sample(["cd . && git show", "git diff", "git log -p", "git grep TOKEN"], 1)) {
      const turns = [
        call("bash_execute", { command: "git diff -- a.txt" }),
        call("bash_execute", { command }),
        { say: "Done." },
      ];
      playScript(rig, { turns }, { rules: { deny: ["Read(.env)"] } });
      const ran = await rig.run(["chapo", "--json", "--mode", "auto", "Go"]);
      const events = eventsOf(ran);
      expect(dataOf(events, "tool_result")[0]?.output).toContain("+beta");
      expect(events.at(-2)?.type).toBe("action_pending");
      expect(ran.stdout).not.toMatch(/987654321|123456789/);
    }
  }),
);

const SERVER = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const say = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  if (method === "initialize")
    say({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  if (method === "tools/list")
    say({ tools: [{ name: "shout", inputSchema: schema }, { name: "other", inputSchema: schema }] });
  if (method === "tools/call") say({ content: [{ type: "text", text: params.arguments.text.toUpperCase() }] });
});
`;

exhaustively(
  "a server's tools go through the same gate; one that does not start is a warning",
  story(async (rig) => {
    const file = path.join(rig.root, "server.cjs");
    rig.write("../server.cjs", SERVER);
    const servers = {
      own: { command: process.execPath, args: [file], tools: ["shout"] },
      gone: { command: "/no/such/server" },
    };
    const turns = [
      call("mcp_own_shout", { text: "hello" }),
      call("mcp_own_shout", {}),
      call("mcp_own_other", { text: "x" }),
      { say: "Done." },
    ];
    playScript(rig, { turns }, { mcp: { servers }, rules: { allow: ["mcp_own_*"] } });
    const ran = await rig.run(["chapo", "--json", "Shout"]);
    const results = dataOf(eventsOf(ran), "tool_result");
    expect(results).toMatchObject([
      { tool: "mcp_own_shout", success: true, output: "HELLO" },
      { success: false, code: "bad_arguments" },
      { success: false, code: "not_whitelisted" },
    ]);
    expect(results[1]?.output).toContain("must have required property 'text'");
    expect(ran.stderr).toContain("MCP server gone: cannot start /no/such/server: program not found");
    const listed = await rig.run(["chapo", "tools"]);
    expect(listed.stdout).toContain("mcp_own_shout");
  }),
);

test.each(
  sample<[mode: string, refusal: string | undefined]>(
    [
      ["plan", "plan mode"],
      ["acceptEdits", undefined],
      ["claude", "a person must allow it first"],
      ["staged", undefined],
      ["anvil", undefined],
    ],
    1,
  ),
)("--mode %s decides about a write", (value, refusal) =>
  story(async (rig) => {
    const turns = [call("fs_writeFile", { path: "b.txt", content: "alpha\n" }), { say: "Done." }];
    playScript(rig, { turns });
    const ran = await rig.run(["chapo", "--mode", value, "--json", "Write b"]);
    expect(existsSync(path.join(rig.project, "b.txt")), ran.stdout).toBe(refusal === undefined);
    expect(ran.code, ran.stdout).toBe(refusal === undefined || value === "plan" ? 0 : 1);
  })(),
);
