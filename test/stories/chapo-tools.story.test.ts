// The engine's tools as a session has them: its shell, its files, what it keeps of both. With a scripted model in a real folder.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { call, dataOf, eventsOf, playScript } from "../rig/chapo.js";
import { story, type Rig } from "../rig/rig.js";

type Calls = Parameters<typeof playScript>[1]["turns"];

/** The result of each call; a failed one begins with `! `. */
async function outputsOf(rig: Rig, calls: NonNullable<Calls>, env: Record<string, string> = {}) {
  playScript(rig, { turns: [...calls, { say: "Done." }] }, { max_iterations: 50 });
  const ran = await rig.run(["chapo", "--json", "--mode", "trusted", "Go"], { env });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const results = dataOf(eventsOf(ran), "tool_result");
  expect(results).toHaveLength(calls.length);
  return { ran, outputs: results.map(({ success, output }) => `${success ? "" : "! "}${output}`) };
}

const bash = (command: string, more: object = {}) => call("bash_execute", { command, ...more });

test(
  "a shell that stays: its state, a call that hangs, 20 MB, the background; nothing is left, and no file holds a secret",
  story(async (rig) => {
    rig.write("sub/a.txt", "a\n");
    const secret = "s3cr3t-value-0123456789";
    const { ran, outputs } = await outputsOf(
      rig,
      [
        bash("cd sub && export X=1 && f(){ echo hi; }"),
        bash("pwd; echo $X; f"),
        call("run_command", { command: "pwd; echo [$X]" }),
        bash("sleep 71.5 & setsid sleep 71.5 & sleep 71.5", { timeout: 300 }),
        bash("pwd; echo o; echo e >&2; exit 3"),
        bash("head -c 20000000 /dev/zero | tr '\\0' x"),
        bash("echo $MY_TOKEN; sleep 71.5 & exec sleep 71.5", { background: true }),
        call("bash_output", { id: "bash_9" }),
        call("bash_kill", { id: "bash_1" }),
        call("bash_kill", { id: "bash_1" }),
        call("bash_output", { id: "bash_1" }),
        bash("(sleep 71.5; touch never) & head -c 50000 /dev/zero | tr '\\0' y; echo $MY_TOKEN"),
        call("memory_remember", { content: `The token is ${secret}.`, promote: true }),
      ],
      { MY_TOKEN: secret },
    );
    const sub = path.join(rig.project, "sub");
    expect(outputs[1]).toBe(`exit_code: 0\nstdout:\n${sub}\n1\nhi`);
    expect(outputs[2]).toBe(`exit_code: 0\nstdout:\n${rig.project}\n[]`);
    expect(outputs[3]).toMatch(/^! timed out after 300 ms/);
    expect(outputs[4]).toBe(`exit_code: 3\nstdout:\n${sub}\no\nstderr:\ne`);
    const [, size, file = ""] =
      /of (\d+) bytes were cut here; all of them are in (\S+)/.exec(outputs[5] ?? "") ?? [];
    expect(outputs[5]?.length).toBeLessThan(30_000);
    expect(Number(size)).toBe(20_000_000);
    expect(statSync(file).size).toBe(20_000_000);
    expect(outputs[6]).toMatch(/^id: bash_1\nstatus: running/);
    expect(outputs[7]).toMatch(/^! bash_9: .*available: bash_1/);
    expect(outputs[8]).toContain("bash_1 and its processes were killed");
    expect(outputs[9]).toMatch(/^! bash_1 has already ended/);
    expect(outputs[10]).toContain("status: killed");

    expect(ran.stdout).not.toContain(secret);
    const holding = execFileSync("sh", ["-c", `grep -rlaF ${secret} . || true`], { cwd: rig.project });
    expect(holding.toString()).toBe("");
    expect(rig.read("MEMORY.md")).toContain("The token is [redacted].");
    expect(existsSync(path.join(rig.project, "never"))).toBe(false);
    expect(readdirSync(path.join(rig.root, "tmp"))).toEqual([]);
    const session = path.dirname(path.dirname(file));
    const audit = readFileSync(path.join(session, "audit.jsonl"), "utf8");
    expect(audit.trim().split("\n")).toHaveLength(outputs.length);
    expect(audit).toContain("The token is [redacted].");
  }),
);

test(
  "edits are exact, and several are one: when one cannot be made, every file is as it was",
  story(async (rig) => {
    const files = { "a.txt": "one\ntwo\n", "b.txt": "one\r\ntwo\r\n", "c.txt": "x x\n" };
    for (const [name, text] of Object.entries(files)) rig.write(name, text);
    const edit = (name: string, old_string: string, new_string: string) => ({
      path: name,
      old_string,
      new_string,
    });
    const third = [edit("a.txt", "one", "1"), edit("b.txt", "one", "1"), edit("a.txt", "three", "3")];
    const refused = await outputsOf(rig, [
      call("fs_multiEdit", { edits: third }),
      call("fs_edit", edit("c.txt", "x", "y")),
      call("fs_edit", edit("c.txt", "z", "y")),
      call("fs_move", { source: "a.txt", destination: "b.txt" }),
      call("fs_delete", { path: ".", recursive: true }),
    ]);
    expect(refused.outputs[0]).toMatch(/^! edit 3 of 3: a\.txt: .*No file was changed\.$/);
    expect(refused.outputs[1]).toMatch(/^! .*found 2 times/);
    for (const output of refused.outputs) expect(output).toMatch(/^! /);
    for (const [name, text] of Object.entries(files)) expect(rig.read(name)).toBe(text);

    await outputsOf(rig, [
      call("fs_multiEdit", {
        edits: [edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), edit("a.txt", "1", "uno")],
      }),
      call("fs_edit", edit("a.txt", "two", "$& $1 $$")),
      call("fs_edit", edit("b.txt", "one\n2", "1\n2")),
      call("fs_edit", { ...edit("c.txt", "x", "y"), replace_all: true }),
    ]);
    expect(rig.read("a.txt")).toBe("uno\n$& $1 $$\n");
    expect(rig.read("b.txt")).toBe("1\r\n2\r\n");
    expect(rig.read("c.txt")).toBe("y y\n");
  }),
);
