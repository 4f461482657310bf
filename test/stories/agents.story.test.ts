// Each kind of agent in a run: how it is called, how its end is understood, what becomes of one that cannot be used.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { z } from "zod";
import { type Rig, story } from "../rig/rig.js";

const Call = z.object({
  agent: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  prompt_bytes: z.int(),
});

/** How the stand-ins were called, in order. */
function calls(rig: Rig): z.infer<typeof Call>[] {
  const text = readFileSync(path.join(rig.root, "agents.jsonl"), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Call.parse(JSON.parse(line)));
}

const logging = (rig: Rig) => ({ FAKE_AGENT_LOG: path.join(rig.root, "agents.jsonl") });
const taskOf = (rig: Rig, id: string) => rig.readBacklog().tasks.find((task) => task.id === id);
const agentsOf = (rig: Rig) =>
  rig.events().flatMap((line) => (line.type === "agent_started" ? [line["agent"]] : []));

test(
  "codex and claude get the flags of their permission level, the prompt on stdin, and a review only reads; what they used is counted",
  story(async (rig) => {
    const env = { ...rig.clis(), ...logging(rig) };
    rig.settings({
      schedule: { strategy: "odd-even", odd: "codex", even: "claude" },
      roles: { review: "claude" },
      agents: {
        codex: { permissions: "read-only", model: "gpt-x" },
        claude: { permissions: "workspace", max_turns: 30, args: ["--effort", "low"] },
      },
    });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const { code, stdout } = await rig.run(["run"], { env });
    expect(code).toBe(0);
    const seen = calls(rig).map(({ agent, args, prompt_bytes }) => {
      expect(prompt_bytes).toBeGreaterThan(500);
      const words = args.map((arg) =>
        arg.includes('"task_id"') ? "SCHEMA" : arg.endsWith("/summary.schema.json") ? "FILE" : arg,
      );
      return [agent, ...words].join(" ");
    });
    const flags = "--output-format stream-json --verbose --max-turns 30 --json-schema SCHEMA --effort low";
    expect(seen).toEqual([
      "codex exec --json --skip-git-repo-check -s read-only -m gpt-x --output-schema FILE -",
      `claude -p --permission-mode acceptEdits --allowedTools Bash Edit Write Read mcp__looper ${flags}`,
      `claude -p --permission-mode plan --allowedTools mcp__looper ${flags}`,
    ]);
    const used = rig.events().find(({ type }) => type === "run_ended");
    expect(used).toMatchObject({
      totals: { input_tokens: 600, cached_input_tokens: 3000, cost_usd: 0.0246 },
    });
    expect(stdout).toContain("$0.02");
  }),
);

exhaustively(
  "streams that end badly are failed attempts, whatever else they say; notices on the way are not",
  story(async (rig) => {
    const good = { status: "done" };
    const api = { message: "Bad request: messages must not be empty", status: 400 };
    const env = rig.clis({
      tasks: {
        // Its subtype is "success" all the same.
        T1: [
          { error: api, exit: 0 },
          { reconnecting: true, summary: good },
        ],
        T2: [
          { summary: good, terminal: false },
          { denied: "Bash", garbage: 20, summary: good },
        ],
        T3: [
          { summary: good, exit: 2 },
          { message: "hello", shell: ["exit 3"], summary: good },
        ],
        T4: [{ prose: "All done, trust me." }, { summary: { task_id: null, status: "done" } }],
      },
    });
    for (const agent of ["claude", "codex"]) {
      rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }, { id: "T4" }]);
      const { code, stderr } = await rig.run(["run", "--agent", agent, "--no-review"], { env });
      expect(code, stderr).toBe(0);
      // A failure at once, and without a change, is not counted the first time: see the test of clients that are set aside.
      const failed = rig
        .events()
        .filter((line) => line.type === "attempt_failed" && line["next"] !== "later");
      expect(failed.map((line) => [line["task_id"], line["reason"]])).toEqual([
        ["T1", "bad-request"],
        ["T2", "incomplete"],
        ["T3", "exited"],
        ["T4", "no-summary"],
      ]);
      expect(stderr).toContain("messages must not be empty");
      expect(rig.readBacklog().tasks.map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2]);
      const refused = rig.events().filter(({ type, reason }) => type === "error" && reason === "refused");
      expect(refused.length).toBeGreaterThan(0);
      expect(rig.events().some((line) => line.type === "command" && line["exit_code"] === 3)).toBe(true);
    }
  }),
);

