// A project of the Go program: commands name what is not read, and its task file, schema, hook and agent work here.
import { chmodSync, readdirSync, readFileSync, renameSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively, sample } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

/** The schema that the Go program writes into each project. */
const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Codex RALF Todo",
  type: "object",
  additionalProperties: false,
  required: ["schema_version", "source_files", "tasks"],
  properties: {
    schema_version: { type: "integer", const: 1 },
    project: { type: "object", additionalProperties: false, properties: { name: TEXT, root: TEXT } },
    source_files: TEXTS,
    tasks: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["id", "title", "priority", "status"],
        properties: {
          id: TEXT,
          title: { type: "string", minLength: 1 },
          description: TEXT,
          reference: TEXT,
          priority: { type: "integer", minimum: 1, maximum: 5 },
          status: { type: "string", enum: ["todo", "doing", "blocked", "done"] },
          details: TEXT,
          steps: TEXTS,
          blockers: TEXTS,
          tags: TEXTS,
          files: TEXTS,
          depends_on: TEXTS,
          created_at: { type: "string", format: "date-time" },
          updated_at: { type: "string", format: "date-time" },
        },
      },
    },
  },
};

const TASKS = [
  { id: "T001", title: "Write the file", priority: 1, status: "doing", files: ["README.md"] },
  { id: "T002", title: "Write another", priority: 2, status: "todo", depends_on: ["T001"] },
];

function program(rig: Rig, name: string, text: string): void {
  rig.write(name, text);
  chmodSync(path.join(rig.project, name), 0o755);
}

/** A project as the Go program leaves it: tasks, schema, settings, a hook script, and an agent of its own. */
function goProject(rig: Rig, { toml = "max_iterations = 9\n" }: { toml?: string } = {}): void {
  const backlog = { schema_version: 1, project: { root: "." }, source_files: ["README.md"], tasks: TASKS };
  rig.write(".looper/todo.json", `${JSON.stringify(backlog, undefined, 2)}\n`);
  rig.write(".looper/todo.schema.json", JSON.stringify(SCHEMA, undefined, 2));
  if (toml !== "") rig.write("looper.toml", toml);
  rig.write("README.md", "# A project\n");
  program(rig, "scripts/notify.sh", `#!/bin/sh\necho "$#:$1:$2:$4" >> ${rig.root}/hooked\n`);
  program(
    rig,
    "scripts/agent.sh",
    `#!/bin/sh
cat > /dev/null
echo "$LOOPER_TASK_ID" >> made.txt
printf '{"task_id": "%s", "status": "%s", "summary": "made"}\\n' "$LOOPER_TASK_ID" "\${LOOPER_TASK_ID:+done}" |
  sed 's/"task_id": ""/"task_id": null/; s/"status": ""/"status": "reviewed"/'
`,
  );
}

/** Every file of the project, with what it holds. */
function filesOf(rig: Rig, folder = rig.project): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    names
      .map((one) => path.join(one.parentPath, one.name))
      .filter((file) => !file.includes("/.git/"))
      .map((file) => [path.relative(folder, file), readFileSync(file, "utf8")]),
  );
}

test(
  "commands name the old tasks and settings in one line with the page about them, and a run drafts nothing beside them",
  story(async (rig) => {
    goProject(rig);
    const before = filesOf(rig);
    const line =
      "looper: .looper/todo.json, looper.toml of the Go program are not read; docs/from-looper-go.md says what to do\n";
    for (const words of [["ls"], ["add", "More"], ["run", "--prompt", "a shop"]]) {
      const { code, stderr } = await rig.run(words);
      expect(code, words.join(" ")).toBe(2);
      if (words[0] !== "run") expect(stderr.split(line), words.join(" ")).toHaveLength(2);
      expect(stderr).not.toContain("create one with `looper init`");
      expect(stderr).toMatch(/move (?:\.looper\/todo\.json there|it to to-do\.json)/);
    }
    const config = await rig.run(["config"]);
    expect(config).toMatchObject({ code: 0, stderr: line });
    expect((await rig.run(["doctor"])).stdout).toContain("move it to to-do.json");
    expect(filesOf(rig)).toEqual(before);
    expect((await rig.run(["init", "-y"])).stderr).toContain("docs/from-looper-go.md");
  }),
);

test(
  "a task file of the Go program that is moved is valid, and its project runs to the end",
  story(async (rig) => {
    goProject(rig, { toml: "" });
    renameSync(path.join(rig.project, ".looper/todo.json"), path.join(rig.project, "to-do.json"));
    rig.write(
      ".looper/config.json",
      JSON.stringify({
        schema_file: ".looper/todo.schema.json",
        schedule: "mine",
        hooks: { post_iteration: "./scripts/notify.sh" },
        agents: { mine: { kind: "command", binary: "./scripts/agent.sh" } },
      }),
    );
    expect(await rig.run(["validate"])).toMatchObject({ code: 0, stderr: "" });
    const ran = await rig.run(["run", "--no-review", "--trust"]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T001: "done", T002: "done" });
    // In the project's folder, not in `.looper/`.
    expect(rig.read("made.txt")).toBe("T001\nT002\n");
    expect(readFileSync(path.join(rig.root, "hooked"), "utf8").split("\n").slice(0, 2)).toEqual([
      "4:T001:done:iter-1",
      "4:T002:done:iter-2",
    ]);
  }),
);

