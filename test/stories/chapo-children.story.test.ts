// Sub-agents of the built-in engine that wait for a person, are killed, and resume.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { call, dataOf, eventsOf, playScript } from "../rig/chapo.js";
import { story, type Rig } from "../rig/rig.js";

const task = (agent_type: string, prompt: string) => call("agent_task", { agent_type, prompt });

function childrenOf(rig: Rig, session: string): string[] {
  const folder = path.join(rig.project, ".looper/sessions", session, "children");
  return readdirSync(folder).map((name) => readFileSync(path.join(folder, name), "utf8"));
}

test(
  "a sub-agent's calls and its question wait in the session, and other processes answer each once",
  story(async (rig) => {
    playScript(rig, {
      turns: [task("code", "Make x and y"), { say: "All made." }],
      agents: {
        code: [
          call("run_command", { command: "echo x >> x.txt" }),
          call("ask_user", { question: "Which name?" }),
          call("fs_writeFile", { path: "y.txt", content: "y" }),
          { say: "Made x." },
        ],
      },
    });
    const first = await rig.run(["chapo", "--json", "Go"]);
    expect(first.code, first.stderr).toBe(1);
    const session = dataOf(eventsOf(first), "status")[0]?.session ?? "";
    const pending = await rig.run(["chapo", "pending", "--json"]);
    expect(JSON.parse(pending.stdout)).toMatchObject({
      pending: [{ session, agent: "code", preview: "echo x >> x.txt" }],
    });

    const second = await rig.run(["chapo", "approve", session, "--json"]);
    expect(second.code, second.stderr).toBe(1);
    expect(rig.read("x.txt")).toBe("x\n");
    expect(dataOf(eventsOf(second), "clarify")).toMatchObject([{ question: "Which name?" }]);
    expect((await rig.run(["chapo", "approve", session])).stderr).toContain("run_command was approved by");

    const third = await rig.run(["chapo", "answer", session, "--json", "the", "short", "one"]);
    expect(third.code, third.stderr).toBe(1);
    expect(childrenOf(rig, session).join("")).toContain("The user answered: the short one");
    const late = await rig.run(["chapo", "answer", session, "another", "one"]);
    expect(late.code).toBe(1);
    expect(late.stderr).toContain("no question of the session");

    const fourth = await rig.run(["chapo", "reject", session, "-m", "not y"]);
    expect(fourth).toMatchObject({ code: 0, stdout: "All made.\n" });
    expect(existsSync(path.join(rig.project, "y.txt"))).toBe(false);
    expect(rig.read("x.txt")).toBe("x\n");
    expect(childrenOf(rig, session)).toHaveLength(1);
  }),
);

test(
  "a sub-agent that is killed resumes without repeating its steps, with a shell of its own",
  story(async (rig) => {
    playScript(
      rig,
      {
        turns: [
          call("bash_execute", { command: "WHO=parent" }),
          task("code", "Make x"),
          call("bash_execute", { command: "echo ${WHO:-none} > who.txt" }),
          { say: "All made." },
        ],
        agents: {
          code: [
            call("bash_execute", { command: "echo x >> x.txt; echo ${WHO:-child} > seen.txt; WHO=child" }),
            call("run_command", { command: "sleep 600" }),
            { say: "Made x." },
          ],
        },
      },
      { mode: "trusted" },
    );
    const working = rig.start(["chapo", "--json", "Go"]);
    const [, session = ""] = await working.says(/"session":"([^"]+)"/);
    await working.says(/"command":"sleep 600"/);
    await working.kill("group");
    const resumed = await rig.run(["chapo", "--json", "--session", session, "continue"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(rig.read("x.txt")).toBe("x\n");
    expect(rig.read("seen.txt")).toBe("child\n");
    // The shell of the killed process is gone, and the sub-agent's was its own.
    expect(rig.read("who.txt")).toBe("none\n");
    expect(childrenOf(rig, session)).toHaveLength(1);
    expect(dataOf(eventsOf(resumed), "answer")).toMatchObject([{ answer: "All made." }]);
  }),
);
