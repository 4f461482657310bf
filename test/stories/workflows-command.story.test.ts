// `looper workflows`, and how a run begins with them: the lookup, the problems, the approval.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sample } from "../rig/exhaustive.js";
import { story, type Rig } from "../rig/rig.js";

const OWN = ".looper/workflows/own.json";
const work = { kind: "work", prompt: "implement", next: { done: "finish" } };

function writeOwn(rig: Rig, stages: unknown = { do: work }, more: object = {}): void {
  rig.write(OWN, JSON.stringify({ workflow: 1, name: "own", start: "do", stages, ...more }, undefined, 1));
}

test(
  "workflows lists those of the project before the user's and the shipped ones",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    writeOwn(rig, { do: work }, { about: "Mine" });
    const user = path.join(rig.root, "config/looper/workflows");
    mkdirSync(user, { recursive: true });
    writeFileSync(path.join(user, "own.yaml"), "workflow: 1\n");
    writeFileSync(
      path.join(user, "tdd.yaml"),
      "workflow: 1\nname: tdd\nabout: The user's\nstart: do\nstages: {do: {kind: work, prompt: implement, next: {done: finish}}}\n",
    );
    const { stdout, code } = await rig.run(["workflows", "--json"]);
    expect(code).toBe(0);
    const { workflows } = JSON.parse(stdout) as { workflows: Record<string, unknown>[] };
    const told = workflows.map(({ name, origin }) => [name, origin]);
    expect(told).toEqual([
      ["default", "shipped"],
      ["own", "project"],
      ["tdd", "user"],
      ["implement-review", "shipped"],
      ["plan-approve-execute", "shipped"],
      ["plan-implement-review", "shipped"],
      ["research", "shipped"],
      ["staged-review", "shipped"],
    ]);
    expect((await rig.run(["workflows"])).stdout).toMatch(/^own +project +Mine$/m);
  }),
);

test(
  "a copied workflow is the shipped file, byte for byte, and is replaced only with --force",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const file = path.join(rig.project, ".looper/workflows/tdd.json");
    expect((await rig.run(["workflows", "copy", "tdd"])).code).toBe(0);
    const shipped = readFileSync(new URL("../../workflows/tdd.json", import.meta.url), "utf8");
    expect(readFileSync(file, "utf8")).toBe(shipped);
    expect((await rig.run(["workflows", "check", file])).code).toBe(0);
    writeFileSync(file, "{}");
    const again = await rig.run(["workflows", "copy", "tdd"]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("pass --force to replace it");
    expect(readFileSync(file, "utf8")).toBe("{}");
    expect((await rig.run(["workflows", "copy", "tdd", "--force"])).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(shipped);
    const unknown = await rig.run(["workflows", "copy", "tddd"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("did you mean tdd?");
  }),
);

test(
  "check names every problem with its place, those of prompts, schemas and agents too",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    writeOwn(
      rig,
      { do: { ...work, prompt: "implemnt", output: "mine" } },
      { agents: { bot: { kind: "comand" } } },
    );
    const { code, stdout } = await rig.run(["workflows", "check", OWN]);
    expect(code).toBe(1);
    expect(stdout.trimEnd().split("\n")).toEqual([
      `${OWN}:8:4: the stage do: there is no prompt "implemnt"; did you mean implement? or write .looper/prompts/implemnt.md`,
      `${OWN}:12:4: the stage do: there is no output "mine"; write .looper/outputs/mine.schema.json, or name one of plan, request, implementation, findings, scout-findings, report, qualification, advice`,
      expect.stringMatching(/own\.json:17:1: agents\.bot\.kind is "comand"; .*did you mean command\?$/),
      `3 problems in ${OWN}`,
    ]);
    rig.write(".looper/prompts/implemnt.md", "Do {{taks_id}}.");
    expect((await rig.run(["workflows", "check", OWN])).stdout).toContain(
      `${OWN}:8:4: the stage do: .looper/prompts/implemnt.md:1: {{taks_id}} is not a variable`,
    );
    rig.write(".looper/prompts/implemnt.md", "Do {{task_id}}.");
    rig.write(".looper/outputs/mine.schema.json", '{"type": "strng"}');
    expect((await rig.run(["workflows", "check", OWN])).stdout).toContain(
      ".looper/outputs/mine.schema.json: not a JSON Schema",
    );
  }),
);

