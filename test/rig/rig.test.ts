import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, test } from "vitest";
import { AgentGone, type Puppet } from "./puppet.js";
import { Rig } from "./rig.js";

const AGENT = fileURLToPath(new URL("../fakes/socket-agent.mjs", import.meta.url));

function rigged(): Rig {
  const rig = new Rig();
  onTestFinished(async () => {
    await rig.dispose();
  });
  return rig;
}

/** Starts the agent as the program would, on a task. */
function launch(rig: Rig, puppet: Puppet, prompt = "") {
  const env = { ...rig.env, LOOPER_TASK_ID: "T1", LOOPER_PHASE: "iteration" };
  const child = spawn(process.execPath, [AGENT, puppet.socket, "fake", "--more"], { cwd: rig.project, env });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stdin.end(prompt);
  return new Promise<{ code: number | null; signal: string | null; stdout: string }>((resolve) => {
    child.once("close", (code, signal) => {
      resolve({ code, signal, stdout });
    });
  });
}

test("the agent says what it was given and does what it is told", async ({ expect }) => {
  const rig = rigged();
  const puppet = await rig.agent();
  const ended = launch(rig, puppet, "the prompt");
  const turn = await puppet.next();
  expect(turn.hello).toMatchObject({
    name: "fake",
    args: ["--more"],
    cwd: rig.project,
    prompt: "the prompt",
  });
  expect([turn.task, turn.phase]).toEqual(["T1", "iteration"]);
  await turn.write("deep/a.txt", "one\n");
  expect(readFileSync(path.join(rig.project, "deep/a.txt"), "utf8")).toBe("one\n");
  expect(await turn.shell("cat deep/a.txt; exit 3")).toEqual({ code: 3, stdout: "one\n", stderr: "" });
  await turn.say("hello");
  await turn.report({ summary: "x".repeat(1_000_000) });
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(stdout).toContain("hello\n");
  expect(stdout).toContain(`"task_id":"T1","status":"done","summary":"${"x".repeat(1_000_000)}"`);
});

test("an agent that is killed is gone for its player, and does not fail the test", async ({ expect }) => {
  const rig = rigged();
  const puppet = await rig.agent();
  const seen = new Promise((resolve) => {
    puppet.play(async (turn) => {
      process.kill(turn.hello.pid, "SIGKILL");
      await turn.say("too late").catch((error: unknown) => {
        resolve(error);
        throw error;
      });
    });
  });
  expect(await launch(rig, puppet)).toMatchObject({ code: null, signal: "SIGKILL" });
  expect(await seen).toBeInstanceOf(AgentGone);
  expect(await rig.dispose()).toEqual([]);
});

test("an error that a player throws fails the story, and its agent does not hang", async ({ expect }) => {
  const rig = rigged();
  const puppet = await rig.agent();
  puppet.play(() => Promise.reject(new Error("not as told")));
  expect(await launch(rig, puppet)).toMatchObject({ code: 90 });
  expect(await rig.dispose()).toEqual([new Error("not as told")]);
});

test("the stand-ins are found on PATH and play their script", ({ expect }) => {
  const rig = rigged();
  const env = {
    ...rig.env,
    ...rig.clis({ default: [{ files: { "a.txt": "one\n" }, summary: { status: "done" } }] }),
    LOOPER_TASK_ID: "T7",
  };
  const { status, stdout } = spawnSync("codex", ["exec", "--json", "-"], {
    cwd: rig.project,
    env,
    input: "prompt",
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(stdout).toContain('\\"task_id\\": \\"T7\\"');
  expect(rig.read("a.txt")).toBe("one\n");
});

test("a process left in a session of its own is seen, and ended with the rig", async ({ expect }) => {
  const rig = rigged();
  const puppet = await rig.agent();
  const ended = launch(rig, puppet);
  const turn = await puppet.next();
  const pid = await turn.leaveBehind("trap '' TERM; cd /; exec sleep 1000");
  await turn.report();
  await ended;
  expect(rig.leftovers()).toEqual([expect.stringMatching(`^${pid} `)]);
  await rig.dispose();
  await expect.poll(() => rig.leftovers()).toEqual([]);
});
