// Hidden checks: no agent is shown them, they run last, and a task that fails one is blocked.
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { nodeClock } from "../../src/system/clock.js";
import { nodeProcesses } from "../../src/system/processes/processes.js";
import { exhaustively, sample } from "../rig/exhaustive.js";
import type { Puppet } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

const HONEST = "export const double = (n) => n * 2;\n";
const HARD_CODED = "export const double = () => 4;\n";
const STUB = "export const double = () => 0;\n";
const testOf = (name: string, from: string, n: number): string =>
  `import { equal } from "node:assert/strict";
import { test } from "node:test";
import { double } from "${from}";
test("${name}", () => equal(double(${n}), ${2 * n}));
`;
const SECRET = "doubles any number, unseen";
const COMMAND = "node --test-reporter=tap hidden/double.mjs";

interface Stage {
  /** The program when the run begins. */
  before?: string;
  hidden?: (folder: string) => unknown[];
  verify?: Record<string, unknown>;
  git?: boolean;
}

/** A project with one visible test, and a hidden one in the user's config folder. */
async function stage(rig: Rig, { before = HONEST, hidden, verify, git = true }: Stage = {}): Promise<Puppet> {
  const folder = path.join(rig.root, "home/.config/looper/hidden/shop");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "double.mjs"), testOf(SECRET, "../src/double.mjs", 21));
  const puppet = await rig.agent(
    {},
    {
      loop: { max_attempts: 3 },
      verify: {
        commands: ["node test/double.test.mjs"],
        hidden: hidden?.(folder) ?? [{ files: folder, command: COMMAND }],
        ...verify,
      },
    },
  );
  rig.write("src/double.mjs", before);
  rig.write("test/double.test.mjs", testOf("doubles two", "../src/double.mjs", 2));
  rig.write(".gitignore", "looper-logs\n");
  rig.writeBacklog([{ id: "T1" }]);
  if (git) rig.gitInit();
  return puppet;
}

/** Every attempt writes this program. */
function play(puppet: Puppet, text: string): string[] {
  const seen: string[] = [];
  puppet.play(async (turn) => {
    seen.push(JSON.stringify(turn.hello));
    await turn.write(`${turn.hello.cwd}/src/double.mjs`, text);
    await turn.report();
  });
  return seen;
}

const RUN = ["run", "--no-review", "--trust"];
const gates = (rig: Rig) => rig.events().filter((line) => line.type === "gate_finished");
const warnings = (rig: Rig): string =>
  rig
    .events()
    .flatMap((line) => [line["message"], ...((line["warnings"] ?? []) as unknown[])])
    .map(String)
    .join("\n");

