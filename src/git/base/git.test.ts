import { join } from "node:path";
import { expect } from "vitest";
import { test } from "../testing/scratch.js";
import { runGit, shorten } from "./git.js";

test("the reason of a failure comes before git's advice", () => {
  const advice = `The following paths are ignored by one of your .gitignore files:\n${"dist\n".repeat(400)}`;
  const reason =
    "error: unable to write loose object file: No space left on device\nfatal: updating files failed";
  expect(shorten(`${advice}${reason}\n`).startsWith(`${reason}\nThe following paths`)).toBe(true);
  expect(shorten("warning: LF\nhint: no\n")).toBe("warning: LF\nhint: no");
});

test("git does not advise on ignored files", async ({ scratch }) => {
  const repo = await scratch.open();
  for (const [name, text] of [
    [".gitignore", "ignored\n"],
    ["ignored", ""],
  ] as const)
    await repo.ports.files.writeAtomic(join(scratch.top, name), text);
  const failed = await runGit(repo, ["add", "--", "ignored"]).catch(String);
  expect(failed).toContain("are ignored by one of your .gitignore files");
  expect(failed).not.toContain("hint:");
});
