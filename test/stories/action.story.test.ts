// action.yml as a workflow runs it: the script of its step, with the variables its inputs become; and docs/ci.md, whose
// workflows must fit it. Leaves what a workflow's log is told to workflow.story.test.ts.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sample } from "../rig/exhaustive.js";
import { parse } from "yaml";
import { z } from "zod";
import { ENDINGS } from "../../src/logging/events/events.js";
import { readJUnit } from "../../src/gate/report/junit.js";
import { type Rig, story } from "../rig/rig.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const Action = z.object({
  inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string(), z.object({ value: z.string() })),
  runs: z.object({
    using: z.literal("composite"),
    steps: z.array(
      z.object({
        id: z.string().optional(),
        shell: z.literal("bash"),
        run: z.string(),
        env: z.record(z.string(), z.string()).optional(),
      }),
    ),
  }),
});
const action = Action.parse(parse(readFileSync(path.join(ROOT, "action.yml"), "utf8")));
const ci = readFileSync(path.join(ROOT, "docs/ci.md"), "utf8");

interface Stepped {
  code: number;
  stderr: string;
  outputs: Record<string, string>;
}

/** The last step of the action, its inputs given or by default. */
async function act(rig: Rig, inputs: Record<string, string> = {}): Promise<Stepped> {
  const step = action.runs.steps.at(-1);
  const output = path.join(rig.root, "output");
  writeFileSync(output, "");
  const values = Object.entries(step?.env ?? {}).map(([name, value]) => {
    const [, input = ""] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value) ?? [];
    return [name, inputs[input] ?? action.inputs[input]?.default];
  });
  const env = {
    ...{ ...rig.env, CI: "true", GITHUB_ACTIONS: "true", GITHUB_OUTPUT: output, GITHUB_ACTION_PATH: ROOT },
    ...(Object.fromEntries(values) as Record<string, string>),
  };
  const ended = await new Promise<Pick<Stepped, "code" | "stderr">>((resolve) => {
    const options = { cwd: rig.project, env };
    execFile("bash", ["-e", "-c", step?.run ?? "exit 99"], options, (error, _stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stderr });
    });
  });
  const lines = readFileSync(output, "utf8").split("\n").slice(0, -1);
  return {
    ...ended,
    outputs: Object.fromEntries(lines.map((line) => line.split("="))) as Stepped["outputs"],
  };
}

/** T1 can be done, T2 cannot. */
function stage(rig: Rig): void {
  rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
  const file = path.join(rig.root, "script.json");
  const ends = (status: string, more = {}) => [{ summary: { task_id: null, status, ...more } }];
  const tasks = { T2: [ends("blocked", { blockers: ["no key"] })] };
  writeFileSync(file, JSON.stringify({ tasks, default: [ends("done")] }));
  rig.settings({ schedule: { agent: "scripted" }, agents: { scripted: { script: file } } });
}

test(
  "the step runs looper, tells what came of it, and fails for the endings it is told to",
  story(async (rig) => {
    stage(rig);
    const first = await act(rig, { args: "--no-review", junit: "out/r.xml" });
    expect(first.code).toBe(1);
    expect(first.outputs).toEqual({
      ...{ ending: "blocked", "run-id": rig.runs()[0], done: "1", left: "1" },
      ...{ verified: "0", unbroken: "0", unverified: "1" },
    });
    expect(first.stderr).toContain("::error title=T2 Do T2%3A blocked::no key");
    expect(readJUnit(rig.read("out/r.xml"), (name) => name)).toMatchObject({ how: "read" });
    const again = await act(rig, {
      args: "--no-review",
      "fail-on": "environment,\n budget",
      junit: "out/r.xml",
    });
    expect([again.code, again.outputs["ending"], again.outputs["run-id"]]).toEqual([
      0,
      "blocked",
      rig.runs()[1],
    ]);
    const one = await act(rig, { args: "'--task' \"T1\"", file: "to-do.json", agent: "scripted" });
    expect([one.code, one.outputs["ending"]]).toEqual([0, "complete"]);
  }),
);

