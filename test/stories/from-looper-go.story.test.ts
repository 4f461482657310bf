// A project of the Go program: every command names what is not read, one command moves all of it over, and it runs to the end.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Rig, story } from "../rig/rig.js";

const MOVE = "looper init --from-looper-go";

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

const TOML = `
# Settings of the Go program
todo_file = ".looper/todo.json"
schema_file = ".looper/todo.schema.json"
log_dir = "~/.looper"
max_iterations = 9
schedule = "odd-even"
odd_agent = "Mine"
even_agent = "mine"
review_agent = "mine"
hook_command = "./scripts/notify.sh"
loop_delay_seconds = 0
log_level = "debug"

[roles]
repair = "mine"

[agents.mine]
binary = "./scripts/agent.sh"
prompt_format = "stdin"

[agents.codex]
binary = "codex"
model = "gpt-5"
reasoning = "high"
args = ["--foo", "bar"]

[parallel]
enabled = true
`;

const TASKS = [
  { id: "T001", title: "Write the file", priority: 1, status: "doing", files: ["README.md"] },
  { id: "T002", title: "Write another", priority: 2, status: "todo", depends_on: ["T001"] },
];

function program(rig: Rig, name: string, text: string): void {
  rig.write(name, text);
  chmodSync(path.join(rig.project, name), 0o755);
}

/** A project as the Go program leaves it: tasks, schema, settings, a hook script, and an agent of its own. */
function goProject(rig: Rig, { toml = TOML }: { toml?: string } = {}): void {
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
  "every command names the old tasks and settings with the command that moves them, and none writes beside them",
  story(async (rig) => {
    goProject(rig);
    mkdirSync(path.join(rig.root, "home/.looper"), { recursive: true });
    writeFileSync(path.join(rig.root, "home/.looper/looper.toml"), "max_iterations = 3\n");
    const before = filesOf(rig);
    for (const words of [["ls"], ["validate"], ["status"], ["why", "T001"], ["add", "More"], ["fmt"]]) {
      const { code, stderr } = await rig.run(words);
      if (words[0] !== "status") expect(code, words.join(" ")).toBe(2);
      expect(stderr).toContain(
        `.looper/todo.json holds 2 tasks of the Go program: move them with \`${MOVE}\``,
      );
      expect(stderr, words.join(" ")).not.toContain("create one with `looper init`");
      for (const name of ["looper.toml", "~/.looper/looper.toml"])
        expect(stderr).toContain(`looper: ${name} holds settings of the Go program, which are not read`);
    }
    for (const words of [["run"], ["run", "-y"], ["run", "--prompt", "a shop"], ["init"], ["init", "-y"]]) {
      const { code, stderr } = await rig.run(words);
      expect(code, words.join(" ")).toBe(2);
      expect(stderr).toContain(".looper/todo.json holds 2 tasks of the Go program");
      expect(stderr).toContain(MOVE);
    }
    const doctor = await rig.run(["doctor"]);
    expect(doctor.stdout).toContain("looper.toml holds settings of the Go program");
    expect(doctor.stdout).toContain(".looper/todo.json holds 2 tasks of the Go program");
    const config = await rig.run(["config"]);
    expect(config).toMatchObject({ code: 0 });
    expect(config.stderr).toContain("~/.looper/looper.toml holds settings of the Go program");
    expect(filesOf(rig)).toEqual(before);
  }),
);

