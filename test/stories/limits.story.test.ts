// An agent that is not let in (docs/limits.md): no attempt is counted; the run waits, says so, or lets another agent work.
import { chmodSync } from "node:fs";
import { expect, test } from "vitest";
import { exhaustively, sample } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

const done = { summary: { task_id: null, status: "done" } };
const refused = { error: { message: "Too many requests", status: 429 }, exit: 1 };

const told = (rig: Rig, type: string) => rig.events().filter((line) => line.type === type);
const attempts = (rig: Rig) => rig.readBacklog().tasks.map((task) => task.attempts ?? 0);

test(
  "a limit is waited for, not counted; a signal ends the wait at once, and the task comes first next time",
  story(async (rig) => {
    const env = rig.clis({ default: [refused] });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const run = rig.start(["run", "--agent", "claude", "--no-review", "--max-attempts", "1"], { env });
    await run.says(/waiting until/);
    run.signal("SIGINT");
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/waiting until (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d \(.+\) for claude: rate-limited/);
    expect(stderr).toMatch(/- T1 not started: .*\. Next try [^\n]*\n[^]*stopping: the wait is over/);
    expect(told(rig, "attempt_failed")).toMatchObject([{ reason: "rate-limited", next: "wait" }]);
    expect(rig.statuses()).toEqual({ T1: "doing", T2: "todo" });
    expect(attempts(rig)).toEqual([0, 0]);
    rig.write("../script.json", JSON.stringify({ default: [done] }));
    expect(await rig.run(["run", "--agent", "claude", "--no-review"], { env })).toMatchObject({ code: 0 });
    expect(attempts(rig)).toEqual([1, 1]);
    expect(rig.leftovers()).toEqual([]);
  }),
);

test(
  "while one agent may not work the next one scheduled takes over",
  story(async (rig) => {
    const env = rig.clis({ default: [{ ...done, shell: ["echo codex >> who.txt"] }] });
    const half = { ...refused, shell: ["echo claude >> who.txt"] };
    rig.write("../refused.json", JSON.stringify({ default: [half] }));
    rig.gitInit();
    rig.settings({
      schedule: { strategy: "round-robin", agents: ["claude", "codex"] },
      agents: { claude: { env: { FAKE_AGENT_SCRIPT: `${rig.root}/refused.json` } } },
    });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const { code, stderr } = await rig.run(["run", "--no-review"], { env });
    expect(code, stderr).toBe(0);
    expect(told(rig, "committed").flatMap((line) => line["agent"] ?? [])).toEqual(["codex", "codex"]);
    expect(told(rig, "waiting")).toEqual([]);
    expect(attempts(rig)).toEqual([1, 1]);
    // The second agent continued from the first one's work.
    expect(rig.git("show", "HEAD~1:who.txt")).toBe("claude\ncodex\n");
    expect(await rig.replayTree()).toMatchObject({ same: true });
  }),
);

exhaustively(
  "a wait that an earlier run was told of is of that agent and that model: another one is asked at once",
  story(async (rig) => {
    const away = { error: { message: "Usage limit reached. Try again in 5 days.", status: 429 }, exit: 1 };
    const env = rig.clis({ default: [away] });
    rig.writeBacklog([{ id: "T1" }]);
    const words = (...more: string[]) => ["run", "--agent", "claude", "--no-review", ...more];
    const waits = async () => {
      const run = rig.start(words(), { env });
      await run.says(/waiting until/);
      run.signal("SIGINT");
      return (await run.ended).stderr;
    };
    expect(await waits()).not.toContain("an earlier run");
    rig.write("../script.json", JSON.stringify({ default: [done] }));
    expect(await waits()).toMatch(/an earlier run was told so of claude; .*--agent NAME, --model NAME/);
    expect(rig.statuses()).toEqual({ T1: "doing" });
    expect(await rig.run(words("--model", "other"), { env })).toMatchObject({ code: 0 });
    rig.writeBacklog([{ id: "T1" }]);
    const other = ["run", "--agent", "codex", "--no-review"];
    expect(await rig.run(other, { env })).toMatchObject({ code: 0 });
  }),
);

/** An agent of the kind `command` with text output: a wrapper that does these lines of shell. */
function wrapper(rig: Rig, lines: readonly string[]): void {
  rig.write("../agent.sh", ["#!/bin/sh", ...lines, ""].join("\n"));
  chmodSync(`${rig.root}/agent.sh`, 0o755);
  rig.settings({
    schedule: { agent: "it" },
    loop: { max_wait: "1s" },
    agents: { it: { kind: "command", binary: `${rig.root}/agent.sh` } },
  });
}

const RUN = ["run", "--no-review", "--max-attempts", "1"];

test.each(
  sample(
    [
      [
        "a rate limit on stdout",
        "echo 'litellm.RateLimitError: AnthropicException - Too many requests'",
        "rate-limited",
      ],
      ["a dead network on stderr", "echo 'Error: getaddrinfo ENOTFOUND api.openai.com' >&2", "network"],
    ],
    1,
  ),
)(
  "a wrapper that ends with %s does not use up an attempt; a wait longer than loop.max_wait ends the run",
  async (_what, line, reason) => {
    await story(async (rig) => {
      wrapper(rig, ["echo working", line, "exit 1"]);
      rig.writeBacklog([{ id: "T1" }]);
      const { code, stdout, stderr } = await rig.run(RUN);
      expect(code, stderr).toBe(1);
      expect(stdout).toContain("waiting");
      expect(stdout + stderr).toMatch(/it (?:is|has) .* until .*, longer than loop\.max_wait allows/);
      expect(told(rig, "attempt_failed")).toMatchObject([{ reason, next: "wait" }]);
      expect(told(rig, "run_ended")).toMatchObject([{ ending: "waiting", totals: { iterations: 0 } }]);
      expect(attempts(rig)).toEqual([0]);
    })();
  },
);

test(
  "a wrapper that prints a test log about rate limits and fails has failed an attempt",
  story(async (rig) => {
    wrapper(rig, [
      "echo 'FAIL src/limits.test.ts > 429 Too Many Requests'",
      "echo 'Error: Rate limit exceeded'",
      "echo 'Tests: 1 failed, 429 passed'",
      "exit 1",
    ]);
    rig.writeBacklog([{ id: "T1" }]);
    expect(await rig.run(RUN)).toMatchObject({ code: 1 });
    expect(told(rig, "attempt_failed")).toMatchObject([{ reason: "exited", next: "blocked" }]);
    expect(rig.statuses()).toEqual({ T1: "blocked" });
  }),
);

test(
  "an agent without credit is left out at once, with that reason; alone it ends the run with 3",
  story(async (rig) => {
    const balance = "Your credit balance is too low to access the Anthropic API.";
    const env = rig.clis({ default: [{ error: { message: balance, status: 400 }, exit: 1 }] });
    rig.writeBacklog([{ id: "T1" }]);
    const { code, stdout, stderr } = await rig.run([...RUN, "--agent", "claude"], { env });
    expect(code).toBe(3);
    expect(stdout + stderr).toMatch(/claude: no credit: .*credit balance is too low/i);
    expect(told(rig, "attempt_failed")).toMatchObject([{ reason: "no-credit", next: "drop-agent" }]);
    expect(attempts(rig)).toEqual([0]);
  }),
);
