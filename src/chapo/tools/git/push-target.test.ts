import { expect, test } from "vitest";
import { toFailure } from "../../tool.js";
import { resolvePushTarget } from "./git.js";

const facts = { current: "feature", remotes: ["origin", "fork"], usualRemote: "origin", allowMain: false };
const target = (branch?: string, remote?: string, more: object = {}): unknown => {
  try {
    return resolvePushTarget({ branch, remote }, { ...facts, ...more });
  } catch (error) {
    return { refusal: toFailure(error).error };
  }
};
const refusal = (text: string): unknown => ({ refusal: expect.stringContaining(text) as string });

test("a branch is pushed to the branch of the same name or to the named one", () => {
  const own = { remote: "origin", from: "refs/heads/feature", to: "refs/heads/feature" };
  for (const spelled of [undefined, "HEAD", "@", "feature", "heads/feature", "refs/heads/feature"])
    expect(target(spelled)).toEqual(own);
  expect(target("HEAD:other", "fork")).toEqual({ remote: "fork", from: "HEAD", to: "refs/heads/other" });
  expect(target("main:backup")).toEqual({
    remote: "origin",
    from: "refs/heads/main",
    to: "refs/heads/backup",
  });
  expect(target("HEAD:other", undefined, { current: undefined })).toMatchObject({ from: "HEAD" });
});

test("main and master are refused in every spelling, unless a push there is allowed", () => {
  const spellings = [
    "main",
    "master",
    "Main",
    "HEAD:main",
    "x:main",
    "x:refs/heads/main",
    "x:heads/master",
    "@:main",
  ];
  for (const spelled of spellings) expect(target(spelled)).toEqual(refusal("is refused"));
  expect(target(undefined, undefined, { current: "main" })).toEqual(refusal("pushing to main is refused"));
  expect(target("x:HEAD", undefined, { current: "master" })).toEqual(refusal("pushing to master is refused"));
  expect(target("main", undefined, { allowMain: true })).toMatchObject({ to: "refs/heads/main" });
  expect(target("feature/main")).toMatchObject({ to: "refs/heads/feature/main" });
});

test("force, deletion, patterns, options and other refs are refused", () => {
  for (const spelled of ["+main", "+feature", "+x:y"]) expect(target(spelled)).toEqual(refusal("force"));
  for (const spelled of [":main", "x:", "a:b:c", ":"])
    expect(target(spelled)).toEqual(refusal("name one branch"));
  for (const spelled of [
    "-f",
    "--mirror",
    "x:-d",
    "refs/heads/*",
    "a..b",
    "main@{1}",
    "main~0",
    "^main",
    "a b",
  ])
    expect(target(spelled)).toEqual(refusal("not a valid branch name"));
  expect(target("refs/tags/v1")).toEqual(refusal("only branches"));
  expect(target("HEAD", undefined, { current: undefined })).toEqual(refusal("no branch is checked out"));
});

test("a push goes only to a configured remote", () => {
  for (const remote of ["--mirror", "-u", "https://example.org/x.git", "ext::sh -c x", "/tmp/x", "nowhere"])
    expect(target("feature", remote)).toEqual(refusal("available: origin, fork"));
  expect(target("x", undefined, { remotes: [] })).toEqual(refusal("none is configured"));
  expect(target("x", "--all", { remotes: ["--all"] })).toEqual(refusal("no such remote"));
});
