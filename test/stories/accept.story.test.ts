// A task that passes only with changed checks: a person looks at it, accepts it, or allowed it before.
import { expect, test } from "vitest";
import type { Program } from "../rig/program.js";
import { sample } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

/** The program and its test, for an answer. */
function project(answer: number): Record<string, string> {
  return {
    "src/answer.sh": `answer=${String(answer)}\n`,
    "test/answer.test.sh": `. ./src/answer.sh\ntest "$answer" = ${String(answer)}\n`,
  };
}

function begin(rig: Rig, verify: object = {}, tasks = ["T1", "T2"]): void {
  for (const [path, text] of Object.entries(project(42))) rig.write(path, text);
  rig.settings({ verify: { commands: ["sh test/answer.test.sh"], ...verify }, loop: { review: false } });
  rig.writeBacklog(tasks.map((id) => ({ id })));
  rig.gitInit();
}

interface Shown {
  task: {
    verdict: string | null;
    verified: boolean;
    accepted?: { by: string };
    evidence?: Record<string, unknown>;
  };
}

async function shown(rig: Rig, id: string): Promise<Shown["task"]> {
  return (JSON.parse((await rig.run(["show", id, "--json"])).stdout) as Shown).task;
}

test(
  "an agent that changed a test is asked once why, in its session; later tasks stand on it or wait for it until a person accepts it",
  story(async (rig) => {
    const because = "The question changed:\nit is 43 now.";
    const T1 = [
      {
        files: { ...project(43), "test/helper.sh": "answer=43\n" },
        summary: { status: "done" },
        resumed: { summary: { status: "done", changes_checks: because } },
      },
    ];
    const T2 = [{ files: { "src/more.sh": "more=1\n" }, summary: { status: "done" } }];
    const uses = ". ./test/helper.sh\n";
    const T3 = [{ files: { "src/answer.sh": uses }, summary: { status: "done" } }];
    const env = { ...rig.clis({ tasks: { T1, T2, T3 } }), USER: "ana" };
    begin(rig, {}, ["T1", "T2", "T3"]);
    const { code, stdout } = await rig.run(["run", "--agent", "claude", "--trust", "--fail-unverified"], {
      env,
    });
    expect(code).toBe(1);
    expect(stdout).toContain("1 task needs a look: looper accept T1\n");
    const starts = rig.events().filter(({ type }) => type === "agent_started");
    expect(starts.map((line) => line["task_id"])).toEqual(["T1", "T1", "T2", "T3"]);
    expect(rig.read("looper-logs/last/001-iter-1/prompt-reason.md")).toContain("test/answer.test.sh");
    expect(rig.readBacklog().tasks.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    expect(await shown(rig, "T1")).toMatchObject({
      verified: false,
      evidence: {
        because: "influence",
        needs: [{ path: "test/answer.test.sh", diff: expect.stringContaining("= 43") as string }],
        agents_reason: "The question changed: it is 43 now.",
      },
    });
    expect((await rig.run(["show", "T1"])).stdout).toContain('"The question changed: it is 43 now."');
    expect((await rig.run(["ls"])).stdout).toMatch(
      /T1 .*unverified: it passes only with test\/answer\.test\.sh/,
    );

    expect(stdout).toMatch(/T2 .*unbroken: 1 check passes as before.*, on top of T1, which is unverified\n/);
    expect(await shown(rig, "T2")).toMatchObject({ verdict: "unbroken", evidence: { on: ["T1"] } });
    expect((await rig.run(["show", "T2"])).stdout).toMatch(/it stands on unverified work of\n {2}T1\n/);
    expect(await shown(rig, "T3")).toMatchObject({ verdict: "unverified", evidence: { on: ["T1"] } });

    const asAgent = await rig.run(["accept", "T1"], { env: { LOOPER_RUN_ID: "x" } });
    expect(asAgent).toMatchObject({ code: 1, stderr: expect.stringContaining("may not accept") as string });
    expect(await rig.run(["accept", "T9"])).toMatchObject({ code: 2 });
    const accepted = await rig.run(["accept", "T1"], { env: { USER: "ana" } });
    expect(accepted).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("T3: verified too") as string,
    });
    expect(await shown(rig, "T3")).toMatchObject({ verified: true, accepted: { by: "ana" } });
    expect(await shown(rig, "T2")).toMatchObject({ verdict: "unbroken", evidence: { on: [] } });
    expect((await rig.run(["status"])).stdout).toContain("accepted by a person: T1, T3");
    const again = await rig.run(["accept", "T1"]);
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("was accepted already, by ana") as string,
    });
  }),
);

