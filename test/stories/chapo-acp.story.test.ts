// The built-in engine as an agent of the Agent Client Protocol: raw messages, and a run that drives it as kind acp.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { call, dataOf, eventsOf } from "../rig/chapo.js";
import { story, type Rig } from "../rig/rig.js";
import { BIN as LOOPER } from "../rig/program.js";

function playing(rig: Rig, turns: readonly object[]): Record<string, unknown> {
  const script = path.join(rig.root, "script.json");
  writeFileSync(script, JSON.stringify({ turns }));
  return { chapo: { model: "scripted", chapo: { script, self_validation_enabled: false } } };
}

test(
  "a line that is not a message, and one out of order, are answered with an error, and the next is served",
  story(async (rig) => {
    rig.settings({ agents: playing(rig, [{ say: "Hello." }]) });
    const request = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params });
    const lines = [
      "torn {",
      { hello: 1 },
      request(1, "session/prompt", { sessionId: "none", prompt: [{ type: "text", text: "Hi" }] }),
      request(2, "initialize", { protocolVersion: 1, clientCapabilities: {} }),
    ].map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`);
    const ran = await rig.run(["chapo", "--serve-stdio"], { input: lines.join("") });
    expect(ran).toMatchObject({ code: 0 });
    const answers = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const of = (id: number | null) => answers.filter((one) => one["id"] === id);
    expect(of(null)).toHaveLength(2);
    expect(of(null)[0]).toMatchObject({ error: { code: -32700 } });
    expect(of(1)).toMatchObject([
      { error: { message: expect.stringContaining("must be initialized before") as string } },
    ]);
    expect(of(2)).toMatchObject([{ result: { agentCapabilities: { loadSession: true } } }]);
    expect(await rig.run(["chapo", "--serve-stdio", "Hi"])).toMatchObject({ code: 2 });
  }),
);

interface Sent {
  id?: number;
  method?: string;
  result?: { sessionId?: string };
  error?: { code: number; message: string };
  params?: { update?: { sessionUpdate: string } & Record<string, unknown>; toolCall?: object };
}

/** A client that types one line after the other and reads the answers. */
function connect(rig: Rig) {
  const child = spawn(process.execPath, [LOOPER, "chapo", "--serve-stdio"], {
    cwd: rig.project,
    env: rig.env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  const all = () =>
    out
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Sent);
  const wait = async (fits: (message: Sent) => boolean): Promise<Sent> => {
    await expect.poll(() => all().some(fits), { interval: 20 }).toBe(true);
    return all().find(fits) ?? {};
  };
  const say = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    say,
    wait,
    ask: (id: number, method: string, params: object): Promise<Sent> => {
      say({ id, method, params });
      return wait((message) => message.id === id && message.method === undefined);
    },
    updates: (kind: string) =>
      all().flatMap(({ params }) => (params?.update?.sessionUpdate === kind ? [params.update] : [])),
    end: () => {
      child.stdin.end();
      return once(child, "close");
    },
  };
}

test(
  "an editor gets the commands, the diff and the plan; a folder that is not there is refused and not made",
  story(async (rig) => {
    rig.write("a.txt", "one\ntwo\n");
    const turns = [
      call("fs_readFile", { path: "a.txt" }),
      call("fs_edit", { path: "a.txt", old_string: "two", new_string: "zwei" }),
      call("todo_write", {
        todos: [{ id: 1, content: "Translate", status: "in_progress", priority: "high" }],
      }),
      { say: "Done." },
    ];
    rig.settings({ agents: playing(rig, turns) });
    const client = connect(rig);
    const { ask } = client;
    await ask(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
    const nowhere = path.join(rig.root, "nowhere");
    const file = path.join(rig.project, "a.txt");
    const folders = [
      [nowhere, `cannot find the folder ${nowhere}`],
      [file, `${file} is a file, not a folder`],
      ["relative", "relative is not an absolute path"],
    ] as const;
    for (const [id, [cwd, problem]] of folders.entries()) {
      const { error } = await ask(10 + id, "session/new", { cwd, mcpServers: [] });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(problem) as string });
      expect(existsSync(path.resolve(rig.project, cwd))).toBe(cwd === file);
    }
    expect(
      (await ask(20, "session/load", { sessionId: "none", cwd: rig.project, mcpServers: [] })).error,
    ).toMatchObject({ code: -32602 });
    const server = { name: "gone away", command: path.join(rig.root, "no-such-server"), args: [], env: [] };
    const { result } = await ask(2, "session/new", { cwd: rig.project, mcpServers: [server] });
    await client.wait(({ params }) => params?.update?.sessionUpdate === "available_commands_update");
    const prompt = [{ type: "text", text: "Go" }];
    client.say({ id: 3, method: "session/prompt", params: { sessionId: result?.sessionId, prompt } });
    const asked = await client.wait(({ method }) => method === "session/request_permission");
    const diff = { type: "diff", path: file, oldText: "one\ntwo\n", newText: "one\nzwei\n" };
    expect(asked.params).toMatchObject({ toolCall: { content: [diff] } });
    expect(JSON.stringify(asked.params)).toContain("every edit of a.txt");
    client.say({ id: asked.id, result: { outcome: { outcome: "selected", optionId: "edits" } } });
    await client.wait(({ id, result: ended }) => id === 3 && ended !== undefined);
    expect(rig.read("a.txt")).toBe("one\nzwei\n");
    expect(client.updates("tool_call")[1]).toMatchObject({
      locations: [{ path: path.join(rig.project, "a.txt") }],
    });
    const results = client.updates("tool_call_update").map((one) => JSON.stringify(one));
    expect(results[1]).toContain(JSON.stringify(diff));
    expect(client.updates("plan")).toMatchObject([
      { entries: [{ content: "Translate", status: "in_progress", priority: "high" }] },
    ]);

    // Opened again, the editor gets the calls of before with their results, and what was said.
    const before = client.updates("tool_call").map(({ toolCallId }) => toolCallId);
    await ask(4, "session/load", { sessionId: result?.sessionId, cwd: rig.project, mcpServers: [] });
    const all = client.updates("tool_call").map(({ toolCallId }) => toolCallId);
    expect(all).toEqual([...before, ...before]);
    expect(client.updates("tool_call_update").slice(-3)).toMatchObject(
      before.map((toolCallId) => ({ toolCallId, status: "completed" })),
    );
    await client.end();
  }),
);

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test(
  "an editor changes the mode, hears of a plan that is approved, sends images, and gets the tokens",
  story(async (rig) => {
    const turns = [
      call("fs_writeFile", { path: "a.txt", content: "a" }),
      call("exit_plan_mode", { plan: "Write it." }),
      call("todo_write", { todos: [{ id: 1, content: "Write", status: "pending", priority: "low" }] }),
      { say: "Planned." },
      call("fs_writeFile", { path: "b.txt", content: "b" }),
      { say: "Written." },
    ];
    rig.settings({ agents: playing(rig, turns) });
    const client = connect(rig);
    const { ask, wait, say } = client;
    const begun = await ask(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
    expect(begun.result).toMatchObject({ agentCapabilities: { promptCapabilities: { image: true } } });
    const { result } = await ask(2, "session/new", { cwd: rig.project, mcpServers: [] });
    const offered = { availableModes: ["default", "acceptEdits", "auto", "plan"].map((id) => ({ id })) };
    expect(result).toMatchObject({ modes: { currentModeId: "default", ...offered } });
    const sessionId = result?.sessionId;
    expect(
      (await ask(3, "session/set_mode", { sessionId, modeId: "bypassPermissions" })).error,
    ).toMatchObject({ code: -32602 });
    await ask(4, "session/set_mode", { sessionId, modeId: "acceptEdits" });
    await ask(5, "session/set_mode", { sessionId, modeId: "plan" });
    const image = (data: string) => ({ type: "image", mimeType: "image/png", data });
    const prompt = [{ type: "text", text: "Look" }, image(PNG), image("bm9uZQ==")];
    say({ id: 6, method: "session/prompt", params: { sessionId, prompt } });
    const asked = await wait(({ method }) => method === "session/request_permission");
    expect(JSON.stringify(asked.params)).toContain("exit_plan_mode");
    expect(existsSync(path.join(rig.project, "a.txt"))).toBe(false);
    say({ id: asked.id, result: { outcome: { outcome: "selected", optionId: "allow" } } });
    await wait(({ id, result: ended }) => id === 6 && ended !== undefined);
    expect(client.updates("current_mode_update")).toMatchObject([{ currentModeId: "acceptEdits" }]);
    expect(JSON.stringify(client.updates("agent_message_chunk"))).toContain("(image: not sent");
    const stored = path.join(rig.project, ".looper/sessions", sessionId ?? "");
    expect(readdirSync(path.join(stored, "images"))).toHaveLength(1);
    expect(readFileSync(path.join(stored, "session.json"), "utf8")).toMatch(
      /Look\\n\[image [0-9a-f]{16}\.png/,
    );
    const [usage] = client.updates("usage_update");
    expect(usage).toMatchObject({ used: expect.any(Number) as number, size: expect.any(Number) as number });
    expect(usage).not.toHaveProperty("cost");
    // The mode of before the plan, without a question.
    await ask(7, "session/prompt", { sessionId, prompt: [{ type: "text", text: "Write" }] });
    expect(rig.read("b.txt")).toBe("b");
    const loaded = await ask(8, "session/load", { sessionId, cwd: rig.project, mcpServers: [] });
    expect(loaded.result).toMatchObject({ modes: { currentModeId: "default" } });
    const entries = [{ content: "Write", status: "pending", priority: "low" }];
    expect(client.updates("plan")).toMatchObject([{ entries }, { entries }]);
    await client.end();
  }),
);

test(
  "a run drives it as an agent of kind acp: it asks before a call, and its report is taken",
  story(async (rig) => {
    const report = JSON.stringify({ task_id: "T1", status: "done", summary: "Made." });
    const turns = [call("fs_writeFile", { path: "made.txt", content: "made\n" }), { say: report }];
    const mine = { kind: "acp", binary: process.execPath, args: [LOOPER, "chapo", "--serve-stdio"] };
    rig.settings({
      schedule: { agent: "mine" },
      loop: { max_attempts: 1 },
      agents: { mine, ...playing(rig, turns) },
    });
    rig.writeBacklog([{ id: "T1" }]);
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(rig.read("made.txt")).toBe("made\n");
  }),
);

test(
  "with --json each line of stdin is a message of one session, and a line that is none is reported",
  story(async (rig) => {
    rig.settings({ agents: playing(rig, [{ say: "One." }, { say: "Two." }]) });
    const input = 'Hello\n\n{"no": 1}\n{"message": "And\\nnow?"}\n';
    const ran = await rig.run(["chapo", "--json"], { input });
    expect(ran.code).toBe(0);
    const events = eventsOf(ran);
    expect(dataOf(events, "answer").map(({ answer }) => answer)).toEqual(["One.", "Two."]);
    expect(new Set(dataOf(events, "status").map(({ session }) => session)).size).toBe(1);
    expect(ran.stderr).toContain("line 3 of stdin is not a message");
    expect(await rig.run(["chapo", "--json"], { input: "\n" })).toMatchObject({ code: 2, stdout: "" });
  }),
);
