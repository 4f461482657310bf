// Repositories of every kind: what a checkpoint keeps comes back byte for byte, index included, and what an attempt did
// becomes one commit that leaves the tree clean.
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint } from "../checkpoint/checkpoint.js";
import type { Repository } from "../base/repository/repository.js";
import { restoreTo } from "../restore/restore.js";
import { runAs, test, type Scratch } from "./scratch.js";
import { stateOf } from "./scratch-state.js";
import { changesOf, finish, attempt } from "./scratch-task.js";

function write(scratch: Scratch, path: string, content: string): void {
  writeFileSync(join(scratch.top, path), content);
}

/** The same repository seen from another folder of it. */
function at(scratch: Scratch, top: string): Scratch {
  return {
    ...scratch,
    top,
    git: (...args) => runAs(scratch.ports, { cwd: top, env: scratch.env }, args),
    open: (places, ports) =>
      scratch.open({ projectDir: top, todoFile: join(top, "to-do.json"), exclude: [], ...places }, ports),
  };
}

/** Gives up some work: afterwards all is as before. Then does it again, and has it committed. */
async function backAndForth(
  scratch: Scratch,
  mess: () => unknown,
): Promise<{ repo: Repository; commit: string }> {
  const repo = await scratch.open();
  const before = await stateOf(scratch);
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  expect(await stateOf(scratch)).toEqual(before);
  await mess();
  expect(await stateOf(scratch)).not.toEqual(before);
  await restoreTo(repo, { checkpoint: taken, run: "run-1", label: "T1-1" });
  expect(await stateOf(scratch)).toEqual(before);
  await scratch.git("update-ref", "-d", `refs/looper/checkpoint/${repo.tree}/T1`);
  const commit = await finish(scratch, repo, await attempt(repo, mess));
  expect(await scratch.git("fsck", "--no-dangling")).toBe("");
  return { repo, commit };
}

test("a restore handles names of every kind", async ({ scratch }) => {
  const { top } = scratch;
  const names = [
    "new\nline",
    'quo"te',
    "-dash",
    " leading",
    "trailing ",
    "ü",
    "\u0001",
    "#x",
    ":(top)",
    "back\\slash",
    "x".repeat(255),
  ];
  const odd = Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff, 0x2f, 0xfe, 0x0a])]);
  mkdirSync(odd.subarray(0, odd.length - 3));
  writeFileSync(odd, "one");
  for (const name of names) write(scratch, name, "one\n");
  await scratch.git("config", "core.quotePath", "true");
  await scratch.commitAll("names");
  const { commit } = await backAndForth(scratch, () => {
    for (const name of names) write(scratch, name, "two\n");
    writeFileSync(odd, "two");
    mkdirSync(join(top, "deep ".repeat(40), "er"), { recursive: true });
    write(scratch, `${"deep ".repeat(40)}/er/\t`, "");
  });
  expect(await changesOf(scratch, commit)).toHaveLength(names.length + 3);
  expect(readFileSync(odd, "utf8")).toBe("two");
  expect(await scratch.git("status", "--porcelain")).toBe("");
});

test("a restore handles exec bits, links of every kind, empty files, and swaps of file and folder", async ({
  scratch,
}) => {
  const { top } = scratch;
  write(scratch, "run.sh", "#!/bin/sh\n");
  chmodSync(join(top, "run.sh"), 0o755);
  symlinkSync("nowhere", join(top, "dangling"));
  symlinkSync("dir", join(top, "to-folder"));
  symlinkSync("../outside", join(top, "out"));
  write(scratch, "../outside", "outside\n");
  write(scratch, "empty", "");
  await scratch.commitAll("kinds");
  write(scratch, "a.txt", "person\n");
  const { commit } = await backAndForth(scratch, () => {
    for (const name of ["dangling", "to-folder", "out", "empty"]) rmSync(join(top, name));
    mkdirSync(join(top, "to-folder"));
    write(scratch, "to-folder/b.txt", "another\n");
    rmSync(join(top, "dir"), { recursive: true });
    symlinkSync("to-folder", join(top, "dir"));
    write(scratch, "dangling", "a file\n");
    chmodSync(join(top, "run.sh"), 0o644);
    symlinkSync("a.txt", join(top, "empty"));
  });
  expect(await changesOf(scratch, commit)).toHaveLength(9);
  expect(readFileSync(join(top, "../outside"), "utf8")).toBe("outside\n");
  expect(await scratch.git("status", "--porcelain")).toBe(" M a.txt");
});

