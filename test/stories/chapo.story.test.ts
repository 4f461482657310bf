// The built-in engine at a person's hand: `looper chapo`, with a scripted model and real tools in a real folder.
import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { call, dataOf, eventsOf, playScript } from "../rig/chapo.js";
import { story } from "../rig/rig.js";

const BUG = 'exports.login = (name) => name === "";\n';
const TEST =
  'const { test } = require("node:test");\nconst assert = require("node:assert");\ntest("login", () => assert.equal(require("./login.js").login("ann"), true));\n';

const VALIDATES = { self_validation_enabled: true };

test(
  "it reads, edits, tests and answers, and says so in order",
  story(async (rig) => {
    rig.write("login.js", BUG);
    rig.write("login.test.js", TEST);
    playScript(
      rig,
      {
        turns: [
          call("fs_readFile", { path: "login.js" }),
          call("fs_edit", { path: "login.js", old_string: 'name === ""', new_string: 'name !== ""' }),
          call("bash_execute", { command: "node --test login.test.js" }),
          { say: "The login bug is fixed: the test passes." },
        ],
      },
      VALIDATES,
    );
    const ran = await rig.run(["chapo", "--json", "--mode", "trusted", "Fix the login bug"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(rig.read("login.js")).toBe('exports.login = (name) => name !== "";\n');
    const events = eventsOf(ran);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    const told = events
      .map(({ type }) => type)
      .filter((type) => !["usage", "message", "delta"].includes(type));
    const turn = ["thinking", "step", "tool_call", "tool_result"];
    expect(told).toEqual(["status", ...turn, ...turn, ...turn, "thinking", "step", "validation", "answer"]);
    expect(dataOf(events, "tool_call").map(({ agent, tool }) => `${agent} ${tool}`)).toEqual([
      "developer fs_readFile",
      "developer fs_edit",
      "commander bash_execute",
    ]);
    expect(dataOf(events, "tool_result").map(({ success }) => success)).toEqual([true, true, true]);
    expect(dataOf(events, "answer")).toEqual([
      { answer: "The login bug is fixed: the test passes.", validated: true, status: "completed" },
    ]);
  }),
);

test(
  "a - behind the words adds what is on stdin to the message",
  story(async (rig) => {
    playScript(rig, { turns: [{ say: "It renames." }] });
    const ran = await rig.run(["chapo", "--json", "Explain", "the diff", "-"], { input: "-old\n+new\n" });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const folder = path.join(
      rig.project,
      ".looper/sessions",
      dataOf(eventsOf(ran), "status")[0]?.session ?? "",
    );
    const kept = readdirSync(folder).map((name) =>
      rig.read(path.join(".looper/sessions", path.basename(folder), name)),
    );
    expect(kept.join("")).toContain(JSON.stringify("Explain the diff\n\n-old\n+new").slice(1, -1));
  }),
);

test(
  "without --json the answer stands alone on stdout, and what was done on stderr; its memory is a file",
  story(async (rig) => {
    rig.write("notes.md", "hello\n");
    const note = { content: "The staging port is 4711.", promote: true };
    playScript(rig, {
      turns: [
        call("fs_readFile", { path: "notes.md" }),
        call("memory_remember", note),
        { say: "It says hello." },
      ],
    });
    const { code, stdout, stderr } = await rig.run([
      "chapo",
      "--mode",
      "trusted",
      "What",
      "do",
      "the notes say?",
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "It says hello.\n" });
    expect(stderr).toMatch(/fs_readFile.*notes\.md/);
    expect(rig.read("MEMORY.md")).toContain("The staging port is 4711.");
  }),
);

exhaustively(
  "a session asks how to continue after 25 turns without an answer, and resumes in another process with its history",
  story(async (rig) => {
    rig.write("a.txt", "alpha\n");
    playScript(
      rig,
      {
        turns: [{ ...call("fs_readFile", { path: "a.txt" }), times: 25 }, { say: "Now it is done." }],
        summary: [{ say: "Read a.txt many times; nothing is open. Shall I stop?" }],
      },
      VALIDATES,
    );
    const first = await rig.run(["chapo", "--json", "Read on"]);
    expect(first.code).toBe(1);
    const events = eventsOf(first);
    expect(dataOf(events, "step")).toHaveLength(25);
    expect(dataOf(events, "clarify")).toEqual([
      { question: "Read a.txt many times; nothing is open. Shall I stop?", status: "waiting_for_user" },
    ]);
    const listed = await rig.run(["chapo", "sessions", "--json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      sessions: [{ state: "waiting_for_user", iterations: 25 }],
    });
    const [status] = dataOf(events, "status");
    const second = await rig.run(["chapo", "--json", "--session", status?.session ?? "", "Go on"]);
    expect(second.code).toBe(0);
    const later = eventsOf(second);
    expect(dataOf(later, "thinking")[0]).toMatchObject({ iteration: 1, event: "clarification_response" });
    expect(dataOf(later, "validation")).toHaveLength(1);
    expect(dataOf(later, "answer")[0]?.answer).toBe("Now it is done.");
  }),
);

exhaustively(
  "a draft that is doubted goes back with the issues; 0.70 is enough; a validation that always says no has two rounds",
  story(async (rig) => {
    const no = (confidence: number) => ({
      say: JSON.stringify({ isComplete: false, confidence, issues: ["no tests"], suggestion: "add one" }),
    });
    playScript(
      rig,
      {
        turns: [{ say: "First draft." }, { say: "Second draft." }],
        validation: [no(0.69), no(0.7)],
      },
      VALIDATES,
    );
    const once = eventsOf(await rig.run(["chapo", "--json", "Write it"]));
    expect(dataOf(once, "validation").map(({ confidence }) => confidence)).toEqual([0.69, 0.7]);
    expect(dataOf(once, "thinking").map(({ event }) => event)).toEqual(["user_message", "self_validation"]);
    expect(dataOf(once, "answer")).toMatchObject([{ answer: "Second draft.", validated: true }]);

    playScript(
      rig,
      { turns: [{ say: "A draft.", times: 9 }], validation: [{ ...no(0.1), times: 9 }] },
      VALIDATES,
    );
    const never = await rig.run(["chapo", "--json", "Write it"]);
    expect(never.code).toBe(0);
    expect(dataOf(eventsOf(never), "validation")).toHaveLength(2);
    expect(dataOf(eventsOf(never), "answer")).toMatchObject([{ answer: "A draft.", validated: false }]);
  }),
);

test(
  "a call that is wrong, out of bounds or not allowed gets a result, nothing is done, and the session continues",
  story(async (rig) => {
    writeFileSync(path.join(rig.root, "secret.txt"), "secret\n");
    symlinkSync(path.join(rig.root, "secret.txt"), path.join(rig.project, "link.txt"));
    const calls = [
      call("bash_execute", { agent: "searcher", command: "touch made.txt" }),
      call("delegateToScout", { query: "x" }),
      call("fs_edit", { path: "a.txt", old_string: 3, new_string: "b" }),
      call("fs_readFile", { path: "../secret.txt" }),
      call("fs_readFile", { path: "link.txt" }),
      call("fs_writeFile", { path: ".git/hooks/post-commit", content: "#!/bin/sh\n" }),
      call("fs_writeFile", { path: ".env", content: "A=1\n" }),
      call("web_fetch", { url: "http://169.254.169.254/latest/meta-data/" }),
      call("web_fetch", { url: "file:///etc/passwd" }),
      call("web_search", { query: "weather" }),
      call("git_push", { remote: "origin", branch: "main" }),
      call("ssh_execute", { host: "nowhere", command: "id" }),
    ];
    playScript(rig, { turns: [...calls, { say: "None of it could be done." }] });
    const ran = await rig.run(["chapo", "--json", "--mode", "trusted", "Try all of it"]);
    expect(ran.code).toBe(0);
    const results = dataOf(eventsOf(ran), "tool_result");
    expect(results.map(({ success }) => success)).toEqual(calls.map(() => false));
    const texts = results.map(({ output }) => output);
    expect(texts[1]).toContain("not whitelisted");
    expect(texts[2]).toContain("old_string");
    for (const refused of [3, 4]) expect(texts[refused]).toContain("outside the project");
    expect(readdirSync(rig.project).sort()).toEqual([".looper", "link.txt"]);
    expect(existsSync(path.join(rig.project, ".env"))).toBe(false);
  }),
);

test(
  "a rule lets a change run without a person; deny beats all",
  story(async (rig) => {
    const turns = [
      call("bash_execute", { command: "echo hi > hi.txt" }),
      call("bash_execute", { command: "true && git push origin x" }),
      { say: "Done what I could." },
    ];
    playScript(rig, { turns }, { rules: { allow: ["Bash(echo *)", "Bash"], deny: ["Bash(git push *)"] } });
    const ran = await rig.run(["chapo", "--json", "Write"]);
    const events = eventsOf(ran);
    expect(dataOf(events, "tool_result").map(({ success }) => success)).toEqual([true, false]);
    expect(dataOf(events, "action_pending")).toEqual([]);
    expect(dataOf(events, "tool_result")[1]?.output).toContain("Bash(git push *)");
    expect(rig.read("hi.txt")).toBe("hi\n");
  }),
);

test(
  "no key is exit 3, and says which variable to set",
  story(async (rig) => {
    const { code, stderr } = await rig.run(["chapo", "Hello"]);
    expect(code).toBe(3);
    expect(stderr).toContain("ANTHROPIC_API_KEY");
    const named = await rig.run(["chapo", "--model", "openai/gpt-x", "Hello"]);
    expect(named.code).toBe(3);
    expect(named.stderr).toContain("OPENAI_API_KEY");
    const none = await rig.run(["chapo"]);
    expect(none.code).toBe(2);
  }),
);

test(
  "a sub-agent works by itself: what it did stays with it, its last words come back, and it starts no other",
  story(async (rig) => {
    rig.write("a.txt", "alpha\n");
    playScript(rig, {
      turns: [
        call("agent_task", { agent_type: "explore", prompt: "What is in a.txt?" }),
        { say: "It is alpha." },
      ],
      agents: {
        explore: [
          call("fs_readFile", { path: "a.txt" }),
          call("agent_task", { agent_type: "explore", prompt: "again" }),
          call("fs_writeFile", { path: "b.txt", content: "b" }),
          { say: "a.txt holds the word alpha." },
        ],
      },
    });
    const ran = await rig.run(["chapo", "--json", "--mode", "trusted", "What is in a.txt?"]);
    expect(ran.code).toBe(0);
    const own = eventsOf(ran).filter(({ child }) => child === undefined);
    expect(dataOf(own, "tool_result")).toMatchObject([{ tool: "agent_task", success: true }]);
    expect(dataOf(own, "tool_result")[0]?.output).toContain("a.txt holds the word alpha.");
    expect(existsSync(path.join(rig.project, "b.txt"))).toBe(false);
    const { sessions } = JSON.parse((await rig.run(["chapo", "sessions", "--json"])).stdout) as {
      sessions: { id: string; children: string[] }[];
    };
    const id = sessions[0]?.id ?? "";
    const children = sessions[0]?.children ?? [];
    expect(children).toHaveLength(1);
    const folder = path.join(rig.project, ".looper/sessions", id);
    const parent = readFileSync(path.join(folder, "session.json"), "utf8");
    const child = readFileSync(path.join(folder, "children", children[0] ?? ""), "utf8");
    expect(JSON.parse(child)).toMatchObject({ parent: id, agent: "explore" });
    const said = (text: string): unknown => (JSON.parse(text) as { messages: unknown }).messages;
    expect(JSON.stringify(said(parent))).not.toContain("fs_readFile");
    expect(JSON.stringify(said(child))).toContain("fs_readFile");
  }),
);

test(
  "the processes of a killed session are named by doctor, and end when any other session starts or with --fix",
  story(async (rig) => {
    const isLeft = (seconds: string) => rig.leftovers().some((line) => line.includes(` sleep ${seconds}`));
    const killed = async (seconds: string): Promise<void> => {
      playScript(rig, { turns: [call("bash_execute", { command: `sleep ${seconds}` })] });
      const session = rig.start(["chapo", "--json", "--mode", "trusted", "Work"]);
      await expect.poll(() => isLeft(seconds)).toBe(true);
      await session.kill("alone");
    };
    await killed("1000");
    await killed("2000");
    expect([isLeft("1000"), isLeft("2000")]).toEqual([false, true]);
    expect((await rig.run(["doctor"])).stdout).toContain("of the Chapo session");
    await rig.run(["doctor", "--fix"]);
    expect(rig.leftovers()).toEqual([]);
  }),
);

test(
  "a session that is killed in the middle of a call reports it and resumes; its processes are ended; Ctrl-C ends at once",
  story(async (rig) => {
    playScript(rig, {
      turns: [
        call("fs_writeFile", { path: "a.txt", content: "a\n" }),
        call("bash_execute", { command: "echo begun > begun.txt; sleep 1000" }),
        { say: "Seen: it was killed." },
        call("bash_execute", { command: "sleep 1000" }),
      ],
    });
    const trusted = ["chapo", "--json", "--mode", "trusted"];
    const first = rig.start([...trusted, "Work"]);
    await first.says(/"type":"tool_call".*sleep 1000/);
    await first.kill("alone");
    const listed = await rig.run(["chapo", "sessions", "--json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject({ sessions: [{ state: "interrupted" }] });
    const second = await rig.run([...trusted, "--session", "last", "Go on"]);
    expect(dataOf(eventsOf(second), "answer")).toMatchObject([{ answer: "Seen: it was killed." }]);
    expect(rig.leftovers()).toEqual([]);
    expect(rig.read("a.txt")).toBe("a\n");

    const third = rig.start([...trusted, "--session", "last", "Again"]);
    await third.says(/"type":"tool_call".*sleep 1000/);
    third.signal("SIGINT");
    expect(await third.ended).toMatchObject({ code: 130 });
    expect(eventsOf(await third.ended).at(-1)).toMatchObject({
      type: "error",
      data: { reason: "interrupted" },
    });
  }),
);
