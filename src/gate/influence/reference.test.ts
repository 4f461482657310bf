import { expect } from "vitest";
import { test } from "../../git/testing/scratch.js";
import { joinChanges, NOTHING, type DiffEntry } from "../../git/base/read/diff.js";
import { diffTrees } from "../../git/index/index-file.js";
import { findReference, mergeManifests, noteLeft, type RunStart } from "./reference.js";

const at = (path: string, from: string, to: string): DiffEntry => {
  const version = (oid: string) => (oid === "" ? NOTHING : { mode: "100644", oid });
  return { path, from: version(from), to: version(to) };
};

const never = (): boolean => false;

test("consecutive changes are combined, and changes that cancel each other are dropped", () => {
  const first = [at("a", "1", "2"), at("b", "", "1"), at("c", "1", "2")];
  const second = [at("a", "2", "3"), at("b", "1", ""), at("d", "", "1")];
  expect(joinChanges(first, second)).toEqual([at("a", "1", "3"), at("c", "1", "2"), at("d", "", "1")]);
});

test("a change since the start is an agent's if an agent left that version, else a person's", async ({
  scratch,
}) => {
  const { git, top, ports } = scratch;
  const commit = async (files: Record<string, string>): Promise<string> => {
    for (const [name, text] of Object.entries(files))
      await ports.files.writeAtomic(`${top}/${name}`, Buffer.from(text));
    await git("add", "-A");
    await git("commit", "-qm", "more");
    return git("rev-parse", "HEAD");
  };
  const repo = await scratch.open();
  const start = await commit({ one: "1", two: "1" });
  const left = await commit({ one: "2", two: "2", three: "2" });
  const runStart: RunStart = { start, left: new Map(), needed: new Map(), accepted: new Set() };
  noteLeft(runStart, await diffTrees(repo, left, start), "T1");
  const base = await commit({ two: "3", four: "3" });
  const { persons, since } = await findReference(repo, runStart, base, never);
  expect(persons.map(({ path }) => path)).toEqual(["four", "two"]);
  expect(since.map(({ path }) => path)).toEqual(["one", "three"]);
  const [one] = since;
  const { taskOf } = await findReference(repo, runStart, base, never);
  expect(one && taskOf(one)).toBe("T1");
  expect(persons.map(taskOf)).toEqual([undefined, undefined]);
  const trusting = await findReference(
    ...([repo, runStart, base] as const),
    (task, path) => task === "T1" && path === "one",
  );
  expect(trusting.persons.map(({ path }) => path)).toEqual(["four", "one", "two"]);
  expect(trusting.since.map(({ path }) => path)).toEqual(["three"]);
  const needed = new Map([["T1", { paths: new Set(["three", "two"]), on: [] }]]);
  const needing = { ...runStart, needed };
  const withNeeded = await findReference(repo, needing, base, never);
  expect(withNeeded.persons.map(({ path }) => path)).toEqual(["four", "three", "two"]);
  expect(withNeeded).toMatchObject({ since: [{ path: "one" }], onTopOf: ["T1"] });
  const onT1 = { ...runStart, needed: new Map([["T2", { paths: new Set<string>(), on: ["T1"] }]]) };
  expect(await findReference(repo, onT1, base, never)).toMatchObject({ since: [], onTopOf: ["T2"] });
  const word = { ...onT1, accepted: new Set(["T2"]) };
  expect(await findReference(repo, word, base, never)).toMatchObject({ since: [], onTopOf: [] });
  expect(await findReference(repo, runStart, start, never)).toMatchObject({ start, persons: [], since: [] });
});

test("a manifest gains what each task adds to its dependencies, and not what else one changed of it", async ({
  scratch,
}) => {
  const { git, top, ports } = scratch;
  const commit = async (names: string[], script: string): Promise<string> => {
    const dependencies = Object.fromEntries(names.map((name) => [name, "1.0.0"]));
    const text = JSON.stringify(
      { dependencies, license: "MIT", author: "A", scripts: { a: "", test: script } },
      null,
      1,
    );
    await ports.files.writeAtomic(`${top}/package.json`, Buffer.from(text));
    await git("commit", "-qam", "more");
    return git("rev-parse", "HEAD");
  };
  await ports.files.writeAtomic(`${top}/package.json`, Buffer.from("{}"));
  await git("add", "-A");
  const repo = await scratch.open();
  const commits = [
    await commit(["a"], "test"),
    await commit(["a"], "true"),
    await commit(["a", "b"], "true"),
    await commit(["a", "b", "d"], "false"),
  ];
  const [start = "", one = "", two = "", three = ""] = commits;
  const runStart: RunStart = { start, left: new Map(), needed: new Map(), accepted: new Set() };
  for (const [at, to] of [one, two, three].entries())
    noteLeft(runStart, await diffTrees(repo, to, commits[at]), `T${String(at + 1)}`);
  const textAt = async ([entry]: readonly DiffEntry[]): Promise<string> =>
    git("cat-file", "blob", entry?.to.oid ?? "");
  const first = await findReference(repo, runStart, one, never);
  expect(first).toMatchObject({ persons: [], since: [{ path: "package.json" }] });
  expect(await mergeManifests(repo, first, await diffTrees(repo, three, one))).toEqual(new Map());
  const [own] = await mergeManifests(repo, first, await diffTrees(repo, two, one));
  const second = await findReference(repo, runStart, two, never);
  expect(second.persons).toMatchObject([{ path: "package.json", to: own?.[1] }]);
  expect(JSON.parse(await textAt(second.persons))).toMatchObject({
    dependencies: { a: "1.0.0", b: "1.0.0" },
    scripts: { test: "test" },
  });
  expect(second.since.map(second.taskOf)).toEqual(["T1"]);
  const third = await findReference(repo, runStart, three, never);
  expect(third.persons).toEqual(second.persons);
  expect(third.since.map(third.taskOf)).toEqual(["T3"]);
  const trusted = { ...runStart, needed: new Map([["T1", { paths: new Set(["package.json"]), on: [] }]]) };
  const needing = await findReference(repo, trusted, two, never);
  expect(needing).toMatchObject({ since: [], onTopOf: ["T1"] });
  expect(await textAt(needing.persons)).toContain('"true"');
});
