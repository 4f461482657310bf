import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { entriesOf, readPersonIndex, type IndexEntry } from "./index-person.js";
import { runAs, test, type Scratch } from "../testing/scratch.js";

/** Lengths around every multiple of eight, shared beginnings, and longer than the field for lengths can say. */
const NAMES = [
  ...Array.from({ length: 20 }, (_, at) => "n".repeat(at + 1)),
  "same/beginning/one",
  "same/beginning/other",
  "ü\n",
  `${"deep/".repeat(900)}x`,
];

/** Git's own listing of the index, in the format of `spell`. */
async function told({ git }: Scratch): Promise<string[]> {
  const [entries, bits] = [await git("ls-files", "-s", "-z"), await git("ls-files", "-v", "-z")];
  const tags = new Map(bits.split("\0").map((line) => [line.slice(2), line.slice(0, 1)]));
  return entries
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => `${line} ${tags.get(line.slice(line.indexOf("\t") + 1)) ?? ""}`);
}

async function entriesIn(scratch: Scratch): Promise<readonly IndexEntry[]> {
  const repo = await scratch.open();
  return entriesOf(repo, await readPersonIndex(repo));
}

async function read(scratch: Scratch): Promise<string[]> {
  const entries = await entriesIn(scratch);
  return entries.map(({ mode, oid, stage, path, assumed, skipped }) => {
    const tag = stage > 0 ? "M" : skipped ? "S" : "H";
    const name = Buffer.from(path, "latin1").toString("utf8");
    return `${mode} ${oid} ${String(stage)}\t${name} ${assumed ? tag.toLowerCase() : tag}`;
  });
}

async function fill(scratch: Scratch): Promise<void> {
  const { git } = scratch;
  const oid = await git("hash-object", "-w", "a.txt");
  for (const name of NAMES) await git("update-index", "--add", "--cacheinfo", `100644,${oid},${name}`);
  await git("update-index", "--assume-unchanged", "a.txt");
  await git("update-index", "--skip-worktree", "dir/b.txt");
  writeFileSync(join(scratch.top, "later"), "x");
  await git("add", "-N", "later");
}

for (const version of ["2", "3", "4"]) {
  test(`version ${version}: every entry and its bits as git tells them`, async ({ scratch }) => {
    await fill(scratch);
    await scratch.git("update-index", "--index-version", version, "--force-write-index");
    expect(await read(scratch)).toEqual(await told(scratch));
    const entries = await entriesIn(scratch);
    const { checksum } = await readPersonIndex(await scratch.open());
    expect(entries.filter(({ intended }) => intended).map(({ path }) => path)).toEqual(["later"]);
    expect(checksum).toMatch(/^[0-9a-f]{40}$/);
  });
}

test("a conflict is read with its stages", async ({ scratch }) => {
  await scratch.git("switch", "-qc", "side");
  writeFileSync(join(scratch.top, "a.txt"), "side\n");
  await scratch.commitAll("side");
  await scratch.git("switch", "-q", "main");
  writeFileSync(join(scratch.top, "a.txt"), "main\n");
  await scratch.commitAll("main");
  await expect(scratch.git("merge", "-q", "side")).rejects.toThrow();
  const entries = await entriesIn(scratch);
  expect(entries.map(({ path, stage }) => `${path} ${String(stage)}`)).toEqual([
    "a.txt 1",
    "a.txt 2",
    "a.txt 3",
    "dir/b.txt 0",
    "to-do.json 0",
  ]);
});

test("a split index is read whole", async ({ scratch }) => {
  await scratch.git("update-index", "--split-index");
  await fill(scratch);
  expect(await read(scratch)).toEqual(await told(scratch));
  expect((await readPersonIndex(await scratch.open())).checksum).toBeUndefined();
});

test("SHA-256", async ({ scratch }) => {
  const { top, ports, env } = scratch;
  rmSync(join(top, ".git"), { recursive: true });
  await runAs(ports, { cwd: top, env }, ["init", "-q", "--object-format=sha256"]);
  await scratch.git("add", "-A");
  await fill(scratch);
  expect(await read(scratch)).toEqual(await told(scratch));
});

test("a missing index is read as empty", async ({ scratch }) => {
  rmSync(join(scratch.top, ".git", "index"));
  expect(await entriesIn(scratch)).toEqual([]);
});
