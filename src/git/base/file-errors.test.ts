import { expect } from "vitest";
import { UserError } from "../../system/errors.js";
import { test } from "../testing/scratch.js";
import { reasonOf } from "./repository/repository.js";
import { asResult, GitError, withHint } from "./git.js";

test("a file operation of a repository that fails throws a GitError with the system's code and no hint", async ({
  scratch,
}) => {
  const { files } = (await scratch.open()).ports;
  const error = await files.makeNewFolder(scratch.top, 0o700).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GitError);
  expect(error).toMatchObject({
    kind: "environment",
    code: "EEXIST",
    hint: undefined,
    message: `EEXIST: file already exists, mkdir '${scratch.top}'`,
  });
  expect(reasonOf(error)).toBe(`EEXIST: file already exists, mkdir '${scratch.top}'`);
});

test("a tree that is opened through the ports of a repository fails in the same way", async ({ scratch }) => {
  const { files } = (await scratch.open()).ports;
  const made = await asResult(() => files.tree(scratch.top).remove(".git"));
  expect(made).toMatchObject({ ok: false, error: { command: "git" } });
});

test("a hint is added to a failure of git, and to no other error", async () => {
  const fail = (error: Error) => withHint("free some space", () => Promise.reject(error));
  await expect(fail(new GitError("git add", "no space left"))).rejects.toMatchObject({
    message: "git add: no space left",
    hint: "free some space",
  });
  await expect(fail(new UserError("no", "there are two remotes", "name one"))).rejects.toMatchObject({
    hint: "name one",
  });
  await expect(fail(new TypeError("a bug"))).rejects.toThrow(TypeError);
});
