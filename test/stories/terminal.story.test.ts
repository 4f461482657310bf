// A person at a terminal: the run asks in place, edits open $EDITOR and are shown again, and a closed input leaves a question open.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { story, type Rig } from "../rig/rig.js";
import { playStages } from "../rig/stages.js";
import { BIN } from "../rig/program.js";

const noTerminal = spawnSync("script", ["--version"]).error !== undefined;
const RUN = "run --no-review --workflow plan-approve-execute";

/** The program in a terminal of 40 lines. */
class Terminal {
  shown = "";
  #read = 0;
  readonly #child;
  readonly code: Promise<number | null>;

  constructor(rig: Rig, words: string, editor = "true") {
    this.#child = spawn(
      "script",
      ["-qec", `stty cols 120 rows 40; '${process.execPath}' '${BIN}' ${words}`, "/dev/null"],
      {
        cwd: rig.project,
        env: { ...rig.env, TERM: "xterm", PAGER: "cat", EDITOR: editor },
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => (this.shown += text));
    this.code = new Promise((resolve) => this.#child.once("close", resolve));
  }

  /** Types once the text is shown, after what was typed before. */
  async answer(text: string | RegExp, keys: string): Promise<void> {
    await expect.poll(() => this.shown.slice(this.#read)).toMatch(text);
    this.#read = this.shown.length;
    this.#child.stdin.write(keys);
  }
}

async function begin(rig: Rig): Promise<void> {
  rig.writeBacklog([{ id: "T1" }]);
  rig.write(".gitignore", "looper-logs/\n.looper/\n");
  rig.gitInit();
  (await rig.agent()).play(playStages());
}

const progressOf = (rig: Rig) => rig.readBacklog().tasks[0]?.progress;
const PROMPT = /a remark may follow/u;
const EDITOR = "sed -i s/greeting/farewell/";

test.skipIf(noTerminal)(
  "a run asks in place: the edited plan is shown and asked about again, and a remark goes with the yes",
  story(async (rig) => {
    await begin(rig);
    const terminal = new Terminal(rig, RUN, EDITOR);
    await terminal.answer(PROMPT, "edit\r");
    await terminal.answer(/T1\.4[^]*a remark may follow/u, "y go ahead\r");
    expect(await terminal.code).toBe(0);
    expect(terminal.shown).toContain("Write the farewell into a file");
    expect(terminal.shown).not.toContain("edited meanwhile");
    expect(terminal.shown).toMatch(/T1 approve, by \S+ \(terminal\): go ahead/u);
    expect(rig.git("log", "-1", "--format=%B")).toMatch(/^Looper-Approved-By: .* \(terminal, approve\)$/mu);
  }),
);

test.skipIf(noTerminal)(
  "Ctrl-D leaves the question open; answer edit and approve --edit open the editor, show the result and ask",
  story(async (rig) => {
    await begin(rig);
    const run = new Terminal(rig, RUN);
    await run.answer(PROMPT, "\u0004");
    expect(await run.code).toBe(1);
    expect(run.shown).toContain("T1.3 stays open");
    const left = new Terminal(rig, "answer T1 edit", EDITOR);
    await left.answer("Answer with it as it is shown?", "n");
    expect(await left.code).toBe(1);
    expect(progressOf(rig)).not.toHaveProperty("answer");
    const edited = new Terminal(rig, "approve T1 --edit", EDITOR);
    await edited.answer("Approve it as it is shown?", "y");
    expect(await edited.code).toBe(0);
    expect(edited.shown).toContain("Write the farewell into a file");
    expect(progressOf(rig)?.answer).toMatchObject({
      outcome: "approve",
      edited: { stage: "plan", visit: 3 },
    });
    expect(rig.read(".looper/tasks/T1/3-plan.json")).toContain("farewell");
  }),
);

test.skipIf(noTerminal)(
  "Ctrl-D at an offer to open the editor again means no: the text is kept, and the question stays open",
  story(async (rig) => {
    await begin(rig);
    const run = new Terminal(rig, RUN, "sed -i 1s/.//");
    await run.answer(PROMPT, "edit\r");
    await run.answer("Open the editor again?", "\u0004");
    await run.answer(/again\?[^]*a remark may follow/u, "\u0004");
    expect(await run.code).toBe(1);
    expect(run.shown).toContain("T1.3 stays open");
    const kept = /your text is kept in (\S+)/u.exec(run.shown)?.[1] ?? "";
    expect(readFileSync(kept, "utf8")).toContain("Write the greeting");
    const left = new Terminal(rig, "answer T1 edit", EDITOR);
    await left.answer("Answer with it as it is shown?", "\u0004");
    expect(await left.code).toBe(1);
    expect(left.shown).toContain("T1 stays open: nothing was answered");
    expect(progressOf(rig)).not.toHaveProperty("answer");
  }),
);
