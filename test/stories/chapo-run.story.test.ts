// The built-in engine as the agent of a run: its model is a script, its tools are real.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { expect, test } from "vitest";
import { EXHAUSTIVE, exhaustively } from "../rig/exhaustive.js";
import { story, type Rig, type TaskDraft } from "../rig/rig.js";

type Turn = Record<string, unknown>;

interface Script {
  tasks?: Record<string, Turn[]>;
  turns?: Turn[];
  default?: Turn[];
}

const call = (name: string, args: Record<string, unknown> = {}): Turn => ({ call: { name, args } });
const report = (more: Record<string, unknown> = {}): Turn =>
  call("report_summary", { status: "done", summary: "Made.", ...more });
const write = (name: string): Turn => call("fs_writeFile", { path: name, content: `${name}\n` });
const reviewed = [report({ status: "reviewed", summary: "Nothing is missing." })];

/** Makes chapo, with a model that plays the script, the agent of every phase. */
function play(rig: Rig, script: Script, { chapo = {}, ...more }: Record<string, object> = {}): void {
  const file = path.join(rig.root, "replies.json");
  writeFileSync(file, JSON.stringify({ turns: reviewed, ...script }));
  rig.settings({
    schedule: { agent: "chapo" },
    ...more,
    agents: { chapo: { model: "scripted", chapo: { script: file, ...chapo } } },
  });
}

/** Of an event, what the test is about. */
function told(rig: Rig, type: string): Record<string, unknown>[] {
  return rig.events().filter((event) => event.type === type);
}

const CHAIN: TaskDraft[] = Array.from({ length: EXHAUSTIVE ? 10 : 3 }, (_, at) => ({
  id: `T${at + 1}`,
  priority: 1 + ((at * 7) % 5),
  // The fourth, seventh and tenth depend on two tasks.
  ...(at === 0 ? {} : { depends_on: at % 3 === 0 && at > 1 ? [`T${at}`, `T${at - 1}`] : [`T${at}`] }),
}));

test(
  "tasks with dependencies, worked through by the engine: all done, each once, and the tree is clean; a review writes nothing",
  story(async (rig) => {
    rig.writeBacklog(CHAIN);
    rig.gitInit();
    const tasks = CHAIN.map(({ id }): [string, Turn[]] => [
      id,
      [
        { ...call("fs_listFiles", { path: "." }), usage: { input: 100, output: 10 } },
        write(`src/${id}.txt`),
        call("bash_execute", { command: `test -s src/${id}.txt && echo it is there` }),
        report({ files: [`src/${id}.txt`] }),
      ],
    ]);
    // A review only reads: it is offered no tool that writes.
    const turns = [write("b.txt"), call("bash_execute", { command: "echo > c.txt" }), ...reviewed];
    play(rig, { tasks: Object.fromEntries(tasks), turns }, { verify: { commands: ["ls src/T*.txt"] } });
    const { code, stderr } = await rig.run(["run"]);
    expect(stderr).not.toMatch(/warning/);
    expect(code).toBe(0);
    expect(new Set(Object.values(rig.statuses()))).toEqual(new Set(["done"]));
    expect(rig.commitsByTask()).toEqual(Object.fromEntries(CHAIN.map(({ id }) => [id, 1])));
    expect(rig.git("status", "--porcelain", "--untracked-files=all", "--", ":!looper-logs")).toBe("");
    expect(rig.unfinished()).toBe("");
    expect(told(rig, "run_ended")[0]).toMatchObject({ ending: "complete" });
    const inReview = told(rig, "tool_result").filter(({ phase }) => phase === "review");
    expect(inReview.map(({ is_error }) => is_error)).toEqual([true, true, false]);
    const commands = told(rig, "command").filter(({ phase }) => phase === "iteration");
    expect(commands.at(-1)).toMatchObject({ exit_code: 0 });
    expect(told(rig, "usage").at(0)).toMatchObject({ input_tokens: 100, output_tokens: 10 });
    expect(told(rig, "usage").every((event) => !("cost_usd" in event))).toBe(true);
    // No file of a session is in a commit, and the memory was only read.
    expect(rig.git("log", "--name-only", "--format=")).not.toMatch(/session|memory|looper-logs/i);
    expect(existsSync(path.join(rig.project, ".looper/memory"))).toBe(false);
  }),
);

test(
  "a question blocks its task, with the question as its blocker, and the run continues; keys of models reach neither a command nor the log",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const ask = call("ask_user", { question: "Which colour shall it have?" });
    const show = call("bash_execute", { command: 'echo "key: $ANTHROPIC_API_KEY, deploy: $DEPLOY_TOKEN"' });
    play(rig, { tasks: { T1: [ask], T2: [show, report()] } });
    const env = { ANTHROPIC_API_KEY: "a-key-of-a-model", DEPLOY_TOKEN: "a-token-for-the-work" };
    expect((await rig.run(["run", "--no-review"], { env })).code).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "blocked", T2: "done" });
    expect(rig.readBacklog().tasks[0]?.blockers).toEqual(["Which colour shall it have?"]);
    const shown = told(rig, "tool_result").find(({ task_id }) => task_id === "T2");
    expect(shown?.["output"]).toContain("key: , deploy: [redacted]");
    const found = spawnSync("grep", ["-rlE", "a-key-of-a-model|a-token-for-the-work", rig.project]);
    expect(found.stdout.toString()).toBe("");
  }),
);

