// The built-in engine as an agent of the Agent Client Protocol: raw messages, and a run that drives it as kind acp.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { call, dataOf, eventsOf } from "../rig/chapo.js";
import { story, type Rig } from "../rig/rig.js";

const LOOPER = fileURLToPath(new URL("../../dist/looper.js", import.meta.url));

function playing(rig: Rig, turns: readonly object[]): Record<string, unknown> {
  const script = path.join(rig.root, "script.json");
  writeFileSync(script, JSON.stringify({ turns }));
  return { chapo: { model: "scripted", chapo: { script, self_validation_enabled: false } } };
}

test(
  "a line that is not a message, and one out of order, are answered with an error, and the next is served",
  story(async (rig) => {
    rig.settings({ agents: playing(rig, [{ say: "Hello." }]) });
    const request = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params });
    const lines = [
      "torn {",
      { hello: 1 },
      request(1, "session/prompt", { sessionId: "none", prompt: [{ type: "text", text: "Hi" }] }),
      request(2, "initialize", { protocolVersion: 1, clientCapabilities: {} }),
    ].map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`);
    const ran = await rig.run(["chapo", "--serve-stdio"], { input: lines.join("") });
    expect(ran).toMatchObject({ code: 0 });
    const answers = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const of = (id: number | null) => answers.filter((one) => one["id"] === id);
    expect(of(null)).toHaveLength(2);
    expect(of(null)[0]).toMatchObject({ error: { code: -32700 } });
    expect(of(1)).toMatchObject([
      { error: { message: expect.stringContaining("must be initialized before") as string } },
    ]);
    expect(of(2)).toMatchObject([{ result: { agentCapabilities: { loadSession: true } } }]);
    expect(await rig.run(["chapo", "--serve-stdio", "Hi"])).toMatchObject({ code: 2 });
  }),
);

test(
  "a run drives it as an agent of kind acp: it asks before a call, and its report is taken",
  story(async (rig) => {
    const report = JSON.stringify({ task_id: "T1", status: "done", summary: "Made." });
    const turns = [call("fs_writeFile", { path: "made.txt", content: "made\n" }), { say: report }];
    const mine = { kind: "acp", binary: process.execPath, args: [LOOPER, "chapo", "--serve-stdio"] };
    rig.settings({
      schedule: { agent: "mine" },
      loop: { max_attempts: 1 },
      agents: { mine, ...playing(rig, turns) },
    });
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const { code, stderr } = await rig.run(["run"]);
    expect(code, stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(rig.read("made.txt")).toBe("made\n");
  }),
);

test(
  "with --json each line of stdin is a message of one session, and a line that is none is reported",
  story(async (rig) => {
    rig.settings({ agents: playing(rig, [{ say: "One." }, { say: "Two." }]) });
    const input = 'Hello\n\n{"no": 1}\n{"message": "And\\nnow?"}\n';
    const ran = await rig.run(["chapo", "--json"], { input });
    expect(ran.code).toBe(0);
    const events = eventsOf(ran);
    expect(dataOf(events, "answer").map(({ answer }) => answer)).toEqual(["One.", "Two."]);
    expect(new Set(dataOf(events, "status").map(({ session }) => session)).size).toBe(1);
    expect(ran.stderr).toContain("line 3 of stdin is not a message");
    expect(await rig.run(["chapo", "--json"], { input: "\n" })).toMatchObject({ code: 2, stdout: "" });
  }),
);
