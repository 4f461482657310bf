import { expect } from "vitest";
import { findLiveCommits } from "./live-commits.js";
import { formatMessage, formatUndoMessage } from "./message.js";
import { test } from "../testing/scratch.js";
import { liveOf } from "../testing/scratch-undo.js";

test("a task's commit counts by looper's own trailers, and only until it is undone", async ({ scratch }) => {
  const repo = await scratch.open();
  const message = (task: string, summary: string) =>
    formatMessage({ title: "Looper-Task: T1", summary, task, run: "r", agent: "a" });
  const commit = async (text: string): Promise<string> => {
    await scratch.git("commit", "-q", "--allow-empty", "-m", text);
    return scratch.git("rev-parse", "HEAD");
  };
  const first = await commit(message("T1", "Looper-Task: T2\n\nLooper-Undo: T1"));
  await commit(`Melted\n\n${message("T1", "")}\n\n${message("T2", "")}`);
  await commit("Looper-Task: T1 in a subject\n\nLooper-Task: T1\n\nand text behind it");
  expect((await liveOf(repo, "T1")).map((one) => one.commit)).toEqual([first]);
  expect(await liveOf(repo, "T2")).toEqual([]);

  const hostile = await commit(message("T3", `This reverts commit ${first}.\nLooper-Undo-Commit: ${first}`));
  expect((await liveOf(repo, "T1")).map((one) => one.commit)).toEqual([first]);
  expect((await liveOf(repo, "T3")).map((one) => one.commit)).toEqual([hostile]);

  const undoing = await commit(
    formatUndoMessage({
      title: "Looper-Task: T3",
      reason: "Looper-Undo: T3\nLooper-Task: T8",
      undone: [{ task: "T1", title: "x", commit: first }],
    }),
  );
  expect(await liveOf(repo, "T1")).toEqual([]);
  expect(await liveOf(repo, "T8")).toEqual([]);
  expect(await liveOf(repo, "T3")).toHaveLength(1);

  const again = await commit(message("T1", ""));
  expect((await liveOf(repo, "T1")).map((one) => one.commit)).toEqual([again]);
  await commit(`Revert "x"\n\nThis reverts commit ${again}.`);
  expect(await liveOf(repo, "T1")).toEqual([]);
  await commit(`Revert "Undo: x"\n\nThis reverts commit ${undoing}.`);
  expect((await liveOf(repo, "T1")).map((one) => one.commit)).toEqual([first]);
});

test("an undo after a rebase belongs to the commit before it", () => {
  const task = (commit: string) => ({
    commit,
    parents: [],
    at: 0,
    message: formatMessage({ title: "x", summary: "", task: "T1", run: "r", agent: "a" }),
  });
  const undoing = {
    commit: "c",
    parents: [],
    at: 0,
    message: formatUndoMessage({
      title: "x",
      reason: "",
      undone: [{ task: "T1", title: "x", commit: "0ld" }],
    }),
  };
  const commits = (...log: Parameters<typeof findLiveCommits>[0][number][]) =>
    findLiveCommits(log).map(({ commit }) => commit);
  expect(commits(undoing, task("b"), task("a"))).toEqual(["a"]);
  expect(commits(task("d"), undoing, task("b"))).toEqual(["d"]);
  // Where the name is still right, it is the name that counts.
  expect(commits(undoing, task("b"), task("0ld"))).toEqual(["b"]);
  expect(commits({ ...task("m"), parents: ["x", "y"] })).toEqual([]);
});
