// Hooks of the built-in engine through the program: a file of Claude Code unchanged, addresses, and hooks that fail.
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { call, dataOf, eventsOf } from "../rig/chapo.js";
import { story, type Rig } from "../rig/rig.js";

/** Plays the turns with these hooks in the settings. */
function playWith(rig: Rig, turns: unknown[], hooks: Record<string, unknown>): void {
  const file = path.join(rig.root, "chapo-script.json");
  writeFileSync(file, JSON.stringify({ turns }));
  const chapo = { script: file, mode: "bypassPermissions" };
  rig.settings({ agents: { chapo: { model: "scripted", chapo } }, hooks });
}

test(
  "a hook file of Claude Code denies, changes arguments and gives feedback, unchanged",
  story(async (rig) => {
    rig.write("a.txt", "alpha\n");
    const check = `grep -q '"command":"rm' && { echo "no rm in $CLAUDE_PROJECT_DIR" >&2; exit 2; }; exit 0`;
    const changed = { file_path: "b.txt", content: "from the hook" };
    const answer = { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: changed } };
    const run = (command: string) => [{ type: "command", command, timeout: 60 }];
    const hooks = {
      PreToolUse: [
        { matcher: "Bash", hooks: run(check) },
        { matcher: "Write", hooks: run(`echo >>hook-calls; echo '${JSON.stringify(answer)}'`) },
      ],
      PostToolUse: [{ matcher: "Edit|Write", hooks: run("echo format it >&2; exit 2") }],
      WorktreeCreate: [{ hooks: run("exit 2") }],
    };
    rig.write(".claude/settings.json", JSON.stringify({ hooks }));
    const turns = [
      call("bash_execute", { command: "rm a.txt" }),
      call("fs_writeFile", { path: "a.txt", content: "from the model\n" }),
      { say: "Done." },
    ];
    playWith(rig, turns, { read_claude: true });
    const asked = await rig.run(["chapo", "--json", "Go"]);
    expect(asked.code).not.toBe(0);
    expect(asked.stderr).toContain("no rm in");
    expect(asked.stdout).not.toContain("tool_result");
    const ran = await rig.run(["chapo", "--json", "--trust", "Go"]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain("the hook event WorktreeCreate is not known");
    const [denied, written] = dataOf(eventsOf(ran), "tool_result");
    expect([denied?.success, written?.success]).toEqual([false, true]);
    expect(denied?.output).toContain(`no rm in ${rig.project}`);
    expect(written?.output).toContain("format it");
    expect([rig.read("a.txt"), rig.read("b.txt")]).toEqual(["alpha\n", "from the hook"]);
    expect(rig.read("hook-calls")).toBe("\n");
  }),
);

test(
  "a hook reads what one of Claude Code reads, and the mode by its name there",
  story(async (rig) => {
    const file = path.join(rig.root, "chapo-script.json");
    const turns = [call("bash_execute", { command: "true" }), { say: "Done." }];
    writeFileSync(file, JSON.stringify({ turns }));
    const hooks = { events: { PreToolUse: [{ command: "cat > input.json" }] } };
    const chapo = { script: file, mode: "trusted" };
    rig.settings({ agents: { chapo: { model: "scripted", chapo } }, hooks });
    const ran = await rig.run(["chapo", "--json", "Go"]);
    expect(ran.code, ran.stderr).toBe(0);
    const input = JSON.parse(rig.read("input.json")) as Record<string, unknown>;
    expect(input).toMatchObject({ cwd: rig.project, hook_event_name: "PreToolUse" });
    expect(input).toMatchObject({ permission_mode: "bypassPermissions" });
    expect(input).toMatchObject({ tool_name: "Bash", tool_input: { command: "true" } });
    expect(existsSync(String(input["transcript_path"]))).toBe(true);
  }),
);