test(
  "a step that cannot begin: wrong words, a missing agent, inputs that would like to be commands",
  story(async (rig) => {
    stage(rig);
    rig.write("old.xml", '<property name="run" value="r"/><property name="ending" value="complete"/>');
    const wrong: [inputs: Record<string, string>, code: number, ending: string | undefined, says: RegExp][] =
      [
        [{ "fail-on": "blocked, boom" }, 2, undefined, /::error title=looper action::fail-on: .*"boom"/],
        [{ agent: "$(touch pwned)`touch pwned`\"; touch pwned; '" }, 2, "", /touch pwned/],
        [{ agent: "claude", junit: "old.xml" }, 3, "environment", /fail-on is blocked/],
        [{ args: '--task "T1' }, 2, undefined, /args: a quote is not closed/],
        [{ args: "--tusk T1", junit: "old.xml" }, 2, "", /unknown flag --tusk/],
        [{ agent: "claude", "fail-on": "" }, 0, "environment", /claude/],
        [{ file: "--version" }, 2, "", /--version/],
      ];
    for (const [inputs, code, ending, says] of sample(wrong, 3)) {
      const stepped = await act(rig, inputs);
      expect([inputs, stepped.code, stepped.outputs["ending"]]).toEqual([inputs, code, ending]);
      expect(stepped.stderr).toMatch(says);
    }
    expect(() => rig.read("pwned")).toThrow("ENOENT");
    expect(rig.runs()).toEqual([]);
    rig.write("empty.json", "");
    const nothing = await act(rig, { file: "empty.json" });
    // Without a terminal an agent is not asked to draft one.
    expect([nothing.code, nothing.outputs["ending"]]).toEqual([2, ""]);
    expect(nothing.stderr).toMatch(/looper init/);
  }),
);

test("no input is a part of a script, each reaches it, and it knows every ending", () => {
  const scripts = action.runs.steps.map(({ run }) => run).join("\n");
  expect(scripts).not.toContain("${{");
  const passed = action.runs.steps.flatMap(({ env }) => Object.values(env ?? {}));
  expect(passed.toSorted()).toEqual(
    Object.keys(action.inputs)
      .map((name) => `\${{ inputs.${name} }}`)
      .toSorted(),
  );
  const source = readFileSync(path.join(ROOT, "scripts/action.mjs"), "utf8");
  const [, list = ""] = /const ENDINGS = \[([^\]]+)\]/.exec(source) ?? [];
  expect([...list.matchAll(/"([\w-]+)"/g)].map(([, word]) => word)).toEqual([...ENDINGS]);
  for (const [name, { value }] of Object.entries(action.outputs))
    expect(value).toBe(`\${{ steps.${action.runs.steps.at(-1)?.id ?? ""}.outputs.${name} }}`);
});

const Workflow = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.object({
      steps: z.array(
        z.object({
          id: z.string().optional(),
          uses: z.string().optional(),
          with: z.record(z.string(), z.unknown()).optional(),
          env: z.record(z.string(), z.string()).optional(),
          run: z.string().optional(),
        }),
      ),
    }),
  ),
});

test("docs/ci.md: its workflows are YAML that fits the action", () => {
  const blocks = [...ci.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = ""]) => parse(text) as unknown);
  expect(blocks).toHaveLength(3);
  const { permissions, jobs } = Workflow.parse(blocks.find((block) => !Array.isArray(block)));
  expect(permissions).toEqual({ contents: "write", "pull-requests": "write" });
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const ours = steps.filter(({ uses }) => uses?.includes("/looper@") === true);
  expect(ours).toHaveLength(1);
  const [{ id = "", with: given = {} } = {}] = ours;
  for (const name of Object.keys(given)) expect(Object.keys(action.inputs)).toContain(name);
  for (const { run = "" } of steps) expect(run).not.toContain("${{");
  const read = JSON.stringify(steps).matchAll(new RegExp(`steps\\.${id}\\.outputs\\.([\\w-]+)`, "g"));
  for (const [, name = ""] of read) expect(Object.keys(action.outputs)).toContain(name);
  const rows = [...ci.matchAll(/^\| `([\w-]+)` \| (.+?) \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(Object.keys(action.inputs));
  expect(ci).toContain(`\`${action.inputs["fail-on"]?.default ?? ""}\``);
});
