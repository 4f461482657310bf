// The documents' endpoints of `looper serve`, each with its errors, on few servers.
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { call, playScript } from "../rig/chapo.js";
import { story } from "../rig/rig.js";
import { at, connect, type Said, ServeClient, signIn, startServer } from "../rig/serve-client.js";
import { playStages } from "../rig/stages.js";

const types = (lines: readonly { type: string }[]): string[] => lines.map(({ type }) => type);

test(
  "a message streams Chapo's events, and its session continues, is read on, and is listed",
  story(async (rig) => {
    playScript(rig, {
      turns: [
        call("fs_writeFile", { path: "made.txt", content: "made\n" }),
        { say: "It is made." },
        { say: "Slow words to read.", delay_ms: 3_000 },
        call("ask_user", { question: "Which one?" }),
        { say: "Thanks." },
      ],
    });
    rig.write("sub/in.txt", "in\n");
    const skill = { id: "short", name: "Short", description: "Says little", systemPrompt: "Be short." };
    rig.write(".looper/skills/short/skill.json", JSON.stringify(skill));
    rig.write(".looper/skills/bad/skill.json", "not JSON");
    const client = await startServer(rig);

    const first = await client.lines("POST", "/api/looper", { message: "Make it" });
    expect(types(first)).toEqual([
      ...["status", "thinking", "usage", "step", "tool_call", "tool_result"],
      ...["thinking", "usage", "step", "usage", "validation", "answer"],
    ]);
    expect(first.map(({ seq }) => seq)).toEqual(first.map(({ seq }) => seq).toSorted((a, b) => a - b));
    expect(first.at(-1)?.data).toMatchObject({ answer: "It is made.", validated: true, totalIterations: 2 });
    expect(rig.read("made.txt")).toBe("made\n");
    const sessionId = String(first[0]?.data["sessionId"]);
    expect(new Set(first.map(({ data }) => data["sessionId"]))).toEqual(new Set([sessionId]));

    // The client leaves at the first line; the turn continues, another message is refused meanwhile.
    await client.lines("POST", "/api/looper", { message: "Slowly", sessionId }, () => true);
    expect((await client.ask("POST", "/api/looper", { message: "Too", sessionId })).status).toBe(409);
    const last = first.at(-1)?.seq ?? 0;
    const rest = await client.lines("GET", `/api/looper?sessionId=${sessionId}&after=${last}&stream=all`);
    expect(rest[0]?.seq).toBe(last + 1);
    expect(types(rest)).toEqual(expect.arrayContaining(["status", "message", "answer"]));
    const older = await client.lines("POST", "/api/looper?stream=agents", {
      message: "Ask",
      sessionId,
      config: { selfValidationEnabled: false },
    });
    expect(types(older)).toEqual(["status", "looper_thinking", "usage", "looper_step", "looper_clarify"]);
    expect((await client.ask("GET", `/api/looper/status/${sessionId}`)).body).toEqual({
      ...{ sessionId, active: false, status: "waiting_for_user", lastSeq: older.at(-1)?.seq },
    });
    await client.stop("SIGKILL");

    const again = await startServer(rig);
    const all = await again.lines("GET", `/api/looper?sessionId=${sessionId}&stream=all`);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    const quick = { selfValidationEnabled: false };
    const ended = await again.lines("POST", "/api/looper", { message: "That", sessionId, config: quick });
    expect(types(ended)).not.toContain("validation");
    expect([ended[0]?.seq, ended.at(-1)?.type]).toEqual([all.length + 1, "answer"]);
    const said = await again.ask("GET", `/api/sessions/${sessionId}/messages`);
    expect(at(said, "messages", 0)).toEqual({ role: "user", content: "Make it" });
    expect(at(said, "messages", 1, "toolCalls", 0)).toMatchObject({ name: "fs_writeFile" });
    expect(at(await again.ask("GET", "/api/sessions"), "sessions", 0, "id")).toBe(sessionId);
    const skills = await again.ask("GET", "/api/skills");
    expect([at(skills, "skills", 0, "id"), at(skills, "problems", 0)]).toEqual([
      "short",
      expect.stringContaining("bad/skill.json"),
    ]);
    const prompts = await again.ask("GET", "/api/looper/prompts");
    expect(at(prompts, "prompts")).toHaveLength(7);
    expect(at(prompts, "looper.agent.commander")).toMatch(/\S/);

    const inside = { message: "x", projectRoot: "sub", skillIds: ["short"] };
    await again.lines("POST", "/api/looper", inside);
    expect(existsSync(path.join(rig.project, "sub/made.txt"))).toBe(true);
    const bad: readonly (readonly [object, number])[] = [
      [{}, 400],
      [{ message: "" }, 400],
      [{ message: "x", config: { maxIterations: 101 } }, 400],
      [{ message: "x", provider: "scripted" }, 400],
      [{ message: "x", provider: "openai" }, 400],
      [{ message: "x", skillIds: ["none"] }, 400],
      [{ message: "x", projectRoot: ".." }, 400],
      [{ message: "x", projectRoot: "none" }, 400],
      [{ message: "x", projectRoot: "\0" }, 400],
      [{ message: "x", sessionId: "none" }, 404],
      [{ message: "x", sessionId: "../x" }, 404],
    ];
    for (const [body, status] of bad) {
      const refused = await again.ask("POST", "/api/looper", body);
      expect([body, refused.status]).toEqual([body, status]);
      if (status === 400) expect(refused.body).toMatchObject({ error: "Invalid request", details: [{}] });
      else expect(refused.body).toMatchObject({ error: "Session not found" });
    }
    const open = again.as("");
    expect((await open.ask("GET", "/api/health")).body).toEqual({
      status: "ok",
      providers: { anthropic: false, openai: false, gemini: false },
      mcp: { servers: 0 },
    });
    expect((await open.ask("GET", "/api/sessions")).status).toBe(401);
    for (const where of ["/api/looper?sessionId=no", "/api/looper/status/no", "/api/sessions/no/messages"])
      expect([where, (await again.ask("GET", where)).status]).toEqual([where, 404]);
    await again.stop();
  }),
);

