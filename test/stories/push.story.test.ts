// A release: an agent prepares it, the runner verifies it, makes it, and pushes it only when the user says so.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { PushAnswer } from "../../src/ui/shapes/project.js";
import type { Puppet, Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

const CHANGES = "# Changes\n\n## 1.2.0\n\n- The first flag.\n";
const LOCK = { name: "p", version: "1.2.0", packages: { "": { name: "p", version: "1.2.0" } } };
const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
const at = (turn: Turn, name: string) => `${turn.hello.cwd}/${name}`;

/** Files of a project of this version, as an agent leaves them. */
function filesOf(version: string): Record<string, string> {
  return {
    "package.json": json({ name: "p", version, dependencies: { q: "^1.2.0" } }),
    "package-lock.json": json({ ...LOCK, version, packages: { "": { name: "p", version } } }),
    "src/version.ts": `export const VERSION = "${version}";\n`,
  };
}

const entry = (version: string) =>
  CHANGES.replace("## 1.2.0", `## ${version}\n\n- A second flag.\n\n## 1.2.0`);

/** A project at 1.2.0 with one commit since, a remote beside it, and one check. */
async function project(rig: Rig, { remote = true, check = "sh check.sh" } = {}): Promise<Puppet> {
  writeFileSync(
    path.join(rig.root, "gitconfig"),
    "[init]\n\tdefaultBranch = main\n[user]\n\tname = Person\n\temail = person@example.org\n",
  );
  const puppet = await rig.agent({}, { verify: { commands: check === "" ? [] : [check] } });
  for (const [name, text] of Object.entries(filesOf("1.2.0"))) rig.write(name, text);
  rig.write("CHANGELOG.md", CHANGES);
  rig.write("check.sh", "test ! -e red\n");
  rig.write("main.js", "// 1.2.0 of nothing\n");
  rig.write(".gitignore", "looper-logs/\n.looper/\n");
  rig.gitInit();
  rig.git("tag", "-a", "-m", "v1.2.0", "v1.2.0");
  if (remote) {
    bare(rig, "init", "-q", "--bare");
    rig.git("remote", "add", "origin", path.join(rig.root, "remote.git"));
    rig.git("push", "-q", "-u", "origin", "main", "--tags");
  }
  rig.write("main.js", "// 1.2.0 of something\n");
  rig.git("commit", "-qam", "A second flag");
  return puppet;
}

/** Git at the remote. */
function bare(rig: Rig, ...args: string[]): string {
  const place = ["--git-dir", path.join(rig.root, "remote.git")];
  return execFileSync("git", [...place, ...args], { env: rig.env, encoding: "utf8", stdio: "pipe" }).trim();
}

const tagsThere = (rig: Rig) => bare(rig, "tag").split("\n");
const head = (rig: Rig) => rig.git("rev-parse", "HEAD").trim();

/** Does what a good agent does, and `more`. */
function honest(puppet: Puppet, version: string, more?: (turn: Turn) => Promise<unknown>): string[] {
  const prompts: string[] = [];
  puppet.play(async (turn) => {
    prompts.push(turn.hello.prompt);
    for (const [name, text] of Object.entries(filesOf(version))) await turn.write(at(turn, name), text);
    await turn.write(at(turn, "CHANGELOG.md"), entry(version));
    await more?.(turn);
    await turn.exit(0, "done\n");
  });
  return prompts;
}

async function pushJson(rig: Rig, ...args: string[]) {
  const ran = await rig.run(["push", "--json", ...args]);
  const answer = PushAnswer.parse(
    JSON.parse(ran.stdout === "" ? `{"outcome": ${JSON.stringify(ran.stderr)}}` : ran.stdout),
  );
  return { ...ran, answer };
}

/** Tree, refs and index, to be held against each other. */
function standOf(rig: Rig): unknown {
  const refs = rig.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags");
  const files = ["package.json", "package-lock.json", "CHANGELOG.md", "main.js", "src/version.ts"];
  return [refs, rig.git("status", "--porcelain"), files.map((name) => rig.read(name))];
}

/** A release that came to nothing: exit 1, and the tree as before, what the agent did put aside. */
async function refused(rig: Rig, words: RegExp, ...args: string[]) {
  const before = standOf(rig);
  const { code, answer, stderr } = await pushJson(rig, "-y", ...args);
  expect({ code, outcome: answer.outcome }, stderr).toEqual({ code: 1, outcome: "not-released" });
  expect(standOf(rig)).toEqual(before);
  if (answer.outcome === "planned") throw new Error("it was only planned");
  expect(answer.problems.join("\n")).toMatch(words);
  return answer;
}

/** Looks at the release to be made, and holds every byte and ref against what was there. */
async function dryRun(rig: Rig): Promise<void> {
  const all = () =>
    execFileSync("find", [rig.project, rig.root, "-type", "f", "-newer", path.join(rig.root, "mark")], {
      encoding: "utf8",
    });
  const refs = () => rig.git("for-each-ref");
  const before = refs();
  writeFileSync(path.join(rig.root, "mark"), "");
  const { code, stdout } = await rig.run(["push", "minor", "--dry-run"]);
  const { answer } = await pushJson(rig, "--dry-run");
  expect(code).toBe(0);
  expect(stdout).toContain("1 commit since v1.2.0");
  expect(stdout).toContain("You prepare a release of a project.");
  expect(answer).toMatchObject({
    ...{ outcome: "planned", from: "1.2.0", wanted: null, last_tag: "v1.2.0", commits: 1, agent: "fake" },
    ...{ changelog: "CHANGELOG.md", branch: "main", version_file: "package.json", checks: ["sh check.sh"] },
  });
  expect(all()).toBe("");
  expect(refs()).toBe(before);
  expect(existsSync(path.join(rig.project, "looper-logs"))).toBe(false);
}

test(
  "an honest release: one commit, one tag, both pushed; the prompt says what changed, and where the version stands; --dry-run tells all of it and leaves everything as it is",
  story(async (rig) => {
    const puppet = await project(rig);
    const prompts = honest(puppet, "1.3.0");
    await dryRun(rig);
    expect(prompts).toHaveLength(0);
    const before = head(rig);
    const { code, answer, stderr } = await pushJson(rig, "-y");
    expect(code, stderr).toBe(0);
    expect(answer).toMatchObject({
      ...{ outcome: "released", from: "1.2.0", version: "1.3.0", tag: "v1.3.0", commit: head(rig) },
      ...{ pushed: true, published: null, rescue: null, problems: [] },
    });
    expect(rig.git("rev-parse", "HEAD~1").trim()).toBe(before);
    expect(rig.git("log", "-1", "--format=%B")).toMatch(
      /^Release 1\.3\.0\n\n- A second flag\.\n\nLooper-Release: v1\.3\.0\nLooper-Run: \S+\nLooper-Agent: fake\n/,
    );
    expect(rig.git("status", "--porcelain")).toBe("");
    expect([bare(rig, "rev-parse", "main"), bare(rig, "rev-parse", "v1.3.0^{}")]).toEqual([
      head(rig),
      head(rig),
    ]);
    const [prompt = ""] = prompts;
    expect(prompt).toContain("The current version is `1.2.0`");
    expect(prompt).toContain("`package.json` names it");
    expect(prompt).toContain("A second flag");
    expect(prompt).toContain("since `v1.2.0`");
    expect(prompt).toContain("The first flag.");
    expect(rig.unfinished()).toBe("");
    // The same again: nothing is left to release.
    const again = await rig.run(["push", "-y"]);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining("nothing was committed since v1.3.0"),
    ]);
  }),
);

