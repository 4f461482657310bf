// The public API from a packed file: the examples of docs/api.md are run and checked by the compiler, beside what they leave out.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, playScript } from "../rig/chapo.js";
import { EXHAUSTIVE } from "../rig/exhaustive.js";
import { ROOT } from "../rig/documents.js";
import { Rig, story } from "../rig/rig.js";

const TSC = path.join(ROOT, "node_modules/typescript/bin/tsc");

interface Did {
  status: number | null;
  out: string;
  err: string;
}

function start(rig: Rig, folder: string, [command = "", ...args]: readonly string[]): Did {
  const env = { ...rig.env, npm_config_offline: "true", npm_config_update_notifier: "false" };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: "utf8" });
  return { status, out: stdout, err: stderr };
}

const shared = new Rig();
let app = "";

/** Packs the program, and installs it into another program, which all stories use. */
beforeAll(() => {
  const rig = shared;
  app = path.join(rig.root, "app");
  mkdirSync(app);
  writeFileSync(path.join(app, "package.json"), '{"name":"app","private":true,"type":"module"}');
  const packed = start(rig, ROOT, ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", app]);
  expect(packed.status).toBe(0);
  const [name = ""] = readdirSync(app).filter((one) => one.endsWith(".tgz"));
  const installed = start(rig, app, ["npm", "i", "--omit=optional", `./${name}`]);
  expect([installed.status, installed.err]).toEqual([0, expect.not.stringContaining("ERR")]);
});
afterAll(() => shared.dispose());

let examples: ReadonlyMap<string, string> = new Map();
beforeAll(() => {
  const text = readFileSync(path.join(ROOT, "docs/api.md"), "utf8");
  const found = text.matchAll(/<!-- example: (\w+) -->\n\n```ts\n(.*?)```/gs);
  examples = new Map([...found].map(([, name = "", code = ""]) => [name, code]));
});

/** Runs a program in the project. */
function play(rig: Rig, code: string, name = "main.mjs"): Did {
  const file = path.join(app, name);
  writeFileSync(file, code);
  return start(rig, rig.project, ["node", file]);
}

function scriptedRun(rig: Rig): void {
  const attempt = (task_id: string) => [
    { write: `${task_id}.txt`, content: "a\n" },
    { summary: { task_id, status: "done", summary: "as scripted" } },
  ];
  rig.write("steps.json", JSON.stringify({ steps: [attempt("T1"), attempt("T2")] }));
  rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
  const script = path.join(rig.project, "steps.json");
  rig.settings({
    schedule: { agent: "demo" },
    loop: { review: false },
    agents: { demo: { kind: "scripted", script } },
  });
}

test(
  "both examples of docs/api.md run from the installed package, and the compiler accepts them",
  story((rig) => {
    scriptedRun(rig);
    const ran = play(rig, examples.get("run") ?? "");
    expect(ran).toEqual({
      status: 0,
      out: "working on T1\nworking on T2\ncomplete 0 T1: done, T2: done\n",
      err: "",
    });
    playScript(rig, {
      turns: [call("fs_writeFile", { path: "hello.txt", content: "hello\n" }), { say: "Written." }],
    });
    const talked = play(rig, examples.get("chapo") ?? "");
    expect([talked.status, talked.err]).toEqual([0, ""]);
    expect(talked.out).toMatch(/^fs_writeFile\n[^]*\+hello\n[^]*fs_writeFile true\nWritten\.\n$/);
    expect(rig.read("hello.txt")).toBe("hello\n");

    const files = [...examples].map(([name, code]) => {
      writeFileSync(path.join(app, `${name}.ts`), code);
      return `${name}.ts`;
    });
    writeFileSync(
      path.join(app, "further.ts"),
      `import { openSession } from "looper/chapo";
      const session = await openSession({ effort: "high" });
      await session.answer({ verdict: "approve", args: { path: "b.txt" }, remark: "there", by: "Ada" });
      await session.answer({ verdict: "reject", remark: "no" });
`,
    );
    files.push("further.ts");
    writeFileSync(path.join(app, "wrong.ts"), 'import { run } from "looper";\nawait run({ folder: 1 });\n');
    const tsc = (...args: string[]): Did =>
      start(rig, app, [
        "node",
        TSC,
        "--noEmit",
        "--strict",
        "--target",
        "es2022",
        "--lib",
        "es2022,dom",
        ...args,
      ]);
    const resolved = EXHAUSTIVE
      ? [["nodenext"], ["esnext", "--moduleResolution", "bundler"]]
      : [["nodenext"]];
    for (const module of resolved)
      expect(tsc("--module", ...module, ...files, "wrong.ts").out).toMatch(/^wrong\.ts\(2,13\): error .*\n$/);
    return Promise.resolve();
  }),
);

test(
  "loading starts nothing, works with require, and errors have a kind and a hint",
  story((rig) => {
    scriptedRun(rig);
    const loaded = `const { run, UserError } = require("looper");
      const { openSession } = require("looper/chapo");
      console.log(require("looper/schemas/cli/ls.schema.json").title, "|", require("looper/run.schema.json").title);
      console.log(typeof run, typeof openSession, process.listenerCount("SIGINT"), process.listenerCount("uncaughtException"));
      const tell = (error) => console.log(error instanceof UserError, error.kind, error.message, "|", error.hint);
      (async () => {
        await run({ folder: "nowhere" }).catch((error) => tell({ __proto__: error, message: "no folder" }));
        await run({ maxIteration: 1 }).catch(tell);
        await run({ maxIterations: "1" }).catch(tell);
        await run({ file: "none.json" }).catch((error) => console.log(error.kind));
        await openSession({ mode: "planned" }).catch(tell);
        await openSession({ effort: "much" }).catch(tell);
        await openSession({ model: "scripted", signal: AbortSignal.abort() }).catch(tell);
        await openSession({ model: "scripted", resume: "nothing" }).catch((error) => console.log(error.kind));
      })();`;
    const { status, out, err } = play(rig, loaded, "main.cjs");
    expect([status, err]).toEqual([0, ""]);
    expect(out.split("\n")).toEqual([
      "looper ls --json | Looper task file",
      "function function 0 0",
      "true usage no folder | name an existing folder",
      'true usage unknown option maxIteration | did you mean "maxIterations"?',
      "true usage the option maxIterations is not a number | correct it",
      "usage",
      expect.stringMatching(/^true usage mode is planned; allowed: default \| plan/),
      expect.stringMatching(/^true usage effort is much; allowed: none \| minimal/),
      "true no the opening was stopped | open it again",
      expect.stringMatching(/^(?:usage|environment)$/),
      "",
    ]);
    return Promise.resolve();
  }),
);

test(
  "a run stops when its signal is aborted, and has the events of its log; a call waits, and is answered once",
  story((rig) => {
    scriptedRun(rig);
    const stopped = play(
      rig,
      `import { run } from "looper";
      import { readFileSync } from "node:fs";
      const stop = new AbortController();
      const seen = [];
      const end = await run({ signal: stop.signal, onEvent: (event) => {
        seen.push(event);
        if (event.type === "task_selected") stop.abort();
      } });
      const lines = readFileSync(end.folder + "/events.jsonl", "utf8").trim().split("\\n").map((line) => JSON.parse(line));
      const names = (events) => events.map(({ seq, type, timestamp }) => [seq, type, timestamp].join(" ")).join(",");
      console.log(end.ending, end.exitCode, names(lines) === names(seen), typeof end.run);`,
    );
    expect(stopped).toEqual({ status: 0, out: "interrupted 130 true string\n", err: "" });

    playScript(rig, {
      turns: [call("fs_writeFile", { path: "b.txt", content: "b\n" }), { say: "Written." }],
    });
    const waited = play(
      rig,
      `import { openSession } from "looper/chapo";
      const first = await openSession();
      const { how, pending } = await first.send("Write b.txt");
      console.log(how, pending.tool);
      await first.close();
      await first.send("more").catch((error) => console.log(error.kind));
      const second = await openSession({ resume: first.id });
      console.log(second.pending().tool);
      console.log(await second.answer({ verdict: "approve", by: "Ada", args: { path: "c.txt", content: "b\\n" } }));
      await second.answer({ verdict: "approve" }).catch((error) => console.log(error.kind));
      await second.close();`,
    );
    expect(waited).toEqual({
      status: 0,
      out: "pending fs_writeFile\nusage\nfs_writeFile\n{ how: 'answer', answer: 'Written.', validated: false }\nno\n",
      err: "",
    });
    expect(rig.read("c.txt")).toBe("b\n");
    return Promise.resolve();
  }),
);