test("a restore leaves paths outside a sparse checkout alone, with and without cones", async ({
  scratch,
}) => {
  for (const folder of ["in", "out"]) mkdirSync(join(scratch.top, folder));
  for (const name of ["in/x", "out/x", "out/y"]) write(scratch, name, "one\n");
  await scratch.commitAll("folders");
  for (const cone of ["--cone", "--no-cone"]) {
    const patterns = cone === "--cone" ? ["in"] : ["/in/", "/*.txt", "/to-do.json"];
    await scratch.git("sparse-checkout", "set", cone, ...patterns);
    write(scratch, "in/x", `${cone} person\n`);
    await scratch.git("add", "in/x");
    write(scratch, "in/x", `${cone} person, later\n`);
    const { commit } = await backAndForth(scratch, () => {
      mkdirSync(join(scratch.top, "out"), { recursive: true });
      write(scratch, "out/x", `${cone} agent\n`);
      write(scratch, "out/new", `${cone} agent\n`);
      write(scratch, "in/new", `${cone} agent\n`);
    });
    const changes = await changesOf(scratch, commit);
    expect(changes.map((line) => line.slice(2)).sort()).toEqual(
      ["in/new", "out/new", "out/x", "to-do.json"].filter((path) =>
        changes.some((line) => line.endsWith(path)),
      ),
    );
    expect(changes.length).toBeGreaterThanOrEqual(3);
    expect(await scratch.git("status", "--porcelain")).toBe("MM in/x");
    expect(await scratch.git("show", `${commit}:out/y`)).toBe("one");
    await scratch.git("checkout", "-q", "HEAD", "--", "in");
    await scratch.git("sparse-checkout", "disable");
  }
});

test("a linked worktree", async ({ scratch }) => {
  const linked = join(scratch.top, "..", "linked");
  await scratch.git("worktree", "add", "-q", "-b", "side", linked);
  const there = at(scratch, linked);
  write(there, "part", "1\n");
  await there.git("add", "part");
  write(there, "part", "2\n");
  const main = await stateOf(scratch);
  const { commit } = await backAndForth(there, async () => {
    write(there, "a.txt", "agent\n");
    write(there, "new", "agent\n");
    await there.git("add", "new");
  });
  expect(await changesOf(there, commit)).toEqual(["M a.txt", "A new", "M to-do.json"]);
  expect(await there.git("status", "--porcelain")).toBe("AM part");
  expect(await stateOf(scratch)).toEqual(main);
});

test("a restore works in a SHA-256 repository and in one without a commit", async ({ scratch }) => {
  const top = join(scratch.top, "..", "fresh");
  for (const format of ["sha1", "sha256"]) {
    mkdirSync(top);
    const fresh = at(scratch, top);
    await fresh.git("init", "-q", `--object-format=${format}`);
    write(fresh, "to-do.json", "{}");
    write(fresh, "part", "1\n");
    await fresh.git("add", "part");
    write(fresh, "part", "2\n");
    write(fresh, "untracked", "person\n");
    const first = await backAndForth(fresh, async () => {
      write(fresh, "new", "agent\n");
      write(fresh, "untracked", "agent\n");
      await fresh.git("rm", "-q", "--cached", "-f", "part");
    });
    expect((await changesOf(fresh, first.commit)).sort()).toEqual(["A new", "A to-do.json", "A untracked"]);
    expect(await fresh.git("log", "--format=%s")).toBe("Do T1");
    await backAndForth(fresh, () => {
      write(fresh, "new", "more\n");
    });
    rmSync(top, { recursive: true });
  }
});