test(
  "a push needs -y without a terminal; what a remote refused stays here, and a person pushes it",
  story(async (rig) => {
    const puppet = await project(rig);
    const prompts = honest(puppet, "1.2.1");
    const before = standOf(rig);
    const alone = await rig.run(["push", "patch"]);
    expect([alone.code, alone.stdout]).toEqual([2, ""]);
    expect(alone.stderr).toBe(
      "looper: confirmation needed: pass -y\n  without a terminal: a release is pushed to origin\n",
    );
    expect([prompts, rig.runs(), standOf(rig)]).toEqual([[], [], before]);
    const hook = path.join(rig.root, "remote.git/hooks/pre-receive");
    writeFileSync(hook, "#!/bin/sh\necho no releases on a Friday >&2\nexit 1\n", { mode: 0o755 });
    const first = await rig.run(["push", "patch", "-y"]);
    expect([first.code, first.stdout]).toEqual([
      1,
      expect.stringContaining("made 1.2.1 (was 1.2.0): v1.2.1 at"),
    ]);
    expect(first.stderr).toContain("no releases on a Friday");
    expect(first.stderr).toContain("by hand: git push --atomic origin main v1.2.1");
    expect(tagsThere(rig)).toEqual(["v1.2.0"]);
    const again = await rig.run(["push", "-y"]);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining("nothing was committed since v1.2.1"),
    ]);
    // As if it had been killed between the commit and its tag.
    rig.git("tag", "-d", "v1.2.1");
    const untagged = await rig.run(["push", "-y"]);
    expect([untagged.code, untagged.stderr]).toEqual([
      1,
      expect.stringContaining("the last commit is the release v1.2.1, which has no tag"),
    ]);
    expect(prompts).toHaveLength(1);
  }),
);

