// A secret that the environment names as one is in nothing the runner writes: not in the log, not in prompts, commits or
// the backlog, not on the screen.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Rig, story } from "../rig/rig.js";

const SECRET = "Zq8vT1mYw4LrX7c0NdBk";
// The shape of a key that no setting names.
const SHAPED = `ghp_${"a1B2".repeat(9)}`;

/** The files below a folder that hold a text, in the clear. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, "utf8").includes(text));
}

/** Everything git can still show, trees and messages of every ref. */
function gitTexts(rig: Rig): string {
  return rig.git("log", "--all", "-p", "--format=%B%d", "--reflog");
}

test(
  "a key in the environment that an agent prints everywhere is in no log, no prompt, no commit, no backlog, on no screen",
  story(async (rig) => {
    const hooks = { post_iteration: ['echo "hook saw $API_KEY"; exit 1'] };
    const puppet = await rig.agent({}, { hooks });
    rig.writeBacklog([{ id: "T1" }, { id: "T2", depends_on: ["T1"], details: `use ${SECRET}` }]);
    rig.gitInit();
    const prompts: string[] = [];
    puppet.play(async (turn) => {
      prompts.push(turn.hello.prompt);
      expect(turn.hello.env["API_KEY"]).toBe(SECRET);
      await turn.say(`the key is ${SECRET}, and ${SHAPED}`);
      await turn.say(JSON.stringify({ type: "message", content: SECRET }));
      await turn.complain(`Error: ${SECRET} was refused`);
      if (turn.task === "T1" && turn.hello.env["LOOPER_ATTEMPT"] === "1") return turn.exit(1);
      if (turn.task === "") return turn.report({ summary: SECRET });
      await turn.write(`${turn.hello.cwd}/${turn.task}.txt`, "work\n");
      const new_tasks = turn.task === "T1" ? [{ id: "N1", title: `rotate ${SECRET}` }] : [];
      return turn.report({ summary: `used ${SECRET} twice: ${SHAPED}`, files: [`${SECRET}.txt`], new_tasks });
    });
    const env = { API_KEY: SECRET };
    const { code, stdout, stderr } = await rig.run(["run", "--json"], { env });
    expect(code, stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", N1: "done" });
    for (const secret of [SECRET, SHAPED]) {
      expect(filesWith(path.join(rig.project, "looper-logs"), secret)).toEqual([]);
      expect(`${stdout}${stderr}`).not.toContain(secret);
      expect(prompts.join("\n")).not.toContain(secret);
    }
    const commits = rig.git("log", "--format=%B");
    expect(commits).toContain("used [redacted] twice: [redacted]");
    expect(commits).not.toContain(SECRET);
    // The person's own text in the backlog stays; the secret is there only because they wrote it.
    expect(rig.read("to-do.json").split(SECRET)).toHaveLength(2);
    expect(rig.readBacklog().tasks.find(({ id }) => id === "N1")?.title).toBe("rotate [redacted]");
    expect(gitTexts(rig)).not.toContain(SHAPED);
    expect(rig.events().find(({ type }) => type === "hook_finished")).toMatchObject({
      output: "hook saw [redacted]\n",
    });
  }),
);

test(
  "a key that comes in pieces, or is cut where a text is shortened, leaves no piece of it behind",
  story(async (rig) => {
    // Only the end of a hook's output is kept, and it begins in the middle of the key.
    const hooks = { post_iteration: [`printf '%s%04086d' "$SERVICE_TOKEN" 0`] };
    const puppet = await rig.agent({}, { hooks });
    rig.writeBacklog([{ id: "T1" }]);
    puppet.play(async (turn) => {
      // Half a line, then the rest: a reader of chunks sees neither half as the key.
      await turn.shellAloud(`printf '%s' "${SECRET.slice(0, 10)}"`);
      await turn.shellAloud(`printf '%s' "${SECRET.slice(0, 10)}" >&2`);
      await turn.shell("sleep 0.2");
      await turn.shellAloud(`printf '%s\\n' "${SECRET.slice(10)}"`);
      await turn.shellAloud(`printf '%s\\n' "${SECRET.slice(10)}" >&2`);
      await turn.say(`${"m".repeat(492)}${SECRET}`);
      await turn.complain(`Error: ${"x".repeat(265)}${SECRET}`);
      return turn.exit(1);
    });
    const { code, stdout, stderr } = await rig.run(["run", "--no-review"], {
      env: { SERVICE_TOKEN: SECRET },
    });
    expect(code).toBe(1);
    const pieces = [SECRET.slice(0, 8), SECRET.slice(10, 18), SECRET.slice(-8)];
    for (const piece of pieces) {
      expect(filesWith(path.join(rig.project, "looper-logs"), piece)).toEqual([]);
      expect(`${stdout}${stderr}${rig.read("to-do.json")}`).not.toContain(piece);
    }
  }),
);

test(
  "a key that an agent spells with escapes, or parts with a colour code, is in no log and on no screen; a value that is a path that exists, or is short, is not redacted",
  story(async (rig) => {
    const secret = "Zq8<vT1m/Yw4LrX7c0";
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    puppet.play(async (turn) => {
      await turn.say(`in ${rig.project} with hunter2`);
      await turn.say(JSON.stringify({ a: secret }).replace("<", "\\u003c"));
      await turn.say(JSON.stringify({ a: secret }).replace("/", "\\/"));
      await turn.say(`${secret.slice(0, 8)}\u001b[31m${secret.slice(8)}`);
      await turn.say("redis://:hunter2-pw@cache.example");
      return turn.report();
    });
    const kept = { DEPLOY_KEY: rig.project, DB_PASSWORD: "hunter2", MONKEY: "not-a-secret-at-all" };
    const env = { ...kept, SERVICE_TOKEN: secret };
    const { code, stdout, stderr } = await rig.run(["run", "--no-review"], { env });
    expect(code, stderr).toBe(0);
    const said = rig.events().filter(({ type, content }) => type === "message" && content !== "");
    expect(JSON.stringify(said)).toContain(`in ${rig.project} with hunter2`);
    const logs = path.join(rig.project, "looper-logs");
    for (const piece of ["vT1m", "Yw4LrX7c0", "hunter2-pw"]) {
      expect(filesWith(logs, piece)).toEqual([]);
      expect(`${stdout}${stderr}${(await rig.run(["tail", "-n", "50"])).stdout}`).not.toContain(piece);
    }
  }),
);