/** Everything that an agent of this run, or of a later one, can read in the project. */
function readable(rig: Rig): string {
  return readdirSync(rig.project, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(rig.project, name))
    .filter((file) => !file.includes("/.git/") && statSync(file).isFile())
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

test(
  "an answer that is hard-coded for the visible test fails the hidden one, which blocks the task after one attempt and tells nothing",
  story(async (rig) => {
    const puppet = await stage(rig);
    const seen = play(puppet, HARD_CODED);
    const { code } = await rig.run(RUN);
    expect(code).toBe(1);
    expect(seen).toHaveLength(1);
    expect(gates(rig)).toMatchObject([
      { verdict: "failed", evidence: "hidden check failed", hidden: { failed: true } },
    ]);
    const [task] = rig.readBacklog().tasks;
    expect(task?.status).toBe("blocked");
    expect(task?.blockers?.[0]).toBe("hidden check failed");
    for (const text of [readable(rig), seen.join("\n")]) {
      for (const trace of [SECRET, COMMAND, "looper/hidden"]) expect(text).not.toContain(trace);
    }
    const state = path.join(rig.root, "state/looper/hidden");
    const [file = ""] = readdirSync(state);
    expect(readFileSync(path.join(state, file), "utf8")).toContain(SECRET);
    expect(statSync(path.join(state, file)).mode & 0o777).toBe(0o600);
    expect(rig.read("src/double.mjs")).toBe(HONEST);
  }),
);

test(
  "honest work passes the hidden checks and is verified",
  story(async (rig) => {
    const puppet = await stage(rig, { before: STUB });
    play(puppet, HONEST);
    expect(await rig.run(RUN)).toMatchObject({ code: 0 });
    expect(gates(rig)).toMatchObject([{ verdict: "passed", hidden: { failed: false } }]);
    expect(readdirSync(rig.project)).not.toContain("hidden");
    expect(existsSync(path.join(rig.root, "state/looper/hidden"))).toBe(false);
  }),
);

exhaustively(
  "a hidden check that failed before the work and still fails blocks nothing, and verifies nothing",
  story(async (rig) => {
    const puppet = await stage(rig, { before: STUB });
    play(puppet, HARD_CODED);
    expect(await rig.run(RUN)).toMatchObject({ code: 0 });
    expect(gates(rig)).toMatchObject([
      { verdict: "unbroken", because: "red-before", hidden: { failed: false } },
    ]);
    expect(warnings(rig)).toContain(
      "a hidden check failed before the work and still fails: verify.hidden[0]",
    );
  }),
);

exhaustively(
  "a hidden check of a task must pass, whatever it did before; with names, the failed tests are named",
  story(async (rig) => {
    const puppet = await stage(rig, {
      before: STUB,
      hidden: (files) => [{ files, command: COMMAND, tasks: "T1" }],
      verify: { hidden_tell: "names", report: "stdout" },
    });
    play(puppet, HARD_CODED);
    expect(await rig.run(RUN)).toMatchObject({ code: 1 });
    expect(gates(rig)).toMatchObject([
      {
        verdict: "failed",
        evidence: `hidden check failed: ${SECRET}`,
        hidden: { failed: true, names: [SECRET] },
      },
    ]);
    expect(rig.statuses()).toEqual({ T1: "blocked" });
  }),
);

exhaustively(
  "the example of docs/gate.md is run as it is written",
  story(async (rig) => {
    const page = readFileSync(new URL("../../docs/gate.md", import.meta.url), "utf8");
    const [, example = ""] = /```json\n([^`]*"hidden"[^`]*)```/.exec(page) ?? [];
    const { verify } = JSON.parse(example.replace("~/src/shop", rig.project)) as {
      verify: { hidden: unknown[] };
    };
    const puppet = await stage(rig, { hidden: () => verify.hidden });
    play(puppet, HARD_CODED);
    expect(await rig.run(RUN)).toMatchObject({ code: 1 });
    expect(rig.readBacklog().tasks[0]?.blockers?.[0]).toBe("hidden check failed");
  }),
);

exhaustively(
  "checks of other tasks and of other projects are not run",
  story(async (rig) => {
    const puppet = await stage(rig, {
      hidden: (files) => [
        { files, command: "false", tasks: ["T2"] },
        { files, command: "false", project: "~/elsewhere" },
        { files, command: COMMAND, project: rig.project },
      ],
    });
    play(puppet, `${HONEST}// more\n`);
    expect(await rig.run(RUN)).toMatchObject({ code: 0 });
    expect(gates(rig)).toMatchObject([{ verdict: "unbroken", because: "not-covered" }]);
  }),
);

const refusals: Record<string, [stage: Stage, code: number, says: string]> = {
  "one whose files are missing": [
    { hidden: (folder) => [{ files: `${folder}/none`, command: "true" }] },
    2,
    "verify.hidden[0].files: ",
  ],
  "one whose files are inside the project": [
    { hidden: () => [{ files: "test", command: "true" }] },
    2,
    "is inside the project",
  ],
  "a command alone that names nothing outside": [{ hidden: () => ["npm test"] }, 2, "names no file outside"],
  "a command alone whose script is missing": [{ hidden: () => ["sh ~/none.sh"] }, 2, "does not exist"],
  "one that would be copied outside the room": [
    { hidden: (files) => [{ files, command: "true", into: "../x" }] },
    2,
    "verify.hidden[0].into",
  ],
  "any without git": [{ git: false }, 3, "verify.hidden needs git"],
  "one that cannot run, with verify.strict": [
    { hidden: (files) => [{ files, command: "no-such-program" }], verify: { strict: true } },
    3,
    'cannot run the check "verify.hidden[0]" (exit code 127)',
  ],
};

test.for(sample(Object.entries(refusals), 1))(
  "a hidden check is refused at the start: %s",
  async ([, [given, code, says]]) => {
    await story(async (rig) => {
      const puppet = await stage(rig, given);
      const seen = play(puppet, HONEST);
      const ran = await rig.run(RUN);
      expect(ran.code).toBe(code);
      expect(ran.stderr + ran.stdout).toContain(says);
      expect(seen).toEqual([]);
      expect(rig.statuses()).toEqual({ T1: "todo" });
    })();
  },
);

exhaustively(
  "without verify.strict, one that cannot run is named before the agent starts, and verifies nothing",
  story(async (rig) => {
    const puppet = await stage(rig, { hidden: (files) => [{ files, command: "no-such-program" }] });
    play(puppet, `${HONEST}// more\n`);
    expect(await rig.run(RUN)).toMatchObject({ code: 0 });
    const lines = rig.events();
    const warned = lines.findIndex((line) =>
      String(line["message"]).includes('cannot run the check "verify.hidden[0]"'),
    );
    expect(warned).toBeGreaterThan(0);
    expect(warned).toBeLessThan(lines.findIndex(({ type }) => type === "agent_started"));
    expect(gates(rig)).toMatchObject([
      { verdict: "unbroken", because: "not-covered", hidden: { failed: false } },
    ]);
    expect(readable(rig)).not.toContain("no-such-program");
  }),
);

test(
  "settings that agents can read are named, a variable with them is not inherited, and a symlink in the way of hidden files is not followed",
  story(async (rig) => {
    const puppet = await stage(rig, { hidden: () => [] });
    const folder = path.join(rig.root, "home/.config/looper/hidden/shop");
    mkdirSync(path.join(rig.root, "leak"));
    let seen = "";
    puppet.play(async (turn) => {
      seen = JSON.stringify(turn.hello);
      await turn.shell(`ln -s ${rig.root}/leak ${turn.hello.cwd}/hidden`);
      await turn.report();
    });
    const env = { LOOPER_VERIFY_HIDDEN: JSON.stringify([{ files: folder, command: COMMAND }]) };
    expect(await rig.run(RUN, { env })).toMatchObject({ code: 0 });
    expect(warnings(rig)).toContain("LOOPER_VERIFY_HIDDEN: agents can read verify.hidden there");
    expect(gates(rig)).toMatchObject([{ hidden: { failed: false } }]);
    expect(seen).not.toContain("LOOPER_VERIFY_HIDDEN");
    expect(readdirSync(path.join(rig.root, "leak"))).toEqual([]);
  }),
);

const { by } = await nodeProcesses(nodeClock()).containment();
test.runIf(by === "namespace")(
  "in a namespace, neither an agent nor a visible check sees the files of hidden checks",
  story(async (rig) => {
    const unseen = 'test -z "$(ls -A ~/.config/looper/hidden/shop)"';
    const puppet = await stage(rig, { verify: { commands: [unseen] } });
    const looks: unknown[] = [];
    puppet.play(async (turn) => {
      looks.push(await turn.shell(unseen));
      await turn.report();
    });
    await rig.run(RUN);
    expect(looks).toMatchObject([{ code: 0 }]);
    expect(gates(rig)).toMatchObject([
      { verdict: "unbroken", because: "nothing-changed", hidden: { failed: false } },
    ]);
  }),
);