test(
  "verify.accept: unbroken blocks such a task with the evidence, keeps its work and puts the tree back",
  story(async (rig) => {
    const T1 = [{ files: project(43), summary: { status: "done", changes_checks: "it is 43 now" } }];
    const T2 = [{ files: { "src/more.sh": "more=1\n" }, summary: { status: "done" } }];
    begin(rig, { accept: "unbroken" });
    const env = rig.clis({ tasks: { T1, T2 } });
    const { code } = await rig.run(["run", "--agent", "claude", "--trust"], { env });
    expect(code).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "blocked", T2: "done" });
    expect(await shown(rig, "T2")).toMatchObject({ verdict: "unbroken" });
    expect(rig.events().filter(({ type }) => type === "agent_started")).toHaveLength(2);
    expect(rig.readBacklog().tasks[0]?.blockers).toEqual([
      expect.stringMatching(/^not verified: passes only with test\/answer\.test\.sh/) as string,
      'the agent\'s reason: "it is 43 now"',
      expect.stringContaining("looper set T1 changes+=PATTERN") as string,
      expect.stringContaining("looper rescue show") as string,
    ]);
    expect(rig.read("src/answer.sh")).toBe("answer=42\n");
    const refused = await rig.run(["accept", "T1"]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("it is blocked, not done") as string,
    });
    const wrong = await rig.run(["set", "T1", "changes+=**"]);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("allows every file") as string });

    expect(await rig.run(["set", "T1", "changes+=test/answer.test.sh"])).toMatchObject({ code: 0 });
    const then = await rig.run(["run", "--agent", "claude", "--trust"], { env });
    expect(then.code, then.stderr).toBe(0);
    expect(await shown(rig, "T1")).toMatchObject({ verified: true });
    expect((await rig.run(["show", "T1"])).stdout).toMatch(/may change\n {2}test\/answer\.test\.sh/);
  }),
);

test(
  "`changes` is a person's word, also beside a run; an agent's is dropped and reported, and nothing is accepted meanwhile",
  story(async (rig) => {
    const changesOf = (id: string): unknown =>
      rig.readBacklog().tasks.find((task) => task.id === id)?.changes;
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1", status: "done" }, { id: "T2" }]);
    const words = ["add", "Dates", "--changes", "test/dates.test.js", "--changes", "docs/"];
    expect(await rig.run(words)).toMatchObject({ code: 0, stdout: "T3\n" });
    expect(changesOf("T3")).toEqual(["test/dates.test.js", "docs/"]);
    const refused = await rig.run(["add", "Times", "--changes", ".looper/config.json"]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Looper's own files") as string,
    });
    puppet.play(async (turn) => {
      if (turn.task === "T2") {
        const text = rig.read("to-do.json");
        rig.write(
          "to-do.json",
          text.replace('"T1"', '"T1", "changes": ["test/"]').replace('"docs/"', '"src/"'),
        );
        expect(await rig.run(["set", "T2", "changes+=a.js"])).toMatchObject({ code: 0 });
        const meanwhile = await rig.run(["accept", "T1"]);
        expect(meanwhile).toMatchObject({
          code: 3,
          stderr: expect.stringContaining("is in progress") as string,
        });
      }
      await turn.report();
    });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(["T1", "T2", "T3"].map(changesOf)).toEqual([undefined, ["a.js"], ["test/dates.test.js", "docs/"]]);
    const edited = rig.events().find(({ type }) => type === "backlog_edited");
    expect(JSON.stringify(edited?.["put_back"])).toMatch(/changes of T1.*changes of T3/);
    expect(await rig.run(["accept", "T1", "--file", "to-do.json"])).toMatchObject({ code: 0 });
  }),
);

const resumed: [who: string, accepts: boolean, verdict: string][] = [
  ["what a person accepted in between", true, "unbroken"],
  ["nothing that a person did not accept", false, "unverified"],
];

test.for(sample(resumed, 1))("a run that resumes a killed one trusts %s", async ([, accepts, verdict]) => {
  await story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["sh test/answer.test.sh"] } });
    const helper = { "test/helper.sh": "answer=43\n" };
    for (const [name, text] of Object.entries(project(42))) rig.write(name, text);
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    const first: { program?: Program } = {};
    puppet.play(async (turn) => {
      if (turn.task === "T2") {
        await first.program?.kill("alone");
        return;
      }
      for (const [name, text] of Object.entries({ ...project(43), ...helper }))
        await turn.write(`${turn.hello.cwd}/${name}`, text);
      await turn.report();
    });
    first.program = rig.start(["run", "--no-review", "--trust"]);
    await first.program.ended;
    expect(await shown(rig, "T1")).toMatchObject({ verified: false, evidence: { because: "influence" } });
    if (accepts) expect(await rig.run(["accept", "T1"])).toMatchObject({ code: 0 });
    puppet.play(async (turn) => {
      const uses = ". ./test/helper.sh\n";
      await turn.write(`${turn.hello.cwd}/src/answer.sh`, uses);
      await turn.report();
    });
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 0 });
    expect(rig.events().find(({ type }) => type === "gate_finished")).toMatchObject({ verdict, cold: true });
    expect(await shown(rig, "T2")).toMatchObject({ verdict });
  })();
});
