import { expect, test } from "vitest";
import { NOTHING, type DiffEntry, type Version } from "../base/read/diff.js";
import { planTakingBack } from "./session-trees.js";

const v = (oid: string): Version => (oid === "" ? NOTHING : { mode: "100644", oid });
const step = (path: string, from: string, to: string): DiffEntry => ({ path, from: v(from), to: v(to) });
const held = (files: Record<string, string>): Map<string, Version> =>
  new Map(Object.entries(files).map(([path, oid]) => [path, v(oid)]));

function plan(steps: DiffEntry[][], files: Record<string, string>): unknown {
  const { back, changed } = planTakingBack(steps, held(files));
  return { back: back.map(({ path, from }) => `${path}=${from.oid}`), changed };
}

test("a path goes back where it is as the work left it, through several steps", () => {
  expect(plan([[step("a", "1", "2"), step("b", "", "3")]], { a: "2", b: "3", c: "9" })).toEqual({
    back: ["a=1", "b="],
    changed: [],
  });
  expect(plan([[step("a", "2", "3")], [step("a", "1", "2")]], { a: "3" })).toEqual({
    back: ["a=1"],
    changed: [],
  });
  expect(plan([[step("a", "1", "")]], {})).toEqual({ back: ["a=1"], changed: [] });
  expect(plan([[step("a", "1", "2")]], { a: "1" })).toEqual({ back: [], changed: [] });
});

test("a path that something else changed since is in the way", () => {
  expect(plan([[step("a", "1", "2")]], { a: "5" })).toEqual({ back: [], changed: ["a"] });
  expect(plan([[step("a", "2", "3")], [step("a", "0", "1")]], { a: "3" })).toMatchObject({ changed: ["a"] });
  expect(plan([[step("a", "1", "")]], { a: "7" })).toMatchObject({ changed: ["a"] });
});