exhaustively(
  "without a remote the release stays here, and that is all there was to do",
  story(async (rig) => {
    const puppet = await project(rig, { remote: false });
    honest(puppet, "1.3.0");
    const { code, stdout } = await rig.run(["push"]);
    expect(code).toBe(0);
    expect(stdout).toContain("not pushed: no remote");
    expect(rig.git("remote")).toBe("");
    expect(rig.git("rev-parse", "v1.3.0^{}").trim()).toBe(head(rig));
  }),
);

test(
  "an agent that commits and tags by itself: both are put aside, and the runner makes its own",
  story(async (rig) => {
    const puppet = await project(rig);
    const before = head(rig);
    honest(puppet, "1.3.0", (turn) =>
      turn.shell("git commit -qam mine && git tag v1.3.0 && git tag -f v1.2.0 && git tag nightly"),
    );
    const { code, answer, stderr } = await pushJson(rig, "-y");
    expect(code, stderr).toBe(0);
    expect(answer).toMatchObject({ outcome: "released", tag: "v1.3.0" });
    expect(rig.git("log", "--format=%s", `${before}..HEAD`).trim()).toBe("Release 1.3.0");
    expect(rig.git("tag").trim().split("\n")).toEqual(["v1.2.0", "v1.3.0"]);
    expect(rig.git("rev-parse", "v1.2.0^{}").trim()).toBe(bare(rig, "rev-parse", "v1.2.0^{}"));
    const kept = rig.git("for-each-ref", "--format=%(refname)", "refs/looper/rescue");
    expect(kept).toMatch(/\/push\n/);
    expect(stderr).toMatch(/made the tag nightly: put back; it was [0-9a-f]{40}/);
  }),
);

test(
  "an agent that pushes the branch by itself is found out",
  story(async (rig) => {
    const puppet = await project(rig);
    honest(puppet, "1.3.0", (turn) => turn.shell("git commit -qam mine && git push -q origin main"));
    await refused(rig, /the agent pushed to origin\/main/);
  }),
);