test(
  "one command moves tasks, settings, hook and schema over, keeps every original, and the project runs to the end",
  story(async (rig) => {
    goProject(rig);
    rig.gitInit();
    const before = filesOf(rig);
    const planned = await rig.run(["init", "--from-looper-go", "--dry-run"]);
    expect(planned).toMatchObject({ code: 0 });
    expect(filesOf(rig)).toEqual(before);
    const moved = await rig.run(["init", "--from-looper-go"]);
    expect(moved).toMatchObject({ code: 0, stderr: "" });
    for (const told of [
      "to-do.json  written: 2 tasks from .looper/todo.json",
      'looper.toml: hook_command is now hooks.post_iteration ["./scripts/notify.sh"]',
      'looper.toml: review_agent is now roles.review "mine"',
      'looper.toml: log_level "debug" was not moved: use `--log-level`',
      "looper.toml: parallel.enabled true was not moved",
      "looper.toml  kept as .looper/from-looper-go/looper.toml",
    ])
      expect(moved.stdout).toContain(told);
    const after = filesOf(rig);
    for (const name of ["looper.toml", ".looper/todo.json", ".looper/todo.schema.json"]) {
      expect(after[path.join(".looper/from-looper-go", name)]).toBe(before[name]);
      expect(after[name]).toBeUndefined();
    }
    expect(after["to-do.json"]).toBe(before[".looper/todo.json"]);
    expect(JSON.parse(after[".looper/config.json"] ?? "")).toEqual({
      $schema: "./config.schema.json",
      loop: { max_iterations: 9, delay_seconds: 0 },
      schedule: { strategy: "odd-even", odd: "mine", even: "mine" },
      roles: { review: "mine", repair: "mine" },
      hooks: { post_iteration: ["./scripts/notify.sh"] },
      agents: {
        mine: { kind: "command", binary: "./scripts/agent.sh", prompt_via: "stdin" },
        codex: { model: "gpt-5", reasoning: "high", args: ["--foo", "bar"] },
      },
    });

    const again = await rig.run(["init", "--from-looper-go"]);
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout).toContain("nothing was changed");
    expect(filesOf(rig)).toEqual(after);

    expect(await rig.run(["validate"])).toMatchObject({ code: 0, stderr: "" });
    expect(await rig.run(["config"])).toMatchObject({ code: 0, stderr: "" });
    const ran = await rig.run(["run", "--trust"]);
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

test(
  "a move that cannot be made changes nothing and names the reason",
  story(async (rig) => {
    goProject(rig, { toml: "max_iterations = 3\nschedule = \n" });
    const before = filesOf(rig);
    const broken = await rig.run(["init", "--from-looper-go"]);
    expect(broken).toMatchObject({ code: 2, stdout: "" });
    expect(broken.stderr).toMatch(
      /cannot read .*looper\.toml:2:\d+: .*\n {2}correct the file, and try again/,
    );
    expect(filesOf(rig)).toEqual(before);

    rig.write("looper.toml", "max_iterations = 3\n");
    rig.writeBacklog([{ id: "N1" }]);
    const taken = filesOf(rig);
    const refused = await rig.run(["init", "--from-looper-go"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("to-do.json has 1 task; nothing was changed");
    expect(filesOf(rig)).toEqual(taken);
    expect(await rig.run(["init", "--from-looper-go", "--force"])).toMatchObject({ code: 0 });
    expect(rig.statuses()).toEqual({ T001: "doing", T002: "todo" });
    const copies = Object.entries(filesOf(rig)).filter(([name]) => name.startsWith("to-do.json."));
    expect(copies.map(([, text]) => text)).toEqual([taken["to-do.json"]]);
  }),
);

test(
  "the user's settings are added to those that are there, a schema of one's own stays in force, and --json reports it",
  story(async (rig) => {
    goProject(rig, { toml: "" });
    const own = { ...SCHEMA, title: "Ours", minProperties: 2 };
    rig.write(".looper/todo.schema.json", JSON.stringify(own));
    rig.write(".looper/config.json", '{ "loop": { "max_iterations": 4 } }\n');
    rig.write(".looper/looper.toml", "max_iterations = 8\napply_summary = false\n");
    mkdirSync(path.join(rig.root, "home/.looper"), { recursive: true });
    writeFileSync(
      path.join(rig.root, "home/.looper/looper.toml"),
      'git_init = true\n[agents.codex]\nmodel = "m"\n',
    );
    writeFileSync(path.join(rig.root, "config/looper/config.json"), '{ "git": { "init": false } }');
    const { code, stdout } = await rig.run(["init", "--from-looper-go", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      tasks: 2,
      from_looper_go: {
        settings: [
          { file: ".looper/looper.toml", from: "apply_summary", to: "loop.apply_summary", value: false },
          { to: "schema_file", value: ".looper/todo.schema.json" },
          { file: "~/.looper/looper.toml", from: "agents.codex.model", to: "agents.codex.model", value: "m" },
        ],
        left: [{ from: "max_iterations" }, { from: "git_init" }],
      },
    });
    expect(JSON.parse(rig.read(".looper/config.json"))).toEqual({
      loop: { max_iterations: 4, apply_summary: false },
      schema_file: ".looper/todo.schema.json",
    });
    const user = JSON.parse(
      readFileSync(path.join(rig.root, "config/looper/config.json"), "utf8"),
    ) as unknown;
    expect(user).toEqual({ git: { init: false }, agents: { codex: { model: "m" } } });
    // Other projects of the Go program still need it; here it is not named again.
    expect(existsSync(path.join(rig.root, "home/.looper/looper.toml"))).toBe(true);
    expect(await rig.run(["ls"])).toMatchObject({ code: 0, stderr: "" });
  }),
);

test.each<[string, string[], Record<string, string>]>([
  ["todo_file", [], {}],
  ["the command line", [".looper/todo.json"], {}],
  ["LOOPER_TODO", [], { LOOPER_TODO: ".looper/todo.json" }],
])("a task file in .looper/ named by %s: work is done in the project's folder", (by, words, env) =>
  story(async (rig) => {
    goProject(rig, { toml: "" });
    const settings = {
      ...(by === "todo_file" ? { todo_file: ".looper/todo.json" } : {}),
      agents: { mine: { kind: "command", binary: "./scripts/agent.sh" } },
      schedule: { agent: "mine" },
      verify: { commands: ["test -f made.txt"] },
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
  "run, doctor and validate name the folder of the work where it is not the project's",
  story(async (rig) => {
    const puppet = await rig.agent();
    puppet.play((turn) => turn.report());
    rig.write("packages/app/file", "");
    rig.writeBacklog([{ id: "T1" }], { project: { root: "packages/app" } });
    const note = "agents, hooks and checks work in packages/app (`project.root` in to-do.json)";
    expect((await rig.run(["validate"])).stdout).toContain(note);
    expect((await rig.run(["doctor"])).stdout).toContain(note);
    expect((await rig.run(["run", "--no-review"])).stderr).toContain(note);
  }),
);

test(
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