test(
  "whose final message is prose is asked once, in its session, for the report: it is one attempt",
  story(async (rig) => {
    const says = [
      { files: { "a.txt": "a\n" }, prose: "I made it.", resumed: { summary: { status: "done" } } },
    ];
    const prose = [{ prose: "I made it.", resumed: { prose: "But I said so." } }];
    const env = rig.clis({ tasks: { T1: says, T2: prose, T3: says, T4: prose } });
    rig.gitInit();
    const ids = ["T1", "T2", "T3", "T4"];
    rig.writeBacklog(ids.map((id, at) => ({ id, agent: at < 2 ? "claude" : "codex" })));
    const { code } = await rig.run(["run", "--no-review", "--max-attempts", "1"], { env });
    expect(code).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "blocked", T3: "done", T4: "blocked" });
    expect(rig.readBacklog().tasks.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
    const starts = rig.events().filter(({ type }) => type === "agent_started");
    expect(starts.map((line) => line["task_id"])).toEqual(ids.flatMap((id) => [id, id]));
    for (const at of [1, 5]) expect(starts[at]?.["command"]).toMatch(/ (--)?resume [0-9a-f-]{8,}/);
    const failed = rig.events().filter(({ type }) => type === "attempt_failed");
    expect(failed).toMatchObject([{ reason: "no-summary" }, { reason: "no-summary" }]);
    expect(rig.read("looper-logs/last/001-iter-1/prompt-report.md")).toContain('"task_id": "T1"');
  }),
);

exhaustively(
  "an agent that is stopped while it is asked for its report has not failed: the task stays in hand",
  story(async (rig) => {
    const resumed = { message: "Let me see.", hang: true };
    const env = rig.clis({ default: [{ files: { "a.txt": "a\n" }, prose: "I made it.", resumed }] });
    rig.gitInit();
    rig.writeBacklog([{ id: "T1" }]);
    const words = ["run", "--agent", "claude", "--no-review", "--max-attempts", "1", "--json"];
    const run = rig.start(words, { env });
    await run.says(/Let me see/);
    run.signal("SIGTERM");
    expect(await run.ended).toMatchObject({ code: 143 });
    expect(rig.statuses()).toEqual({ T1: "doing" });
    expect(rig.read("a.txt")).toBe("a\n");
    expect(rig.leftovers()).toEqual([]);
  }),
);

test(
  "an agent that is not signed in is left out with a warning while another is scheduled; the last one ends the run with 3",
  story(async (rig) => {
    const refused = { message: "Invalid API key · Please run /login", status: 401 };
    const env = rig.clis({ default: [{ error: refused }] });
    const puppet = await rig.agents(
      { fake: {} },
      { schedule: { strategy: "round-robin", agents: ["claude", "fake"] } },
    );
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }]);
    puppet.play((turn) => turn.report());
    const spared = await rig.run(["run", "--no-review"], { env });
    expect(spared.code, spared.stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", T3: "done" });
    expect(taskOf(rig, "T1")).toMatchObject({ status: "done" });
    expect(agentsOf(rig)).toEqual(["claude", "fake", "fake", "fake"]);
    expect(spared.stderr).toMatch(
      /claude is not signed in; skipping it for the rest of this run: .*Invalid API key/,
    );

    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const ended = await rig.run(["run", "--agent", "claude"], { env });
    expect(ended.code).toBe(3);
    expect(`${ended.stdout}${ended.stderr}`).toContain("Invalid API key");
    expect(agentsOf(rig)).toEqual(["claude"]);
    expect(rig.statuses()).toEqual({ T1: "doing", T2: "todo" });
  }),
);

test(
  "a client that fails at two tasks in the same way is set aside, also after it worked, and blocks none; one that fails at a task alone blocks it",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }]);
    rig.gitInit();
    const stub = path.join(rig.root, "stub");
    const works = `[ -e "$0.ran" ] || { touch "$0.ran"; echo half >half.txt; exit 1; }`;
    writeFileSync(
      stub,
      `#!/bin/sh\ncat >/dev/null\n${works}\necho "$$: unknown option --model" >&2\nexit 2\n`,
      {
        mode: 0o755,
      },
    );
    const puppet = await rig.agents(
      { fake: {}, stub: { kind: "command", binary: stub } },
      { schedule: { strategy: "round-robin", agents: ["stub", "fake"] } },
    );
    const alone = await rig.run(["run", "--agent", "stub"]);
    expect(alone.code, alone.stderr).toBe(3);
    expect(alone.stderr).toContain("T1 and T2 failed in the same way within seconds, without a token used");
    expect(agentsOf(rig)).toEqual(["stub", "stub", "stub"]);
    expect(Object.values(rig.statuses())).not.toContain("blocked");
    expect(existsSync(path.join(rig.project, "half.txt"))).toBe(false);
    expect((await rig.run(["rescue", "show", "T1-2"])).stdout).toContain("half.txt");

    puppet.play((turn) => (turn.task === "T3" ? turn.exit(1) : turn.report()));
    const spared = await rig.run(["run", "--no-review"]);
    expect(spared.code, spared.stderr).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", T3: "blocked" });
  }),
);

