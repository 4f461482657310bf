// Runs every line of every shell block of the documents in a copy of a project with a past, and reads every task file and
// settings file they show. Walkthroughs, in blocks of `console`, have stories of their own.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Block, blocksOf, pages, readPage, stepsOf } from "../rig/documents.js";
import { EXHAUSTIVE } from "../rig/exhaustive.js";
import { Rig } from "../rig/rig.js";
import { BIN } from "../rig/program.js";

const Package = z.object({ scripts: z.record(z.string(), z.string()) });

/** Lines nothing runs here, and why. One that no document has any more is an error. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "git clone https://github.com/OWNER/looper.git": "needs a network",
  "cd looper": "is the clone",
  "make install":
    "installs for the whole machine: test/stories/install.story.test.ts does it in a folder of its own",
  "npm pack": "is done by test/stories/install.story.test.ts",
  "npm i -g ./looper-*.tgz": "is done by test/stories/install.story.test.ts",
  "npx vitest run src/todo": "is this very suite",
  "npx vitest run --project stories": "is this very suite",
  "looper demo": "is run by test/stories/cli.story.test.ts",
  "looper chapo approve last": "is done by test/stories/chapo-approvals.story.test.ts",
  'looper chapo reject last -m "Use a branch"': "is done by test/stories/chapo-approvals.story.test.ts",
  'looper chapo approve last --args \'{"path": "b.txt", "content": "b"}\'':
    "is done by test/stories/chapo-approvals.story.test.ts",
};

/** Lines that are to say no: exit 1. */
const SAY_NO: readonly string[] = [
  "looper fmt --check --keep-order",
  "looper accept T3 T7",
  "looper config unset verify.commands",
  "looper stop",
  "looper stop --now",
  // T3 was done before: the ids of its questions are not used again.
];

/** Lines that are refused: exit 2. */
const REFUSED: readonly string[] = [
  // It has to ask, and has no terminal.
  "looper push",
  // Its question takes an outcome.
  'looper answer T3 -m "port 8080"',
];

/** Lines that need T3 to ask a person. */
const ABOUT_A_QUESTION =
  /^looper (?:answer|approve|reject|pause|resume|steer|complete|questions|todo T3 --restart)(?: |$)/;

/** Lines that are typed before another, so that there is something for it to do. */
const FIRST: readonly (readonly [line: RegExp, first: string])[] = [
  [/^looper resume /, "looper pause T3"],
  [/^looper workflows check /, "looper workflows copy implement-review"],
];

/** The run id that the documents use as an example. */
const EXAMPLE_RUN = "2026-01-31_08-30-00";

const blocks = pages()
  .filter((page) => page !== "docs/a-tasks-night.md")
  .flatMap(blocksOf)
  .filter(({ language }) => language !== "console");
const shell = blocks.filter(({ language }) => language === "sh");
/** The examples of every command are typed in make proof. */
const typedHere = shell.filter(({ page }) => EXHAUSTIVE || page !== "docs/COMMANDS.md");
/** Task files, settings and workflows; a block that names another file is read where it is used. */
const json = blocks.filter(({ language, file }) => language === "json" && file === undefined);

const rig = new Rig();
let copies = 0;
/** A copy of the project in which T3 asks whether to carry out its plan. */
const asking = path.join(rig.root, "asking");

beforeAll(async () => {
  const looper = `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`;
  writeFileSync(path.join(rig.root, "bin/looper"), looper, { mode: 0o755 });
  rig.settings({
    schedule: { agent: "scripted" },
    loop: { unknown_cost: "allow" },
    agents: {
      scripted: { script: path.join(rig.root, "script.json") },
      chapo: { model: "scripted", chapo: { script: path.join(rig.root, "chapo.json") } },
    },
  });
  rig.writeBacklog([
    { id: "T1", priority: 1 },
    { id: "T2", priority: 2 },
    { id: "T3", priority: 3 },
    { id: "T4", depends_on: ["T1"], priority: 4 },
    { id: "T6", status: "done" },
    { id: "T7", depends_on: ["T6"], priority: 5 },
  ]);
  rig.write("package.json", '{ "version": "0.1.0" }\n');
  rig.write("notes.md", "Notes about the project.\n");
  rig.write("TODO.md", "# To do\n\n- [ ] Say goodbye\n");
  rig.write(".gitignore", "looper-logs/\n");
  const said = { turns: [{ say: "It is done.", times: 9 }] };
  writeFileSync(path.join(rig.root, "chapo.json"), JSON.stringify(said));
  rig.gitInit();
  await makePast();
});

/** A first run that does T1 and T2 and gives T3 up, and a second one that does T3. */
async function makePast(): Promise<void> {
  const work = { shell: 'echo "$LOOPER_TASK_ID" > "$LOOPER_TASK_ID.txt"' };
  const report = { summary: { task_id: null, status: "done", summary: "It is done." } };
  const talk = Array.from({ length: 20 }, (_, index) => ({ say: `Thought ${index}.` }));
  const failing = [{ write: "half.txt", content: "half\n" }, { fail: "lost the thread" }];
  const play = (turns: object) => {
    writeFileSync(path.join(rig.root, "script.json"), JSON.stringify(turns));
  };
  const script = (tasks: object) => {
    play({ tasks, default: [[...talk, work, report]] });
  };
  script({ T3: [failing] });
  expect((await rig.run(["run", "--no-review", "--max-iterations", "4"])).code).toBe(1);
  script({});
  expect((await rig.run(["run", "--task", "T3"])).code).toBe(0);
  expect((await rig.run(["chapo", "What is this?"])).code).toBe(0);
  cpSync(rig.project, asking, { recursive: true, verbatimSymlinks: true });
  await askAboutT3((stages) => {
    play({ stages });
  });
  script({});
}