test(
  "a PermissionRequest hook that allows a call with other arguments: these are what runs, and rules hold for them",
  story(async (rig) => {
    const file = path.join(rig.root, "chapo-script.json");
    const write = call("fs_writeFile", { path: "a.txt", content: "from the model" });
    writeFileSync(file, JSON.stringify({ turns: [write, write, { say: "Done." }] }));
    const answer = (file_path: string): string => {
      const decision = { behavior: "allow", updatedInput: { file_path, content: "from the hook" } };
      return `echo '${JSON.stringify({ hookSpecificOutput: { decision } })}'`;
    };
    const command = `if test -e b.txt; then ${answer("kept/b.txt")}; else ${answer("b.txt")}; fi`;
    rig.settings({
      agents: { chapo: { model: "scripted", chapo: { script: file, rules: { deny: ["Write(kept/**)"] } } } },
      hooks: { events: { PermissionRequest: [{ command }] } },
    });
    const ran = await rig.run(["chapo", "--json", "Go"]);
    expect(dataOf(eventsOf(ran), "tool_result")).toMatchObject([
      { success: true },
      { success: false, code: "denied" },
    ]);
    expect(rig.read("b.txt")).toBe("from the hook");
    expect([existsSync(path.join(rig.project, "a.txt")), existsSync(path.join(rig.project, "kept"))]).toEqual(
      [false, false],
    );
  }),
);