exhaustively(
  "turns that are used up are a failed attempt, with what was reached as its evidence",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const file = path.join(rig.root, "replies.json");
    const turns = { ...call("fs_listFiles", { path: "." }), times: 50 };
    play(rig, { tasks: { T1: [turns] } }, { chapo: { max_iterations: 3 } });
    writeFileSync(
      file,
      JSON.stringify({ tasks: { T1: [turns] }, summary: [{ say: "Done: nothing. Open: all.", times: 9 }] }),
    );
    expect((await rig.run(["run", "--no-review", "--max-attempts", "1"])).code).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "blocked" });
    const [end] = told(rig, "agent_finished");
    expect(end).toMatchObject({ outcome: "failed", reason: "turns" });
    expect(end?.["evidence"]).toMatch(/Done: nothing\. Open: all\./);
    // Three turns with something new, and after the report three without.
    expect(told(rig, "tool_use")).toHaveLength(6);
  }),
);

exhaustively(
  "a model that is overloaded costs no attempt: the run waits for it",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    play(rig, { tasks: { T1: [{ fail: "overloaded" }] } }, { loop: { max_wait: 1 } });
    const { code } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(1);
    expect(told(rig, "agent_finished")[0]).toMatchObject({ outcome: "failed", reason: "overloaded" });
    expect(told(rig, "run_ended")[0]).toMatchObject({ ending: "waiting" });
    expect(rig.statuses()).toEqual({ T1: "doing" });
    expect(rig.readBacklog().tasks[0]?.attempts ?? 0).toBe(0);
  }),
);

test(
  "a run waits for the network when the provider cannot be reached",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const base_url = `http://127.0.0.1:${await freePort()}/v1`;
    rig.settings({
      schedule: { agent: "chapo" },
      loop: { max_wait: 1 },
      agents: { chapo: { model: "openai-compatible/m", chapo: { base_url, max_tool_retries: 0 } } },
    });
    expect((await rig.run(["run", "--no-review"])).code).toBe(1);
    expect(told(rig, "agent_finished")[0]).toMatchObject({ outcome: "failed", reason: "network" });
    expect(told(rig, "run_ended")[0]).toMatchObject({ ending: "waiting" });
  }),
);

test(
  "auto takes it where a key is set and nothing is installed; without a key it says which one",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const without = await rig.run(["run", "--dry-run"]);
    expect(without.code).toBe(3);
    expect(without.stderr).toMatch(/no key is set for chapo[^]*ANTHROPIC_API_KEY/);
    const withKey = await rig.run(["run", "--dry-run"], { env: { OPENAI_API_KEY: "not-a-real-key" } });
    expect(withKey.code).toBe(0);
    expect(withKey.stdout).toMatch(/chapo/);
    rig.write("keys.env", "GEMINI_API_KEY=not-a-real-key\n");
    rig.settings({ env_file: "keys.env" });
    expect((await rig.run(["run", "--dry-run"])).code).toBe(0);
  }),
);

exhaustively(
  "killed in the middle, the next run does the task once, from the start",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const [begun, release] = ["begun", "release"].map((name) => path.join(rig.root, name));
    if (begun === undefined || release === undefined) throw new Error("two pipes are needed");
    execFileSync("mkfifo", [begun, release]);
    const wait = `echo $$ > ${begun}; cat ${release}`;
    play(rig, {
      tasks: { T1: [write("a.txt"), call("bash_execute", { command: wait }), report({ files: ["a.txt"] })] },
    });
    const first = rig.start(["run"]);
    const shell = (await readFile(begun, "utf8")).trim();
    expect(shell).toMatch(/^\d+$/);
    await first.kill("alone");
    const second = rig.start(["run"]);
    await readFile(begun);
    // Processes that the first left running are gone.
    expect(rig.leftovers().filter((line) => line.startsWith(`${shell} `))).toEqual([]);
    await writeFile(release, "go on\n");
    expect((await second.ended).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(rig.commitsByTask()).toEqual({ T1: 1 });
  }),
);

exhaustively(
  "an engine that works and does not report is asked for the report, in the same session",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    play(rig, { tasks: { T1: [write("a.txt"), { say: "It is done.", times: 3 }, report()] } });
    expect((await rig.run(["run", "--no-review", "--max-attempts", "1"])).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(told(rig, "agent_started")).toHaveLength(2);
    const sessions = path.join(rig.project, "looper-logs/last/001-iter-1/chapo");
    expect(readdirSync(sessions).filter((name) => !name.startsWith("."))).toHaveLength(1);
  }),
);

exhaustively(
  "an attempt that takes too long ends with all it started",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    play(rig, { tasks: { T1: [call("bash_execute", { command: "setsid sleep 600 & sleep 600" })] } });
    const env = { LOOPER_AGENTS_CHAPO_TIMEOUT: "4s" };
    expect((await rig.run(["run", "--no-review", "--max-attempts", "1"], { env })).code).toBe(1);
    expect(told(rig, "agent_finished")[0]).toMatchObject({ outcome: "failed", reason: "timed-out" });
  }),
);

exhaustively(
  "a backlog is drafted by it, and then worked through",
  story(async (rig) => {
    rig.gitInit();
    const backlog = {
      schema_version: 1,
      source_files: [],
      tasks: [{ id: "T1", title: "Make a", priority: 1, status: "todo" }],
    };
    const draft = `cat > "$LOOPER_TODO_FILE" <<'END'\n${JSON.stringify(backlog)}\nEND`;
    const turns = [call("bash_execute", { command: draft }), report()];
    play(rig, { turns, tasks: { T1: [write("a.txt"), report()] } });
    const { code, stderr } = await rig.run(["run", "--no-review", "-y", "--prompt", "A file called a"]);
    expect(code, stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
  }),
);

/** A port without a server. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