async function askAboutT3(play: (stages: object) => void): Promise<void> {
  const report = (outcome: string, output: object) => [
    [{ summary: { task_id: null, status: "done", summary: "It is done.", outcome, output } }],
  ];
  const plan = { summary: "Say goodbye.", steps: [{ text: "Write it." }] };
  writeFileSync(path.join(asking, "plan.json"), JSON.stringify(plan));
  play({
    clarify: report("clear", { status: "clear", clarified_query: "Say goodbye." }),
    plan: report("done", plan),
  });
  expect((await type("looper todo T3", asking)).code).toBe(0);
  const asked = await type("looper run --task T3 --workflow plan-approve-execute --no-review", asking);
  expect(asked.code, asked.output).toBe(1);
}

afterAll(async () => {
  expect(rig.leftovers()).toEqual([]);
  expect(await rig.dispose()).toEqual([]);
});

/** A copy of the prepared project, or a folder in which nothing is set up yet. */
function makeFolder(what: "project" | "asking" | "new"): string {
  copies += 1;
  const folder = path.join(rig.root, `copy-${copies}`);
  if (what !== "new") {
    cpSync(what === "asking" ? asking : rig.project, folder, { recursive: true, verbatimSymlinks: true });
  } else {
    mkdirSync(folder);
    cpSync(path.join(rig.project, "TODO.md"), path.join(folder, "TODO.md"));
  }
  return folder;
}

/** Runs a line in a shell. A line that hangs is ended. */
function type(line: string, cwd: string): Promise<{ code: number | null; output: string }> {
  const [first = ""] = rig.runs();
  const typed = `exec 2>&1; ${line.replaceAll(EXAMPLE_RUN, first)}`;
  return new Promise((resolve, reject) => {
    const shell = spawn("/bin/sh", ["-c", typed], {
      cwd,
      env: rig.env,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 600_000,
    });
    let output = "";
    shell.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    shell.once("error", reject);
    shell.once("close", (code) => {
      resolve({ code, output });
    });
  });
}

/** Whether a line calls a check of this project, which nothing runs inside a check; it must be there. */
function namesACheck(line: string): boolean {
  const target = /^make ([\w-]+)/.exec(line)?.[1];
  if (target !== undefined) return new RegExp(`^${target}:`, "m").test(readPage("Makefile"));
  const script = /^npm (?:run )?([\w:]+)/.exec(line)?.[1] ?? "";
  return Object.hasOwn(Package.parse(JSON.parse(readPage("package.json"))).scripts, script);
}

/** A block by where it stands, for the name of its test. */
const named = (block: Block): [string, Block] => [`${block.page}:${block.line}`, block];

describe.concurrent("every command line in the documents works", () => {
  test.for(typedHere.map(named))("%s", async ([, block], { expect }) => {
    const paragraphs = stepsOf(block);
    expect(paragraphs).not.toEqual([]);
    for (const lines of paragraphs) {
      const typed = lines.filter((line) => !Object.hasOwn(NOT_RUN, line) && !namesACheck(line));
      if (typed.length === 0) continue;
      const folder = makeFolder(folderFor(typed));
      const before = FIRST.filter(([pattern]) => typed.some((line) => pattern.test(line)));
      for (const line of [...before.map(([, first]) => first), ...typed]) {
        const { code, output } = await type(line, folder);
        expect(code, `${line}\n${output}`).toBe(REFUSED.includes(line) ? 2 : SAY_NO.includes(line) ? 1 : 0);
      }
    }
  });
});

function folderFor([first = ""]: readonly string[]): "project" | "asking" | "new" {
  if (first.startsWith("looper init")) return "new";
  return ABOUT_A_QUESTION.test(first) ? "asking" : "project";
}

describe.concurrent("every file shown in the documents is valid", () => {
  test.for(json.map(named))("%s", async ([, block], { expect }) => {
    const folder = makeFolder("new");
    const { file, command } = readAs(block);
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), block.body);
    const { code, output } = await type(command, folder);
    expect(code, `${block.body}\n${output}`).toBe(0);
  });
});

/** A task file is validated, a workflow is checked; what else is shown is settings. */
function readAs({ body }: Block): { file: string; command: string } {
  const shown: unknown = JSON.parse(body);
  if (z.looseObject({ tasks: z.array(z.unknown()) }).safeParse(shown).success)
    return { file: "to-do.json", command: "looper validate" };
  const workflow = z.looseObject({ workflow: z.literal(1), name: z.string() }).safeParse(shown).data;
  if (workflow === undefined) return { file: ".looper/config.json", command: "looper config" };
  const file = `.looper/workflows/${workflow.name}.json`;
  return { file, command: `looper workflows check ${file}` };
}

test("no exception outlives its line", () => {
  const there = new Set(shell.flatMap(stepsOf).flat());
  expect([...Object.keys(NOT_RUN), ...SAY_NO, ...REFUSED].filter((line) => !there.has(line))).toEqual([]);
});

test("every block says what it is", () => {
  const known = ["sh", "json", "js", "ts", "mermaid", "yaml", "text"];
  expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([]);
});