test(
  "an address denies with its answer, and a redirect is not followed",
  story(async (rig) => {
    const got: string[] = [];
    const server = createServer((request, response) => {
      got.push(request.url ?? "");
      request.resume();
      if (request.url === "/moved") response.writeHead(302, { location: "/elsewhere" }).end();
      else response.end(JSON.stringify({ decision: "block", reason: "the server says no" }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const turns = [call("bash_execute", { command: "touch made" }), { say: "Done." }];
      playWith(rig, turns, {
        events: { PreToolUse: [{ url: `${at}/deny` }], Stop: [{ url: `${at}/moved` }] },
      });
      const ran = await rig.run(["chapo", "--json", "--trust", "Go"]);
      expect(ran.code, ran.stderr).toBe(0);
      const [denied] = dataOf(eventsOf(ran), "tool_result");
      expect(denied?.success).toBe(false);
      expect(denied?.output).toContain("the server says no");
      expect(ran.stderr).toContain("redirects (302), which is not followed");
      expect(got).toEqual(["/deny", "/moved"]);
    } finally {
      server.close();
    }
  }),
);

test(
  "a deny that is too large to read is a deny, and an invalid matcher of Claude Code's file is named and applies",
  story(async (rig) => {
    const deny = `printf '{"decision":"deny","reason":"'; head -c 300000 /dev/zero | tr '\\0' x; printf '"}'`;
    const turns = [call("bash_execute", { command: "touch made" }), { say: "Done." }];
    playWith(rig, turns, { events: { PreToolUse: [{ command: deny }] } });
    const [refused] = dataOf(eventsOf(await rig.run(["chapo", "--json", "--trust", "Go"])), "tool_result");
    expect(refused).toMatchObject({ success: false, output: expect.stringContaining("256 KiB") as string });
    const hooks = { PreToolUse: [{ matcher: "Bash(", hooks: [{ type: "command", command: "exit 2" }] }] };
    rig.write(".claude/settings.json", JSON.stringify({ hooks }));
    playWith(rig, turns, { read_claude: true });
    const ran = await rig.run(["chapo", "--json", "--trust", "Go"]);
    expect(ran.stderr.split('.claude/settings.json: hooks.PreToolUse[0].matcher "Bash("')).toHaveLength(2);
    expect(dataOf(eventsOf(ran), "tool_result")).toMatchObject([{ success: false }]);
    expect(existsSync(path.join(rig.project, "made"))).toBe(false);
  }),
);

test(
  "hooks that fail are reported, and the session works on",
  story(async (rig) => {
    const big = "head -c 1000000 /dev/zero | tr '\\0' x";
    const events = {
      PreToolUse: [
        { command: "printf '{oops'" },
        { command: big },
        { command: "exit 139" },
        { command: "no-such-program-here" },
        { url: "http://127.0.0.1:1/x" },
      ],
      PostToolUse: [{ command: "sleep 60", timeout: 0.3 }],
      UserPromptSubmit: [{ command: big }],
    };
    playWith(rig, [call("bash_execute", { command: "touch made" }), { say: "Done." }], { events });
    const ran = await rig.run(["chapo", "--json", "--trust", "Go"]);
    expect(ran.code, ran.stderr).toBe(0);
    for (const said of [
      "is not valid JSON",
      "exit code 139",
      "exit code 127",
      "http://127.0.0.1:1/…",
      "within 0.3 s",
    ])
      expect(ran.stderr).toContain(said);
    expect(dataOf(eventsOf(ran), "answer")).toMatchObject([{ answer: "Done." }]);
    expect(ran.stdout.length + ran.stderr.length).toBeLessThan(60_000);
    expect(rig.read("made")).toBe("");
  }),
);

exhaustively(
  "SessionStart fires with its source, and Notification when a person is needed, also at the end of the process",
  story(async (rig) => {
    const events = {
      SessionStart: [{ command: `grep -o '"source":"[a-z]*"' | tee -a starts.txt` }],
      Notification: [{ command: `cat > told.new; sleep 0.5; cat told.new >> told.txt` }],
    };
    const turns = [
      { say: "First." },
      { say: "Second." },
      { say: "Third." },
      { say: "Fourth." },
      call("bash_execute", { command: "touch made" }),
      { say: "Made." },
      call("ask_user", { question: "Which?" }),
    ];
    playWith(rig, turns, { events });
    const lines = ["one", "two", "/compact", "three", "/clear", "four"];
    const first = await rig.run(["chapo", "--json", "--trust"], { input: `${lines.join("\n")}\n` });
    expect(first.code, first.stderr).toBe(0);
    const session = dataOf(eventsOf(first), "status")[0]?.session ?? "";
    expect(rig.read("starts.txt").match(/startup|resume|clear|compact/g)).toEqual([
      "startup",
      "compact",
      "clear",
    ]);
    const stored = () => rig.read(`.looper/sessions/${session}/session.json`);
    expect(stored()).toMatch(/four[^"]*a hook adds: .{0,20}clear/);

    const ask = ["--mode", "default", "--session", session];
    const waits = await rig.run(["chapo", "--json", "--trust", ...ask, "five"]);
    expect(waits.code, waits.stderr).toBe(1);
    expect(rig.read("told.txt")).toContain("wants to use bash_execute");
    const made = await rig.run(["chapo", "approve", session, "--trust", "--json"]);
    expect(made.code, made.stderr).toBe(0);
    expect(rig.read("starts.txt").match(/resume/g)).toHaveLength(2);
    expect(rig.read("made")).toBe("");
    expect((await rig.run(["chapo", "--json", "--trust", "--session", session, "six"])).code).toBe(1);
    expect(rig.read("told.txt")).toContain('"notification_type":"idle_prompt","message":"Which?"');
  }),
);

exhaustively(
  "a hook's refusal of /compact is named, its reason to ask is shown, and a session that was cleared starts as such",
  story(async (rig) => {
    const asks = { permissionDecision: "ask", permissionDecisionReason: "look at it first" };
    const events = {
      PreCompact: [{ command: "echo keep the plan >&2; exit 2" }],
      PreToolUse: [{ command: `echo '${JSON.stringify({ hookSpecificOutput: asks })}'` }],
      SessionStart: [{ command: `grep -o '"source":"[a-z]*"' >> starts.txt` }],
    };
    const turns = [{ say: "One." }, { say: "Two." }, call("bash_execute", { command: "touch made" })];
    playWith(rig, turns, { events });
    const send = (...line: string[]) => rig.run(["chapo", "--json", "--trust", "--mode", "default", ...line]);
    await send("one");
    await send("--session", "last", "two");
    const kept = await send("--session", "last", "/compact");
    expect(dataOf(eventsOf(kept), "answer")).toMatchObject([
      { answer: "A hook kept the older turns: keep the plan" },
    ]);
    expect((await send("--session", "last", "/clear")).code).toBe(0);
    const waits = await send("--session", "last", "three");
    expect(waits.code, waits.stderr).toBe(1);
    expect(dataOf(eventsOf(waits), "action_pending")).toMatchObject([
      { because: "it may change something; a hook asks: look at it first" },
    ]);
    expect(rig.read("starts.txt").match(/startup|resume|clear|compact/g)).toEqual([
      "startup",
      "resume",
      "clear",
    ]);
  }),
);