test(
  "a release that cannot begin is refused with the reason before an agent starts",
  story(async (rig) => {
    const puppet = await project(rig);
    const prompts = honest(puppet, "1.3.0");
    const saying = async (words: RegExp, code: number, ...args: string[]) => {
      const ran = await rig.run(["push", ...args]);
      expect([ran.code, ran.stdout], ran.stderr).toEqual([code, ""]);
      expect(ran.stderr).toMatch(words);
      expect(ran.stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
    };
    await saying(/1\.1\.0 is not greater than the current version 1\.2\.0/, 1, "1.1.0", "-y");
    await saying(/mayor is not a version; allowed: patch, minor, major/, 2, "mayor");
    await saying(/no agent is called "nobody"/, 2, "--agent", "nobody");
    rig.write("note.txt", "mine\n");
    await saying(/the working tree is not clean: note\.txt\n/, 1, "-y");
    rig.git("add", "note.txt");
    await saying(/the working tree is not clean: note\.txt\n/, 1, "-y");
    rig.git("commit", "-qm", "note");
    rig.git("switch", "-q", "--detach");
    await saying(/HEAD is on no branch/, 1, "-y");
    rig.git("switch", "-q", "main");
    rig.git("push", "-q", "origin", "main");
    rig.git("reset", "-q", "--hard", "HEAD~1");
    rig.git("update-ref", "-d", "refs/remotes/origin/main");
    await saying(/cannot push to origin \(.*remote\.git\): ! \[rejected\]/, 3, "-y");
    rig.git("remote", "set-url", "origin", path.join(rig.root, "nowhere.git"));
    await saying(/cannot push to origin \(.*nowhere\.git\): .*nowhere\.git/, 3, "-y");
    expect(prompts).toHaveLength(0);
    expect(rig.runs()).toEqual([]);
  }),
);

exhaustively(
  "nothing checks it: without a person's word, or -y, it is not begun",
  story(async (rig) => {
    const puppet = await project(rig, { check: "" });
    honest(puppet, "1.3.0");
    const { code, stderr } = await rig.run(["push"]);
    expect(code).toBe(2);
    expect(stderr).toContain("confirmation needed: pass -y");
    expect(stderr).toContain("nothing checks this release");
    expect(rig.runs()).toEqual([]);
    const agreed = await rig.run(["push", "-y"]);
    expect(agreed.code, agreed.stderr).toBe(0);
    expect(agreed.stderr).toContain("nothing checks this release");
  }),
);

test(
  "gh publishes what is pushed, with the changelog's entry as its notes",
  story(async (rig) => {
    const puppet = await project(rig);
    honest(puppet, "2.0.0-rc.1");
    const url = "https://github.com/some/where.git";
    const insteadOf = `[url "${path.join(rig.root, "remote.git")}"]\n\tinsteadOf = ${url}\n`;
    writeFileSync(
      path.join(rig.root, "gitconfig"),
      readFileSync(path.join(rig.root, "gitconfig"), "utf8") + insteadOf,
    );
    rig.git("remote", "set-url", "origin", url);
    const told = path.join(rig.root, "told");
    const script = `#!/bin/sh\necho "$@" >> "${told}"\ncase "$2" in view) exit 1;; create) cat >> "${told}"; echo https://github.com/some/where/releases/1;; esac\n`;
    writeFileSync(path.join(rig.root, "bin/gh"), script, { mode: 0o755 });
    const { code, answer, stderr } = await pushJson(rig, "-y");
    expect(code, stderr).toBe(0);
    expect(answer).toMatchObject({
      outcome: "released",
      published: "https://github.com/some/where/releases/1",
    });
    expect(readFileSync(told, "utf8").split("\n")).toEqual([
      "release create v2.0.0-rc.1 --repo some/where --title v2.0.0-rc.1 --verify-tag --notes-file - --prerelease",
      "- A second flag.",
    ]);
  }),
);

test(
  "a release that is not valid, whose checks are red before or after, that Ctrl-C ends or that is killed leaves the tree as before; the next one is made",
  story(async (rig) => {
    const check = `test ! -e ../red && echo left > trace && { test ! -e ../still || grep -q '"version": "1.2.0"' package.json; }`;
    const puppet = await project(rig, { check });
    const red = path.join(rig.root, "red");
    writeFileSync(red, "");
    await refused(rig, /fails, before anything was changed/);
    rmSync(red);
    const still = path.join(rig.root, "still");
    writeFileSync(still, "");
    // An agent that was started above would have waited for its part until now, and have a prompt too.
    const prompts = honest(puppet, "2.0.0");
    await refused(rig, /fails, with the release in the tree/);
    expect(prompts).toHaveLength(1);
    expect(existsSync(path.join(rig.project, "trace"))).toBe(false);
    rmSync(still);

    honest(puppet, "1.3.0", (turn) =>
      turn.write(at(turn, "package.json"), filesOf("1.2.0")["package.json"] ?? ""),
    );
    const forgot = await refused(rig, /no version was raised: it is still 1\.2\.0 in package\.json/);
    expect(rig.git("show", `${forgot.rescue ?? ""}:package-lock.json`)).toContain("1.3.0");
    honest(puppet, "1.3.0", (turn) => turn.write(at(turn, "evil.sh"), "steal\n"));
    await refused(rig, /not part of a release: evil\.sh/, "minor");
    expect(tagsThere(rig)).toEqual(["v1.2.0"]);

    const before = standOf(rig);
    for (const end of ["SIGINT", "SIGKILL"] as const) {
      const half = new Promise<Turn>((resolve) => {
        puppet.play(async (turn) => {
          await turn.write(at(turn, "package.json"), "half\n");
          resolve(turn);
          await turn.gone;
        });
      });
      const program = rig.start(["push", "-y"]);
      await half;
      if (end === "SIGKILL") await program.kill("group");
      else {
        program.signal("SIGINT");
        expect((await program.ended).code).toBe(130);
        expect(standOf(rig)).toEqual(before);
        expect(rig.leftovers()).toEqual([]);
        expect(rig.git("for-each-ref", "refs/looper/rescue")).toContain("/push");
      }
    }
    honest(puppet, "1.3.0");
    const { code, answer, stderr } = await pushJson(rig, "-y");
    expect(code, stderr).toBe(0);
    expect(answer).toMatchObject({
      outcome: "released",
      warnings: expect.arrayContaining([expect.stringContaining("a release was killed")]) as unknown,
    });
    expect(rig.git("show", "HEAD:package.json")).toContain('"1.3.0"');
  }),
);