test(
  "an agent that is not installed is found missing before anything starts: exit 3, what is missing and how to get it",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const none = await rig.run(["run"]);
    expect(none.code).toBe(3);
    expect(none.stderr).toContain("npm install -g @anthropic-ai/claude-code");
    const env = rig.clis();
    rig.settings({
      schedule: { strategy: "round-robin", agents: ["claude", "nowhere"] },
      agents: { nowhere: { kind: "command", binary: "/no/such/agent" } },
    });
    const one = await rig.run(["run"], { env });
    expect(one.code).toBe(3);
    expect(one.stderr).toContain("/no/such/agent");
    expect(rig.statuses()).toEqual({ T1: "todo" });
    expect(rig.runs()).toEqual([]);
  }),
);

test(
  "kind command: the prompt by stdin, as an argument or as a file; own events as lines of JSON",
  story(async (rig) => {
    const report = `echo "{\\"task_id\\": \\"$LOOPER_TASK_ID\\", \\"status\\": \\"done\\", \\"summary\\": \\"$got\\"}"`;
    const sh = (script: string, ...more: string[]) => ({
      kind: "command",
      binary: "/bin/sh",
      args: ["-c", script, ...more],
    });
    const look = "grep -c 'Do T[0-9]'";
    rig.settings({
      schedule: { agent: "stdin" },
      agents: {
        stdin: sh(`got="stdin $(${look})"; ${report}`),
        arg: {
          ...sh(`got="arg $# $(printf %s "$2" | ${look}) $(wc -c)"; ${report}`, "sh", "--prompt", "{prompt}"),
          prompt_via: "arg",
        },
        file: {
          ...sh(`got="file $(${look} < "$1") $(wc -c)"; ${report}`, "sh", "{prompt_file}"),
          prompt_via: "file",
        },
        lines: {
          ...sh(`cat >/dev/null; echo '{"type":"message","role":"assistant","content":"hi"}'
            echo '{"type":"usage","input_tokens":7,"output_tokens":5}'
            echo "{\\"type\\":\\"summary\\",\\"task_id\\":\\"$LOOPER_TASK_ID\\",\\"status\\":\\"done\\",\\"summary\\":\\"lines\\"}"
            echo '{"type":"end","ok":true}'`),
          output: "jsonl",
        },
      },
    });
    rig.writeBacklog(
      ["stdin", "arg", "file", "lines"].map((agent, index) => ({ id: `T${index + 1}`, agent })),
    );
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    const results = rig.readBacklog().tasks.map(({ result }) => result ?? "");
    // How often the title is found, and how much came on stdin.
    expect(results[0]).toMatch(/^stdin [1-9]\d*$/);
    expect(results[1]).toMatch(/^arg 2 [1-9]\d* 0$/);
    expect(results[2]).toMatch(/^file [1-9]\d* 0$/);
    expect(results[3]).toBe("lines");
    expect(rig.events().find(({ type }) => type === "run_ended")).toMatchObject({
      totals: { input_tokens: 7, output_tokens: 5 },
    });
  }),
);