test.each(
  sample<[string, string[], Record<string, string>]>(
    [
      ["todo_file", [], {}],
      ["the command line", [".looper/todo.json"], {}],
      ["LOOPER_TODO", [], { LOOPER_TODO: ".looper/todo.json" }],
    ],
    1,
  ),
)("a task file in .looper/ named by %s: work is done in the project's folder", (by, words, env) =>
  story(async (rig) => {
    goProject(rig, { toml: "" });
    const settings = {
      ...(by === "todo_file" ? { todo_file: ".looper/todo.json" } : {}),
      agents: { mine: { kind: "command", binary: "./scripts/agent.sh" } },
      schedule: { agent: "mine" },
      // A document that a check names is doubt: here it is the work itself.
      verify: { commands: ["test -f made.txt"], protected: ["!made.txt"] },
    };
    rig.write(".looper/config.json", JSON.stringify(settings));
    rig.gitInit();
    const ran = await rig.run(["run", ...words, "--no-review", "--trust"], { env });
    expect(ran.code, ran.stderr).toBe(0);
    expect(rig.read("made.txt")).toBe("T001\nT002\n");
    expect(ran.stderr).not.toContain("unverified");
    expect(ran.stderr).not.toContain("Go program");
  })(),
);

test(
  "run and validate name the folder of the work where it is not the project's",
  story(async (rig) => {
    const puppet = await rig.agent();
    puppet.play((turn) => turn.report());
    rig.write("packages/app/file", "");
    rig.writeBacklog([{ id: "T1" }], { project: { root: "packages/app" } });
    const note = "agents, hooks and checks work in packages/app (`project.root` in to-do.json)";
    expect((await rig.run(["validate"])).stdout).toContain(note);
    expect((await rig.run(["run", "--no-review"])).stderr).toContain(note);
  }),
);

test.each(sample(["/home/author/shop", "../elsewhere", "not-there"], 1))(
  "run, doctor and validate refuse a folder of work that is not here, with the same words: %s",
  (root) =>
    story(async (rig) => {
      await rig.agent();
      rig.writeBacklog([{ id: "T1" }], { project: { name: "shop", root } });
      const why = `project.root is "${root}", which is not a folder inside `;
      const hint = root.startsWith("/") ? "looper fmt --fix" : "a path relative to the task file";
      const validate = await rig.run(["validate"]);
      expect([validate.code, validate.stdout]).toEqual([1, expect.stringContaining(why)]);
      expect(validate.stdout).toContain(hint);
      const doctor = await rig.run(["doctor"]);
      expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(why)]);
      expect(doctor.stdout).toContain(hint);
      const run = await rig.run(["run", "--no-review"]);
      expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(why)]);
      expect(run.stderr).toContain(hint);
      if (!root.startsWith("/")) return;
      const fixed = await rig.run(["fmt", "--fix"]);
      expect(fixed.stdout).toContain(`project.root "${root}" removed`);
      expect(rig.readBacklog().project).toEqual({ name: "shop" });
      expect((await rig.run(["validate"])).code).toBe(0);
    })(),
);

exhaustively(
  "the Go program's schema as schema_file: a run that resumes tomorrow needs no repair; one that forbids a status is refused",
  story(async (rig) => {
    const puppet = await rig.agent();
    puppet.play((turn) => turn.report({ summary: "made" }));
    rig.write("to-do.schema.json", JSON.stringify(SCHEMA));
    rig.writeBacklog(TASKS.map((task) => ({ ...task, status: "todo" })));
    const env = { LOOPER_SCHEMA: "to-do.schema.json" };
    expect(await rig.run(["run", "--max-iterations", "1"], { env })).toMatchObject({ code: 1 });
    expect(await rig.run(["validate"], { env })).toMatchObject({ code: 0 });
    expect(await rig.run(["run", "--no-review"], { env })).toMatchObject({ code: 0 });
    expect(rig.statuses()).toEqual({ T001: "done", T002: "done" });

    const status = { ...SCHEMA.properties.tasks.items.properties, status: { enum: ["todo", "done"] } };
    const items = { ...SCHEMA.properties.tasks.items, properties: status };
    const properties = { ...SCHEMA.properties, tasks: { type: "array", items } };
    rig.write("to-do.schema.json", JSON.stringify({ ...SCHEMA, properties }));
    rig.writeBacklog([{ id: "T003" }]);
    const refused = await rig.run(["run"], { env });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain('it does not allow a task with the status "doing", which a run writes');
    expect(rig.statuses()).toEqual({ T003: "todo" });
  }),
);