test(
  "calls that wait are listed, approved once and rejected, alone and in a batch",
  story(async (rig) => {
    playScript(
      rig,
      {
        turns: [
          call("bash_execute", { command: "echo x >> x.txt" }),
          call("bash_execute", { command: "sleep 60", timeout: 1000 }),
          { say: "It failed." },
          call("bash_execute", { command: "sleep 60", timeout: 1000 }),
          { say: "Done." },
        ],
      },
      { mode: "default" },
    );
    const client = await startServer(rig);
    const asked = await client.lines("POST", "/api/looper", { message: "Work" });
    expect(types(asked).slice(-2)).toEqual(["action_pending", "clarify"]);
    const pending = asked.at(-2)?.data ?? {};
    const id = String(pending["actionId"]);
    const sessionId = String(pending["sessionId"]);
    expect(pending).toMatchObject({ toolName: "bash_execute", preview: "echo x >> x.txt" });
    expect(existsSync(path.join(rig.project, "x.txt"))).toBe(false);
    const listed = await client.ask("GET", "/api/actions/pending");
    expect(at(listed, "actions")).toMatchObject([{ id, status: "pending", toolName: "bash_execute" }]);

    // The server is killed in between: what waits is in the session.
    await client.stop("SIGKILL");
    const again = await startServer(rig);
    const twice = await Promise.all([1, 2].map(() => again.ask("POST", `/api/actions/${id}/approve`)));
    expect(twice.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(rig.read("x.txt")).toBe("x\n");
    expect((await again.ask("GET", `/api/actions/${id}`)).body).toMatchObject({ status: "done" });
    await again.lines("GET", `/api/looper?sessionId=${sessionId}`);
    expect((await again.ask("POST", `/api/actions/${id}/approve`)).body).toMatchObject({
      status: "done",
    });

    const next = String(at(await again.ask("GET", "/api/actions/pending"), "actions", 0, "id"));
    const batch = await again.ask("POST", "/api/actions/approve-batch", { actionIds: [next, "no.call"] });
    expect(at(batch, "results")).toMatchObject([
      { actionId: next, success: true, action: { status: "failed" } },
      { actionId: "no.call", success: false, error: "Action not found" },
    ]);
    await again.lines("GET", `/api/looper?sessionId=${sessionId}`);
    const once = await again.lines("POST", "/api/looper", { message: "Again", sessionId });
    const last = String(once.at(-2)?.data["actionId"]);
    expect((await again.ask("POST", `/api/actions/${last}/reject`, { comment: "no" })).body).toMatchObject({
      status: "rejected",
    });
    expect((await again.ask("POST", `/api/actions/${last}/reject`)).status).toBe(400);
    for (const verb of ["approve", "reject"])
      expect((await again.ask("POST", `/api/actions/none.x/${verb}`)).status).toBe(404);

    // A session of a terminal asks by itself, and an approval from here allows one call.
    const both = ["echo 1 >> y.txt", "echo 2 >> y.txt"].map((command) => call("bash_execute", { command }));
    playScript(rig, { turns: [...both, { say: "Done." }] });
    expect((await rig.run(["chapo", "--json", "Work"])).code).toBe(1);
    const first = String(at(await again.ask("GET", "/api/actions/pending"), "actions", 0, "id"));
    expect((await again.ask("POST", `/api/actions/${first}/approve`)).body).toMatchObject({ status: "done" });
    const rest = await again.lines("GET", `/api/looper?sessionId=${first.split(".")[0] ?? ""}`);
    expect(types(rest).slice(-2)).toEqual(["action_pending", "clarify"]);
    expect(rig.read("y.txt")).toBe("1\n");

    // Each of these routes has a limit of its own.
    const statuses = new Set<number>();
    for (let n = 0; n < 30; n++) statuses.add((await again.ask("POST", "/api/actions/none.x/reject")).status);
    expect([...statuses]).toEqual([404, 429]);
    expect((await again.ask("POST", "/api/actions/none.x/approve")).status).toBe(404);
    await again.stop();
  }),
);

test(
  "agents are started at a task one at a time, listed, force-completed and started afresh",
  story(async (rig) => {
    const puppet = await rig.agent();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let second = (): void => undefined;
    const working = new Promise<void>((resolve) => (second = resolve));
    const play = playStages({
      implement: async (turn) => {
        second();
        await turn.gone;
      },
    });
    puppet.play(async (turn) => {
      await held;
      await (turn.task === "" ? turn.report() : play(turn));
    });
    rig.writeBacklog([{ id: "T1" }, { id: "T2", workflow: "plan-approve-execute" }, { id: "T3" }]);
    rig.gitInit();
    const client = await startServer(rig);
    const post = (task: string, agentType: unknown) =>
      client.ask("POST", `/api/tasks/${task}/agent-runs`, { agentType });
    for (const type of ["coding", undefined])
      expect((await post("T1", type)).body).toMatchObject({
        error: "Invalid agent type. Must be one of: planification, implementation, review",
      });
    const refused = await Promise.all([
      post("T1", 1),
      post("word", "review"),
      post("9", "review"),
      post("T2", "review"),
      client.ask("GET", "/api/tasks/word/agent-runs"),
      client.ask("GET", "/api/tasks/9/agent-runs"),
      client.ask("PUT", "/api/tasks/1/workflow-complete", { complete: "yes" }),
      client.ask("PUT", "/api/tasks/9/workflow-complete", { complete: true }),
      client.ask("GET", "/api/agent-runs/12"),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 404, 409, 400, 404, 400, 404, 404]);
    expect((await client.ask("GET", "/api/tasks/T1/agent-runs")).body).toEqual([]);

    const watching = connect(client);
    await watching.send({ type: "subscribe", taskId: "9" });
    expect(await watching.until(() => true)).toMatchObject([{ type: "error", error: "Task not found" }]);
    await watching.send({ type: "subscribe", taskId: "1" });
    expect(await watching.until(() => true)).toMatchObject([{ type: "subscribed", taskId: "1" }]);
    const all = await Promise.all(Array.from({ length: 50 }, () => post("1", "planification")));
    const [made, ...more] = all.filter(({ status }) => status === 201);
    expect(more).toEqual([]);
    expect(made?.body).toMatchObject({
      ...{ task_id: "T1", agent_type: "planification", status: "running", completed_at: null },
    });
    const id = at(made ?? { status: 0, body: {} }, "id");
    const others = all.filter(({ status }) => status === 409);
    expect(others).toHaveLength(49);
    expect(new Set(others.map((one) => at(one, "runningAgent", "id")))).toEqual(new Set([id]));
    expect(new Set(others.map((one) => at(one, "error")))).toEqual(
      new Set(["An agent is already running for this task"]),
    );
    expect((await client.ask("GET", "/api/tasks/T1/agent-runs")).body).toEqual([made?.body]);
    expect(await post("T1", "review")).toMatchObject({ status: 409 });
    // Beside another run an agent waits, until its task is completed.
    const waits = await post("T3", "planification");
    expect(waits).toMatchObject({ status: 201, body: { id: null, status: "pending" } });
    const third = () => client.ask("GET", "/api/tasks/T3/agent-runs");
    expect((await third()).body).toEqual([waits.body]);
    expect((await client.ask("PUT", "/api/tasks/3/workflow-complete", { complete: true })).status).toBe(200);
    expect((await third()).body).toEqual([]);

    release();
    const planned = await client.ask("GET", "/api/v1/runs");
    const run = String(at(planned, "runs", 0, "run"));
    await (await client.fetch("GET", `/api/v1/runs/${run}/events`)).text();
    expect((await client.ask("GET", `/api/agent-runs/${String(id)}`)).body).toMatchObject({
      ...{ id, status: "completed", completed_at: expect.any(String) as unknown },
    });
    const turn = { taskId: "T1", conversationId: at(made ?? { status: 0, body: {} }, "conversation_id") };
    expect(await watching.until(({ type }) => type === "streaming-ended")).toEqual([
      { type: "streaming-started", ...turn, claudeSessionId: null },
      { type: "streaming-ended", ...turn },
    ]);
    const begun = await post("T1", "implementation");
    expect(begun).toMatchObject({ status: 201, body: { agent_type: "implementation", status: "running" } });
    await working;
    const complete = (value: boolean) =>
      client.ask("PUT", "/api/tasks/T1/workflow-complete", { complete: value });
    expect(await complete(true)).toMatchObject({
      ...{ status: 200, body: { success: true, workflow_complete: true, forceCompletedAgents: 1 } },
    });
    expect(rig.statuses()["T1"]).toBe("done");
    const after = await client.ask("GET", "/api/tasks/T1/agent-runs");
    expect(at(after, 0)).toMatchObject({ id: at(begun, "id"), status: "completed" });
    expect(at(after, 1)).toMatchObject({ id });
    expect((await complete(false)).body).toMatchObject({ workflow_complete: false, forceCompletedAgents: 0 });

    // A run that is killed holds nothing: the next start is made.
    const again = await post("T1", "implementation");
    expect(again.status).toBe(201);
    const live = await client.ask("GET", "/api/v1/status");
    const killed = String(at(again, "conversation_id"));
    await watching.until((one) => one["type"] === "streaming-started" && one["conversationId"] === killed);
    process.kill(Number(at(live, "run", "pid")), "SIGKILL");
    await watching.until((one) => one["type"] === "streaming-ended" && one["conversationId"] === killed);
    expect((await post("T1", "implementation")).status).toBe(201);
    expect((await complete(true)).body).toMatchObject({ forceCompletedAgents: 1 });
    await client.stop();
  }),
);

/** The state of a session, once it is at a stage. */
async function reached(client: ServeClient, id: string, stage: string): Promise<Said> {
  for (;;) {
    const said = await client.ask("GET", `/coding/${id}`);
    if (at(said, "stage") === stage) return said;
    expect(["planning", "executing"]).toContain(at(said, "stage"));
    const run = at(await client.ask("GET", "/api/v1/runs"), "runs", 0, "run");
    if (typeof run === "string") await (await client.fetch("GET", `/api/v1/runs/${run}/events`)).text();
  }
}

test(
  "a request is planned, approved by who made it, a restart later, and carried out once",
  story(async (rig) => {
    const puppet = await rig.agent();
    const play = playStages();
    puppet.play((turn) => (turn.task === "" ? turn.report() : play(turn)));
    rig.writeBacklog([{ id: "T1", status: "done" }]);
    rig.gitInit();
    const program = rig.start(["serve", "--port", "0"]);
    const [, base = "", link = ""] = await program.says(/(http:\/\/127\.0\.0\.1:\d+)\/#key=(\S+)/);
    const key = await signIn(base, link, "bob");
    const first = new ServeClient(base, key, program);
    const begun = await first.ask("POST", "/coding/start", { request: "Write a greeting\nin a file" });
    expect(begun).toMatchObject({
      status: 202,
      body: { session_id: "T2", status: "running", stage: "planning", mode: "plan-approve-execute" },
    });
    const asked = await reached(first, "T2", "awaiting_plan_approval");
    expect(asked.body).toMatchObject({
      ...{ status: "paused", checkpoint: "plan_approval", clarified_query: "Write a greeting" },
      shown: expect.stringContaining("Write hello.txt") as unknown,
      ...{ query: "Write a greeting\nin a file", plan: { steps: ["Write hello.txt", "Check it"] } },
    });
    await first.stop("SIGKILL");

    const local = await startServer(rig, ["--share", "answer", "--as", "ann"]);
    const [, guest = ""] = await local.program.says(/ann \(answer\): \S+#key=(\S+)/);
    const ann = local.as(await signIn(local.base, guest));
    const bob = local.as(key);
    const foreign = await Promise.all([
      ann.ask("GET", "/coding/T2"),
      ann.ask("POST", "/coding/T2/approve"),
      ann.ask("GET", "/api/tasks/T2/agent-runs"),
      bob.ask("GET", "/coding/T1"),
      bob.ask("GET", "/coding/T99"),
    ]);
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await local.ask("GET", "/coding/T2")).body).toEqual(asked.body);
    const done = await bob.ask("POST", "/coding/T2/approve", { approved_plan: at(asked, "plan") });
    expect(done).toMatchObject({ status: 200, body: { stage: "completed", status: "completed" } });
    expect(rig.read("hello.txt")).toBe("hello\n");
    for (const verb of ["approve", "reject"])
      expect((await bob.ask("POST", `/coding/T2/${verb}`)).status).toBe(409);

    await bob.ask("POST", "/coding/start", { request: "Again" });
    await reached(bob, "T3", "awaiting_plan_approval");
    const plan = { ...(at(asked, "plan") as object), steps: ["Another step"] };
    const edited = await bob.ask("POST", "/coding/T3/edit", { plan });
    expect(edited.body).toMatchObject({ stage: "awaiting_plan_approval", plan: { steps: ["Another step"] } });
    expect(at(await bob.ask("POST", "/coding/T3/pause"), "stage")).toBe("awaiting_plan_approval");
    expect(at(await bob.ask("POST", "/coding/T3/resume"), "stage")).toBe("awaiting_plan_approval");
    const refused = await bob.ask("POST", "/coding/T3/reject", { comment: "no" });
    expect(refused.body).toMatchObject({ stage: "cancelled", status: "cancelled" });
    const wrong = await Promise.all([
      bob.ask("POST", "/coding/start", {}),
      bob.ask("POST", "/coding/start", { request: " " }),
      bob.ask("POST", "/coding/start", { request: "x", workflow: "none" }),
      ann.ask("POST", "/coding/start", { request: "x" }),
      bob.ask("POST", "/coding/T3/edit", {}),
    ]);
    expect(wrong.map(({ status }) => status)).toEqual([400, 400, 422, 403, 400]);
    await local.stop();
  }),
);

test(
  "the older chat, notes and settings are served; the web narrows what is allowed and never widens it",
  story(async (rig) => {
    playScript(rig, {
      turns: [
        call("bash_execute", { command: `printf '%0900d' 7` }),
        { say: "Printed." },
        call("fs_writeFile", { path: "y.txt", content: "y\n" }),
      ],
    });
    rig.write("src/a.txt", "pinned words\n");
    rig.write(".env", "SECRET=1\n");
    const client = await startServer(rig);
    const user = (content: string) => [{ id: "1", role: "user", content, timestamp: "2026-01-01" }];
    const chat = await client.lines("POST", "/api/chat", {
      messages: user("Go"),
      pinnedFiles: ["src/a.txt"],
    });
    const kinds = ["status", "context_stats", "tool_call", "tool_result", "tool_result", "tool_result"];
    expect(types(chat)).toEqual([...kinds, "context_stats", "response"]);
    expect(chat[2]).toMatchObject({
      name: "bash_execute",
      arguments: { command: expect.any(String) as unknown },
    });
    const response = chat.at(-1) as unknown as {
      response: { message: { content: string }; sessionId: string };
    };
    expect(response.response.message.content).toBe("Printed.");
    const { sessionId } = response.response;
    const said = await client.ask("GET", `/api/sessions/${sessionId}/messages`);
    expect(at(said, "messages", 0, "content")).toContain("pinned words");
    const bad = [
      {},
      { messages: [] },
      { messages: [{ role: "assistant", content: "x" }] },
      { messages: user("x"), skillIds: ["none"] },
      { messages: user("x"), provider: "mistral" },
      { messages: user("x"), pinnedFiles: ["../x"] },
      { messages: user("x"), pinnedFiles: [".env"] },
      { messages: user("x"), pinnedFiles: Array.from({ length: 9 }, () => "src/a.txt") },
    ];
    for (const body of bad)
      expect([body, (await client.ask("POST", "/api/chat", body)).status]).toEqual([body, 400]);

    const note = await client.ask("POST", "/api/memory/remember", {
      content: "The door is blue",
      promoteToLongTerm: true,
    });
    expect(note).toMatchObject({ status: 200, body: { success: true, longTerm: "MEMORY.md" } });
    const found = await client.ask("GET", "/api/memory/search?query=DOOR&limit=5");
    expect(at(found, "results")).toMatchObject([
      { filePath: at(note, "filePath"), line: expect.any(Number) as unknown },
      { filePath: "MEMORY.md" },
    ]);
    const short = await client.ask("GET", "/api/memory/search?query=door&includeLongTerm=false");
    expect(at(short, "results")).toHaveLength(1);
    const today = await client.ask("GET", "/api/memory/daily/today");
    expect(at(today, "content")).toContain("The door is blue");
    expect((await client.ask("GET", `/api/memory/daily/${String(at(today, "date"))}`)).body).toEqual(
      today.body,
    );
    expect(at(await client.ask("GET", "/api/memory/daily/2020-01-01"), "content")).toBe("");
    const wrong = await Promise.all([
      client.ask("POST", "/api/memory/remember", { content: "x".repeat(4001) }),
      client.ask("POST", "/api/memory/remember", { content: " " }),
      client.ask("GET", "/api/memory/search?query=x&limit=51"),
      client.ask("GET", "/api/memory/search?query=x&limit=0"),
      client.ask("GET", "/api/memory/search"),
      client.ask("GET", "/api/memory/daily/2020-13-01"),
      client.ask("GET", "/api/memory/daily/..%2f..%2fx"),
    ]);
    expect(wrong.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400, 400]);

    expect(at(await client.ask("GET", "/api/settings"), "model")).toBe("scripted");
    expect((await client.ask("GET", "/api/settings/trust-mode")).body).toEqual({ mode: "trusted" });
    const widening = await Promise.all([
      client.ask("PUT", "/api/settings/trust-mode", { mode: "dangerous" }),
      client.ask("POST", "/api/settings/permissions", { allow: ["Bash(*)"] }),
      client.ask("POST", "/api/settings/permissions", { deny: ["Bash(x)"], allow: ["Bash(*)"] }),
      client.ask("POST", "/api/settings/permissions", {}),
      // It could not be read, and would end every further conversation.
      client.ask("POST", "/api/settings/permissions", { deny: ["Bash(x)", "Bash("] }),
    ]);
    expect(widening.map(({ status }) => status)).toEqual([403, 403, 403, 403, 422]);
    const denied = await client.ask("POST", "/api/settings/permissions", { deny: ["Write(secret/**)"] });
    expect(at(denied, "deny")).toEqual(["Write(secret/**)"]);
    expect((await client.ask("PUT", "/api/settings/trust-mode", { mode: "default" })).status).toBe(200);
    expect((await client.ask("PUT", "/api/settings/trust-mode", { mode: "trusted" })).status).toBe(403);
    // The mode counts from the next message on.
    const asked = await client.lines("POST", "/api/looper", { message: "More", sessionId });
    expect(types(asked)).toContain("action_pending");
    expect(existsSync(path.join(rig.project, "y.txt"))).toBe(false);
    await client.stop();
  }),
);

