// Every answer of a command in JSON is one document, and what its published schema says it is.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect, test } from "vitest";
import { PUBLISHED } from "../../scripts/schema-list.js";
import { RescueListAnswer } from "../../src/ui/shapes/work.js";
import { EXHAUSTIVE } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

/** Each line with the schema of its answer; what only reads comes first. `RESCUE` stands for the first rescue's id. */
const READING: readonly (readonly [line: string, schema: string])[] = [
  ["ls", "ls"],
  ["ls --ready", "ls"],
  ["ls broken.json", "ls"],
  ["show T1", "show"],
  ["show T2", "show"],
  ["why T2", "why"],
  ["why T3", "why"],
  ["validate", "validate"],
  ["validate broken.json", "validate"],
  ["fmt", "fmt"],
  ["fmt --check", "fmt"],
  ["fmt --diff", "fmt"],
  ["config", "config"],
  ["config get loop", "config"],
  ["config path", "config"],
  ["status", "status"],
  ["runs", "runs"],
  ["logs T1", "logs"],
  ["doctor", "doctor"],
  ["completion zsh", "completion"],
  ["clean --keep 0 --dry-run", "clean"],
  ["rescue", "rescue-list"],
  ["rescue show RESCUE", "rescue-show"],
  ["replay", "replay"],
  ["replay --at 3", "replay-at"],
  ["run --dry-run", "run-dry-run"],
  ["questions", "questions"],
  ["workflows", "workflows"],
  ["workflows show tdd", "workflows-show"],
  ["workflows check tdd", "workflows-check"],
  ["chapo prompts", "chapo-prompts"],
  ["chapo pending", "chapo-pending"],
  ["chapo sessions", "chapo-sessions"],
  ["chapo tools", "chapo-tools"],
];
/** One after the other: they change the project, or hold the lock of a run while they look. */
const CHANGING: typeof READING = [
  ["undo T1 --dry-run", "undo"],
  ["rescue restore RESCUE", "rescue-restore"],
  ["rescue drop RESCUE", "rescue-drop"],
  ["undo T1", "undo"],
  ["workflows copy tdd", "workflows-copy"],
  ["add x", "edit"],
  ["set T3 priority=1", "edit"],
  ["block T3 why", "edit"],
  ["todo T3", "edit"],
  ["done T3", "edit"],
  ["rm T3", "edit"],
  ["init", "init"],
  ["clean --keep 0 -y", "clean"],
];
/** Covered by stories of their own, which need a run in progress, a release, or a model. */
const ELSEWHERE = ["chapo", "chapo-undo", "push", "stop"];

/** The errors in the answer; empty where there are none. */
async function wrongWith(rig: Rig, line: string, schema: string): Promise<string> {
  const { stdout, stderr } = await rig.run([...line.split(" "), "--json"]);
  try {
    const found = problems(schema, JSON.parse(stdout));
    return found === "" ? "" : `looper ${line}: ${found}`;
  } catch {
    return `looper ${line}: no JSON\n${stdout}${stderr}`;
  }
}

function problems(name: string, answer: unknown): string {
  const ajv = new Ajv2020({ strict: true, strictTuples: false, strictTypes: false, allErrors: true });
  formats.default(ajv);
  const schema = PUBLISHED.find((one) => one.path === `schemas/cli/${name}.schema.json`)?.make();
  if (typeof schema !== "object" || schema === null) return "the schema is not an object";
  const valid = ajv.compile(schema);
  return valid(answer) ? "" : ajv.errorsText(valid.errors);
}

/** A session of the engine, for the list of them. */
async function leaveSession(rig: Rig): Promise<void> {
  const file = path.join(rig.root, "chapo.json");
  writeFileSync(file, JSON.stringify({ turns: [{ say: "Hello." }] }));
  const env = { LOOPER_AGENTS_CHAPO_CHAPO_SCRIPT: file, LOOPER_AGENTS_CHAPO_MODEL: "scripted" };
  expect((await rig.run(["chapo", "Hello"], { env })).code).toBe(0);
}

test(
  "every command's --json is one document that meets its schema",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3", depends_on: ["T2"] }]);
    rig.write(".gitignore", "looper-logs/\n.looper/\n");
    rig.write("broken.json", '{"schema_version": 1, "tasks": [{"id": "T1"');
    rig.gitInit();
    puppet.play(async (turn) => {
      await turn.write(`${turn.hello.cwd}/${turn.task}.txt`, "made\n");
      await turn.report(turn.task === "T1" ? {} : { status: "blocked", blockers: ["no key"] });
    });
    expect((await rig.run(["run", "--no-review"])).code).toBe(1);
    await leaveSession(rig);
    const { rescues } = RescueListAnswer.parse(JSON.parse((await rig.run(["rescue", "--json"])).stdout));
    const [{ id } = { id: "" }] = rescues;
    // One line for each schema; in make proof all of them.
    const filled = (lines: typeof READING) =>
      lines
        .filter(([, to], at) => EXHAUSTIVE || lines.findIndex(([, one]) => one === to) === at)
        .map(([line, to]) => [line.replace("RESCUE", id), to] as const);
    const wrong: string[] = [];
    for (const next of filled([...READING, ...CHANGING])) wrong.push(await wrongWith(rig, ...next));
    expect(wrong.filter((one) => one !== "")).toEqual([]);
  }),
);

test("every schema of an answer has a line that is tried", () => {
  const published = PUBLISHED.flatMap(
    ({ path }) => /^schemas\/cli\/(.+)\.schema\.json$/.exec(path)?.[1] ?? [],
  );
  const tried = [...READING, ...CHANGING].map(([, schema]) => schema);
  expect([...new Set([...tried, ...ELSEWHERE])].sort()).toEqual(published.sort());
});