exhaustively(
  "kind module: hosted in a child, given the request, understood by its events; one that throws is a failed attempt",
  story(async (rig) => {
    rig.write(
      "agent.mjs",
      `import { writeFileSync } from "node:fs";
       export default {
         async run(request, { emit }) {
           console.log("a line that is not an event");
           await emit({ type: "message", role: "assistant", content: "from pid " + process.ppid });
           if (request.taskId === "T2") throw new Error("module is upset");
           writeFileSync(request.cwd + "/" + request.taskId + ".txt", process.env.LOOPER_RUN_ID);
           return { task_id: request.taskId ?? null, status: request.phase === "review" ? "reviewed" : "done" };
         },
       };`,
    );
    rig.settings({
      schedule: { agent: "mine" },
      loop: { max_attempts: 1 },
      agents: { mine: { kind: "module", module: path.join(rig.project, "agent.mjs") } },
    });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const { code, stderr } = await rig.run(["run"]);
    expect(rig.statuses(), stderr).toEqual({ T1: "done", T2: "blocked" });
    expect(code).toBe(1);
    expect(rig.read("T1.txt")).toBe(rig.runs()[0]);
    expect(taskOf(rig, "T2")?.blockers?.[0]).toContain("module is upset");
    const said = rig.events().find(({ type }) => type === "message");
    expect(said?.["content"]).toMatch(/^from pid \d+$/);
  }),
);

exhaustively(
  "kind scripted: edits, runs, fails and does better, in a repository",
  story(async (rig) => {
    const summary = (task_id: string | null, status: string) => ({
      summary: { task_id, status, summary: "as scripted" },
    });
    const script = {
      tasks: {
        T1: [
          [
            { write: "a.txt", content: "one\n" },
            { run: "false" },
            { fail: "the tests fail", reason: "exited" },
          ],
          [
            { replace: "a.txt", find: "one", with: "two" },
            { shell: "test $(cat a.txt) = two" },
            summary("T1", "done"),
          ],
        ],
      },
      default: [[{ append: "a.txt", content: "more\n" }, { fork: { seconds: 100 } }, summary("T2", "done")]],
    };
    rig.write("steps.json", JSON.stringify(script));
    rig.settings({
      schedule: { agent: "demo" },
      agents: { demo: { kind: "scripted", script: path.join(rig.project, "steps.json") } },
    });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    const { code, stderr } = await rig.run(["run"]);
    expect(code, stderr).toBe(0);
    expect(rig.read("a.txt")).toBe("two\nmore\n");
    expect(rig.readBacklog().tasks.map(({ attempts }) => attempts)).toEqual([2, 1, undefined]);
    expect(rig.commitsByTask()).toEqual({ T1: 1, T2: 1 });
    expect(stderr).toContain("the tests fail");
  }),
);

test(
  "which agent: --agent before the task's own, before the role, before the schedule",
  story(async (rig) => {
    const puppet = await rig.agents(
      { one: {}, two: {}, three: {}, four: {} },
      { schedule: { strategy: "odd-even", odd: "one", even: "two" }, roles: { review: "four" } },
    );
    puppet.play((turn) => turn.report());
    const begin = () => {
      rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3", agent: "three" }]);
    };
    begin();
    expect(await rig.run(["run", "--iteration-agent", "two"])).toMatchObject({ code: 0 });
    expect(agentsOf(rig)).toEqual(["two", "two", "three", "four"]);
    begin();
    expect(await rig.run(["run", "--agent", "one"])).toMatchObject({ code: 0 });
    expect(agentsOf(rig)).toEqual(["one", "one", "one", "one"]);
  }),
);

test(
  "a module chooses the agent of each attempt, once it is approved; one that cannot ends the run and claims nothing",
  story(async (rig) => {
    const puppet = await rig.agents({ one: {}, two: {} });
    puppet.play((turn) => (turn.hello.name === "one" ? turn.exit(1) : turn.report()));
    rig.write(".looper/config.json", JSON.stringify({ schedule: { strategy: "./pick.mjs" } }));
    rig.write(
      "pick.mjs",
      `export default ({ task, attempt, agents, failed }) => {
         console.log("a line of its own", attempt);
         if (task.title === "stop") throw new Error("no agent for this");
         return failed.some(({ agent }) => agent === "one") ? agents[1] : "one";
       };`,
    );
    rig.writeBacklog([{ id: "T1" }, { id: "T2", title: "stop", depends_on: ["T1"] }]);
    const unasked = await rig.run(["run"]);
    expect([unasked.code, unasked.stderr]).toEqual([3, expect.stringContaining("./pick.mjs")]);
    const { code, stderr } = await rig.run(["run", "--trust"]);
    expect(stderr).toContain("pick.mjs chose no agent for T2: no agent for this");
    expect(code).toBe(3);
    expect(agentsOf(rig)).toEqual(["one", "two"]);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "todo" });
    const picked = rig.events().filter(({ type }) => type === "agent_picked");
    expect(picked.map(({ agent }) => agent)).toEqual(["one", "two"]);
  }),
);