test(
  "a WebSocket has the same events, guards and roles, and replays what was missed",
  story(async (rig) => {
    playScript(
      rig,
      { turns: [call("bash_execute", { command: "echo x >> x.txt" }), { say: "Done." }] },
      { mode: "default" },
    );
    const client = await startServer(rig, ["--share", "answer", "--as", "ann"]);
    const one = connect(client);
    await one.send({ type: "ping" });
    await one.until(({ type }) => type === "pong");
    await one.send({ type: "request", message: "Work", requestId: "r1" });
    const first = await one.until(({ type }) => type === "clarify");
    expect(first.every(({ requestId }) => requestId === "r1")).toBe(true);
    expect(types(first)).toEqual(expect.arrayContaining(["status", "thinking", "action_pending"]));
    const { actionId, sessionId } = (first.at(-2)?.["data"] ?? {}) as Record<string, string>;
    one.socket.terminate();

    const since = Number(first[1]?.["seq"]);
    const two = connect(client);
    await two.send({ type: "hello", sessionId, sinceSeq: since });
    const missed = await two.until(({ type }) => type === "clarify");
    expect(missed[0]).toMatchObject({
      ...{ type: "hello_ack", currentSeq: first.at(-1)?.["seq"], pendingQuestions: [] },
      pendingActions: [{ id: actionId, status: "pending" }],
    });
    expect(missed[1]).toMatchObject({ type: "initial_sync", messages: [{ role: "user" }, {}] });
    expect(missed.slice(2).map(({ seq }) => seq)).toEqual(first.slice(2).map(({ seq }) => seq));
    const [, guest = ""] = await client.program.says(/ann \(answer\): \S+#key=(\S+)/);
    const ann = connect(client, { key: await signIn(client.base, guest) });
    await ann.send({ type: "approval", approvalId: actionId });
    expect(await ann.until(() => true)).toMatchObject([
      { type: "error", error: "approved is missing: true or false" },
    ]);
    await ann.send({ type: "approval", approvalId: actionId, approved: true, requestId: "r2" });
    const rest = await ann.until(({ type }) => type === "answer");
    expect(rest[0]).toMatchObject({ requestId: "r2", seq: Number(first.at(-1)?.["seq"]) + 1 });
    expect(rig.read("x.txt")).toBe("x\n");
    await two.send({ type: "approval", approvalId: actionId, approved: true });
    expect(await two.until(({ type }) => type === "error")).toMatchObject([{ status: "done" }]);
    await two.send({ type: "hello", sessionId: "none" });
    expect(await two.until(({ type }) => type === "error")).toMatchObject([{ error: "Session not found" }]);

    const wrong = connect(client, { key: "x".repeat(40) });
    expect((await wrong.until(() => true))[0]).toMatchObject({ type: "error", code: "key" });
    expect(await wrong.code).toBe(1008);
    const torn = connect(client);
    await torn.send("{");
    expect(await torn.code).toBe(1007);
    await ann.send({ type: "request", message: "Work" });
    expect(await ann.until(() => true)).toMatchObject([{ type: "error", code: "role" }]);
    const foreign = [
      { origin: "http://evil.example" },
      { host: "evil.example" },
      { "sec-fetch-site": "same-site" },
    ];
    const refused = foreign.map((headers) => connect(client, { headers }).code);
    expect(await Promise.all(refused)).toEqual([403, 421, 403]);
    // A socket that breaks leaves the others alone.
    await two.send({ type: "ping" });
    await two.until(({ type }) => type === "pong");
    await client.stop();
    await two.code;
  }),
);
