// Messages of the built-in engine are taken back: the files by /undo and from another process, files and conversation by /rewind.
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { call, dataOf, eventsOf, playScript } from "../rig/chapo.js";
import { ChapoUndoAnswer } from "../../src/ui/shapes/project.js";
import { story, type Rig } from "../rig/rig.js";

const TRUSTED = ["--mode", "trusted"];

/** Two messages: the first writes a.txt, the second b.txt and through the shell c.txt; a person edits mine.txt between. */
async function twoMessages(rig: Rig): Promise<string> {
  rig.write("mine.txt", "old\n");
  rig.write(".gitignore", "ignored.txt\n");
  rig.write("ignored.txt", "kept\n");
  rig.gitInit();
  playScript(rig, {
    turns: [
      call("fs_writeFile", { path: "a.txt", content: "a\n" }),
      { say: "First." },
      call("fs_writeFile", { path: "b.txt", content: "b\n" }),
      call("bash_execute", { command: "echo c > c.txt; echo more >> ignored.txt" }),
      { say: "Second." },
      { say: "Third." },
    ],
  });
  const first = await rig.run(["chapo", "--json", ...TRUSTED, "Write a"]);
  expect(first.code).toBe(0);
  rig.write("mine.txt", "by hand\n");
  expect((await rig.run(["chapo", "--session", "last", ...TRUSTED, "Write b"])).code).toBe(0);
  return dataOf(eventsOf(first), "status")[0]?.session ?? "";
}

const has = (rig: Rig, file: string): boolean => existsSync(path.join(rig.project, file));

test(
  "an undo from another process takes back one message, keeps what it replaced, and leaves all else",
  story(async (rig) => {
    const session = await twoMessages(rig);
    const status = rig.git("status", "--porcelain");
    const undone = await rig.run(["chapo", "undo", session]);
    expect(undone).toMatchObject({ code: 0, stderr: "" });
    expect(undone.stdout).toMatch(/Took back what "Write b" changed:\n *b\.txt\n *c\.txt\n/);
    expect(["a.txt", "b.txt", "c.txt"].map((file) => has(rig, file))).toEqual([true, false, false]);
    expect([rig.read("mine.txt"), rig.read("ignored.txt")]).toEqual(["by hand\n", "kept\nmore\n"]);
    expect(rig.git("status", "--porcelain")).toBe(status.replace(/\?\? [bc]\.txt\n/g, ""));
    const [, rescue = ""] = /looper rescue show (\S+)/.exec(undone.stdout) ?? [];
    expect((await rig.run(["rescue", "show", rescue])).stdout).toContain("+++ b/c.txt");

    // The model is told, and the next undo takes the message before.
    const next = await rig.run(["chapo", "--json", "--session", "last", "Next"]);
    expect(dataOf(eventsOf(next), "delivered")[0]?.text).toBe("I took back your changes to b.txt, c.txt.");
    const first = await rig.run(["chapo", "undo", "last", "--json"]);
    expect(ChapoUndoAnswer.parse(JSON.parse(first.stdout))).toMatchObject({ session, paths: ["a.txt"] });
    expect([has(rig, "a.txt"), rig.read("mine.txt")]).toEqual([false, "by hand\n"]);
    const none = await rig.run(["chapo", "undo", "last"]);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("no message") as string });
  }),
);

test(
  "an undo over a person's edit is refused with the path, and a rewind cuts the conversation",
  story(async (rig) => {
    await twoMessages(rig);
    rig.write("b.txt", "mine now\n");
    const refused = await rig.run(["chapo", "--session", "last", "/undo"]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("b.txt") as string });
    expect([rig.read("b.txt"), has(rig, "c.txt")]).toEqual(["mine now\n", true]);

    rig.write("b.txt", "b\n");
    expect((await rig.run(["chapo", "--session", "last", "/rewind"])).stdout).toMatch(
      /1 {2}Write a\n +2 {2}Write b\n/,
    );
    expect((await rig.run(["chapo", "--session", "last", "/rewind 2"])).code).toBe(0);
    expect(["a.txt", "b.txt", "c.txt"].map((file) => has(rig, file))).toEqual([true, false, false]);
    const { sessions } = JSON.parse((await rig.run(["chapo", "sessions", "--json"])).stdout) as {
      sessions: { id: string; messages: number }[];
    };
    const kept = rig.read(`.looper/sessions/${sessions[0]?.id ?? ""}/session.json`);
    expect([kept.includes("Write a"), kept.includes("Write b")]).toEqual([true, false]);
    expect((await rig.run(["chapo", "--session", "last", "/rewind 7"])).code).toBe(2);
  }),
);

exhaustively(
  "without git an undo is refused, and the message is worked on",
  story(async (rig) => {
    playScript(rig, { turns: [call("fs_writeFile", { path: "a.txt", content: "a\n" }), { say: "First." }] });
    const ran = await rig.run(["chapo", ...TRUSTED, "Write a"]);
    expect(ran).toMatchObject({ code: 0, stdout: "First.\n" });
    const refused = await rig.run(["chapo", "undo", "last"]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not in a git repository") as string,
    });
    expect(rig.read("a.txt")).toBe("a\n");
  }),
);