const BY_KIND = "*.txt text eol=crlf\n*.sh text eol=lf\n*.raw -text\n";
const AUTO = "* text=auto\n";

const ENDS: [string[], string][] = [
  [["core.autocrlf", "true"], ""],
  [["core.autocrlf", "true"], AUTO],
  [["core.autocrlf", "true"], BY_KIND],
  [["core.autocrlf", "input"], ""],
  [["core.eol", "crlf"], AUTO],
  [["core.safecrlf", "false"], BY_KIND],
];

for (const [setting, attributes] of ENDS) {
  test(`a restore returns the lines of files, with the line ends of git: ${setting.join(" ")}, .gitattributes ${JSON.stringify(attributes)}`, async ({
    scratch,
  }) => {
    const names = ["lf", "crlf", "mixed"].flatMap((kind) =>
      ["txt", "sh", "raw"].map((end) => `${kind}.${end}`),
    );
    const text = (path: string, word: string): string =>
      path.startsWith("lf")
        ? `${word}\nx\n`
        : path.startsWith("crlf")
          ? `${word}\r\nx\r\n`
          : `${word}\r\nx\n`;
    if (attributes !== "") write(scratch, ".gitattributes", attributes);
    for (const path of names) write(scratch, path, text(path, "committed"));
    await scratch.git("config", ...setting);
    await scratch.commitAll("line ends");
    for (const path of names) write(scratch, `dirty-${path}`, text(path, "untracked"));
    const all = [...names, ...names.map((one) => `dirty-${one}`)];
    const lines = () =>
      all.map((path) => readFileSync(join(scratch.top, path), "utf8").replaceAll("\r\n", "\n"));
    const [before, status] = [lines(), await scratch.git("status", "--porcelain")];
    const repo = await scratch.open();
    const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
    for (const path of all) write(scratch, path, text("lf", "agent"));
    write(scratch, "new.txt", "agent\r\n");
    await restoreTo(repo, { checkpoint: taken, run: "run-1", label: "T1-1" });
    expect(lines()).toEqual(before);
    expect(await scratch.git("status", "--porcelain")).toBe(status);
  });
}

test("a restore works with a filter that leaves pointers in commits and bytes in files", async ({
  scratch,
}) => {
  const store = join(scratch.top, "..", "store");
  mkdirSync(store);
  const clean = join(store, "clean.sh");
  writeFileSync(
    clean,
    `#!/bin/sh\ncat > "${store}/new"\nid=$(git hash-object --stdin < "${store}/new")\nmv "${store}/new" "${store}/$id"\necho "pointer $id"\n`,
  );
  const smudge = join(store, "smudge.sh");
  writeFileSync(smudge, `#!/bin/sh\nread word id\ncat "${store}/$id"\n`);
  for (const file of [clean, smudge]) chmodSync(file, 0o755);
  await scratch.git("config", "filter.big.clean", clean);
  await scratch.git("config", "filter.big.smudge", smudge);
  await scratch.git("config", "filter.big.required", "true");
  write(scratch, ".gitattributes", "*.bin filter=big -text\n");
  write(scratch, "a.bin", "one\r\n\0");
  await scratch.commitAll("big");
  write(scratch, "b.bin", "person\r\n\0");
  const { commit } = await backAndForth(scratch, () => {
    write(scratch, "a.bin", "agent\0");
    write(scratch, "b.bin", "agent\0");
    write(scratch, "c.bin", "agent\0");
  });
  expect(await scratch.git("show", `${commit}:c.bin`)).toMatch(/^pointer [0-9a-f]{40}$/);
  expect(await scratch.git("status", "--porcelain")).toBe("");
});
