// Agents of the Agent Client Protocol in a run: the real program, its host, and a stand-in that speaks raw JSON-RPC.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import type { Script } from "../fakes/play.mjs";
import { type Rig, story } from "../rig/rig.js";

const FAKE = fileURLToPath(new URL("../fakes/acp.mjs", import.meta.url));
const good = { status: "done" };

/** With the stand-in as the agent of every phase. */
function settingsOf(more: Record<string, unknown> = {}): Record<string, unknown> {
  const mine = { kind: "acp", binary: process.execPath, args: [FAKE], ...more };
  return { schedule: { agent: "mine" }, loop: { max_attempts: 1 }, agents: { mine } };
}

/** Lays down the settings, and the script it plays; what a run's environment needs. */
function cast(rig: Rig, script: Script, more: Record<string, unknown> = {}): Record<string, string> {
  rig.settings(settingsOf(more));
  return rig.clis(script);
}

/** Of a task: how its attempt failed. */
function failures(rig: Rig): Record<string, string> {
  const failed = rig.events().filter(({ type }) => type === "attempt_failed");
  return Object.fromEntries(
    failed.map((line) => [String(line["task_id"]), `${String(line["reason"])}: ${String(line["evidence"])}`]),
  );
}

test(
  "a backlog is worked through: files, commits, what was used; and it says what it can be kept from",
  story(async (rig) => {
    const env = cast(rig, {});
    rig.writeBacklog([{ id: "T1" }, { id: "T2", depends_on: ["T1"] }]);
    rig.gitInit();
    const { code, stderr } = await rig.run(["run", "--no-review"], { env });
    expect(code, stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
    expect([rig.read("T1.txt"), rig.read("T2.txt")]).toEqual(["T1\n", "T2\n"]);
    expect(rig.commitsByTask()).toEqual({ T1: 1, T2: 1 });
    expect(rig.events().find(({ type }) => type === "run_ended")).toMatchObject({
      totals: { input_tokens: 40, cached_input_tokens: 20, output_tokens: 10 },
    });
    expect(rig.events().filter(({ type }) => type === "message")[0]).toMatchObject({
      content: "Working on T1.",
    });
    const doctor = await rig.run(["doctor"], { env });
    expect(doctor.stdout).toContain("only what it asks for can be refused");
  }),
);

test(
  "its requests are answered by the permissions: inside the project yes, outside no, nothing in a review",
  story(async (rig) => {
    const outside = path.join(rig.root, "outside.txt");
    const env = cast(rig, {
      tasks: { T1: [{ asks: "inside.txt", summary: good }], T2: [{ asks: outside, summary: good }] },
      review: [{ asks: "review.txt", summary: { status: "reviewed" } }],
    });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const { code, stderr } = await rig.run(["run"], { env });
    expect(code, stderr).toBe(0);
    expect(rig.read("inside.txt")).toBe("asked\n");
    expect([outside, path.join(rig.project, "review.txt")].filter((file) => existsSync(file))).toEqual([]);
    const refused = rig.events().filter(({ type, reason }) => type === "error" && reason === "refused");
    expect(refused.map((line) => line["error"])).toEqual([
      `Write ${outside}: not allowed with workspace`,
      "Write review.txt: not allowed with read-only",
    ]);
    rig.settings(settingsOf({ permissions: "full" }));
    rig.writeBacklog([{ id: "T2" }]);
    expect(await rig.run(["run", "--no-review"], { env })).toMatchObject({ code: 0 });
    expect(readFileSync(outside, "utf8")).toBe("asked\n");
  }),
);

exhaustively(
  "an error is a failed attempt with its reason; garbage between the messages is ignored",
  story(async (rig) => {
    const env = cast(
      rig,
      {
        tasks: {
          T1: [{ message: "Here I go.", exit: 9 }],
          T2: [{ exit: 0 }],
          T3: [{ mute: true }],
          T4: [{ version: 3, summary: good }],
          T5: [{ garbage: 20, summary: good }],
          T6: [{ prose: "All done, trust me." }],
        },
      },
      { idle_timeout: "8s" },
    );
    rig.writeBacklog(["T1", "T2", "T3", "T4", "T5", "T6"].map((id) => ({ id })));
    const { code, stderr } = await rig.run(["run", "--no-review"], { env });
    expect(code, stderr).toBe(1);
    expect(rig.statuses()).toMatchObject({ T5: "done", T6: "blocked" });
    expect(failures(rig)).toEqual({
      T1: "exited: exit code 9: with nothing on stderr",
      T2: expect.stringContaining("incomplete: ") as string,
      T3: expect.stringContaining("idle: ") as string,
      T4: expect.stringContaining("it speaks version 3 of the protocol, not 1") as string,
      T6: expect.stringContaining("no-summary: ") as string,
    });
    expect(stderr).toContain("it speaks version 3 of the protocol, not 1");
  }),
);

test(
  "without a program it is a mistake in the settings; with one that is not there, exit 3 names it",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.settings({ schedule: { agent: "mine" }, agents: { mine: { kind: "acp" } } });
    const none = await rig.run(["run"]);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain("agents.mine.binary is missing");
    rig.settings({
      schedule: { agent: "mine" },
      agents: { mine: { kind: "acp", binary: "/no/such/agent" } },
    });
    const gone = await rig.run(["run"]);
    expect(gone.code).toBe(3);
    expect(gone.stderr).toContain("/no/such/agent");
    expect(rig.statuses()).toEqual({ T1: "todo" });
  }),
);