test(
  "links out of the project, folders and large files are problems, not contents",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const secret = path.join(rig.root, "secret.json");
    writeFileSync(secret, '{"password": "hunter2"}');
    rig.write(".looper/workflows/big.yaml", `# ${"x".repeat(2 ** 20)}\n`);
    mkdirSync(path.join(rig.project, ".looper/workflows/folder.json"));
    symlinkSync(secret, path.join(rig.project, ".looper/workflows/linked.json"));
    symlinkSync("nowhere", path.join(rig.project, ".looper/workflows/gone.json"));
    const problems = [
      ["linked", "it is a link that leads out of "],
      ["gone", "it is a link that leads nowhere"],
      ["folder", "it is a folder, not a file"],
      ["big", "it has 1048579 bytes, and at most 1048576 are read"],
    ] as const;
    for (const [at, [name, why]] of problems.entries()) {
      const read = [
        ["workflows", "check", name],
        ["workflows", "show", name],
        ["run", "--workflow", name],
      ];
      // They read a file in one way: all of them are tried with the first problem.
      for (const typed of at === 0 ? read : sample(read, 1)) {
        const { code, stdout, stderr } = await rig.run(typed);
        expect(stdout + stderr).toContain(`cannot read it: ${why}`);
        expect(stdout + stderr).not.toContain("hunter2");
        expect(code).toBe(typed[1] === "check" ? 1 : 2);
      }
    }
    const drawn = await rig.run(["workflows", "show", "tdd", "--mermaid"]);
    expect(drawn.stdout).toMatch(/^flowchart TD\n/);
    expect((await rig.run(["workflows"])).stdout).toMatch(/^linked +project +cannot be used: 1 problem$/m);
  }),
);

test.each(
  sample(
    [
      [["--workflow", "implment-review"], "did you mean implement-review?"],
      [["--workflow", "own"], `${OWN}:5:2: no stage leads to review; lead an outcome to it, or remove it`],
      [["--workflow", "tdd", "--skip", "red"], "--skip red: there is no analyze stage of that name in tdd"],
      [["--auto-approve", "aprove", "--workflow", "tdd"], "did you mean approve?"],
      [["--skip", "plan"], "--skip plan: there is no analyze stage of that name in default"],
    ],
    2,
  ),
)("run %j is refused before any agent starts", (flags, message) =>
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const agent = await rig.agent();
    agent.play(() => Promise.reject(new Error("no agent may start")));
    writeOwn(rig, { do: work, review: { ...work, kind: "analyze" } });
    rig.write(
      OWN,
      `{"workflow": 1, "name": "own", "start": "do",\n "stages": {\n "do": ${JSON.stringify(work)},\n\n "review": ${JSON.stringify({ ...work, kind: "analyze" })}}}`,
    );
    const { code, stderr } = await rig.run(["run", ...flags]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(rig.statuses()).toEqual({ T1: "todo" });
  })(),
);

test(
  "a task that names an unknown workflow ends the start with the list",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }, { id: "T2", workflow: "team" }]);
    await rig.agent();
    const { code, stderr } = await rig.run(["run"]);
    expect(code).toBe(2);
    expect(stderr).toContain('there is no workflow "team", which task T2 in to-do.json names');
    expect(stderr).toContain("known: default, implement-review, plan-approve-execute");
  }),
);

test(
  "a project's own workflow is approved by its content; an unchanged copy of a shipped one is not asked about",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.clis({ default: [{ summary: { status: "done" } }] });
    const env = { CI: "" };
    expect((await rig.run(["workflows", "copy", "implement-review"])).code).toBe(0);
    writeOwn(rig, { do: { ...work, gate: ["make evil"] } });
    const { code, stderr } = await rig.run(["run", "--workflow", "own"], { env });
    expect(code).toBe(3);
    expect(stderr).toContain(`workflow own, stage do (${OWN}): `);
    expect(stderr).toContain("make evil");
    const copied = await rig.run(["run", "--workflow", "implement-review", "--max-iterations", "1"], { env });
    expect(copied.stderr).not.toContain("have not been approved yet");
  }),
);

test(
  "a dry run names the workflow and the stage of each task, and the agent of a role",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1", workflow: "implement-review" }, { id: "T2" }]);
    await rig.agent();
    const { stdout, code } = await rig.run(["run", "--dry-run", "--json"]);
    expect(code).toBe(0);
    const plan = JSON.parse(stdout) as { workflow: string; stage: string; prompt: string; steps: unknown[] };
    expect(plan).toMatchObject({ workflow: "implement-review", stage: "implement" });
    expect(plan.prompt).toContain("stage `implement`");
    expect(plan.steps[1]).not.toHaveProperty("workflow");
    expect((await rig.run(["run", "--dry-run", "--quiet"])).stdout).toMatch(
      /T1 .* · implement-review: implement · /,
    );
  }),
);
