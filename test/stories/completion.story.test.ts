// `looper completion` in the shells themselves: what is offered, that it is typed as it is meant, and that nothing of a hostile
// project is ever run. What a shell replaces, and how, only the shell knows.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { CompletionAnswer } from "../../src/ui/shapes/project.js";
import { type Rig, story } from "../rig/rig.js";
import { BIN } from "../rig/program.js";

const has = (program: string): boolean =>
  ["/usr/local/bin", "/usr/bin", "/bin"].some((folder) => existsSync(path.join(folder, program)));

/** A backlog whose every text is a trap. `at`: where a trap that was sprung leaves a file. */
function hostile(rig: Rig): void {
  const at = path.join(rig.root, "sprung");
  const trap = (number: number): string => `touch\${IFS}${at}-${String(number)}`;
  rig.writeBacklog([
    { id: "T1", title: `"quoted" 'twice' $(${trap(1)}) \`${trap(2)}\``, tags: ["two words", "it's"] },
    { id: "T2", title: "a colon: and\na line, \u001b[31mred %F{red}", tags: ["a:b"] },
    { id: "ns:T3", title: "日本", tags: [`; ${trap(3)}`] },
    { id: `$(${trap(4)})`, title: "an id" },
    { id: `\`${trap(5)}\``, title: "another" },
    { id: "--force", title: "looks like a flag" },
  ]);
}

function sprung(rig: Rig): string[] {
  return readdirSync(rig.root).filter((name) => name.startsWith("sprung"));
}

/** `looper` on PATH, as every script wants it. */
function install(rig: Rig): void {
  symlinkSync(BIN, path.join(rig.root, "bin/looper"));
}

function runShell(rig: Rig, shell: string, args: readonly string[]): string {
  return execFileSync(shell, args, { cwd: rig.project, env: rig.env, encoding: "utf8", stdio: "pipe" });
}

/** Returns the answers of the bash function for each line, with the cursor at its end; words are split as bash splits them. */
function inBash(rig: Rig, lines: readonly string[]): string[][] {
  const calls = lines.map((line) => {
    const words = line.split(/(?<=[=:])|(?=[=:])| /).map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    const last = /^[=:]$/.test(line.at(-1) ?? "") ? "''" : words.at(-1);
    return [
      `COMP_WORDS=(${words.join(" ")}) COMP_CWORD=${String(words.length - 1)}`,
      `COMP_LINE='${line.replaceAll("'", "'\\''")}' COMP_POINT=${String(line.length)}`,
      `_looper looper ${last ?? "''"}; printf '%s\\n' "\${COMPREPLY[@]}" ---`,
    ].join("\n");
  });
  const script = `set -u\nsource <(looper completion bash)\n${calls.join("\n")}`;
  const out = runShell(rig, "bash", ["--norc", "--noprofile", "-c", script]);
  return out
    .split("---\n")
    .slice(0, -1)
    .map((part) => part.split("\n").filter((word) => word !== ""));
}

test(
  "bash: commands, flags and tasks",
  story((rig) => {
    install(rig);
    rig.writeBacklog([{ id: "T1" }, { id: "T2", status: "done" }, { id: "ns:T3" }]);
    rig.write(
      "elsewhere/to-do.json",
      JSON.stringify({
        schema_version: 1,
        source_files: [],
        tasks: [{ id: "X1", title: "x", priority: 1, status: "todo" }],
      }),
    );
    const expected: Record<string, string[]> = {
      "looper val": ["validate"],
      "looper help wh": ["why"],
      "looper ls --st": ["--status"],
      "looper --log-f": ["--log-format"],
      "looper run --no-git": ["--no-git-init"],
      "looper why T": ["T1", "T2"],
      "looper why ns:": ["T3"],
      "looper rm T2 T": ["T1"],
      "looper run --task T2": ["T2"],
      "looper -C elsewhere why ": ["X1"],
      "looper why --file elsewhere/to-do.json ": ["X1"],
      "looper why T1 ": [],
      "looper rescue show T": [],
      "looper nothing T": [],
    };
    expect(inBash(rig, Object.keys(expected))).toEqual(Object.values(expected));
    return Promise.resolve();
  }),
);

test(
  "bash: nothing of a hostile backlog is run, not even when what was offered is",
  story((rig) => {
    install(rig);
    hostile(rig);
    const [ids = [], dashed] = inBash(rig, ["looper why ", "looper why -- --"]);
    expect(dashed).toEqual([]);
    expect(ids).toHaveLength(5);
    expect(ids.join("\n")).not.toMatch(/force/);
    // As it would be typed: each is one word, and that word.
    const typed = ids.join(" ");
    const words = runShell(rig, "bash", ["--norc", "-c", `printf '%s\\n' ${typed}`])
      .split("\n")
      .slice(0, -1);
    const known = rig.readBacklog().tasks.map(({ id }) => String(id));
    expect(words).toHaveLength(ids.length);
    expect(words.filter((word) => !known.includes(word))).toEqual([]);
    // The words typed so far are not run either.
    inBash(rig, [`looper why $(touch ${rig.root}/sprung-6) T`, "looper why `touch sprung` T"]);
    expect(sprung(rig)).toEqual([]);
    return Promise.resolve();
  }),
);

/** Types keys into a real interactive zsh, and says what the line became. */
function inZsh(rig: Rig, lines: readonly string[]): string[] {
  const driver = [
    "zmodload zsh/zpty",
    "zpty z 'exec zsh -f -i'",
    "pid=${${$(zpty)[1]#\\(}%\\)}",
    "ask() { zpty -w -n z $1; zpty -r z REPLY $2 }",
    // Keys typed before the editor is there may be lost. It is echoed, too: the pattern is in no line as it stands.
    `ask $'PS1=; autoload -Uz compinit; compinit -u -d ${rig.root}/zdump; eval "$(looper completion zsh)"; show() { print -r -- "[""[$BUFFER]""]"; BUFFER= }; zle -N show; bindkey "^G" show; zle-line-init() { print rea""dy }; zle -N zle-line-init\\n' '*ready*'`,
    ...lines.flatMap((line) => [
      `ask ${quote(`${line}\t\u0007`)} '*\\[\\[*\\]\\]*'`,
      "print -r -- ${${REPLY##*\\[\\[}%%\\]\\]*}",
    ]),
    "zpty -d z",
    // It is told to end, and takes its time.
    "while kill -0 $pid; do :; done 2>/dev/null",
  ];
  return runShell(rig, "zsh", ["-f", "-c", driver.join("\n")])
    .split("\n")
    .slice(0, -1);
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

test.skipIf(!has("zsh"))(
  "zsh: words are completed in its own quoting, with titles beside them, and nothing is run",
  story((rig) => {
    install(rig);
    hostile(rig);
    const expected = {
      "looper val": "looper validate ",
      "looper ls --stat": "looper ls --status ",
      "looper why n": "looper why ns:T3 ",
      "looper why ns:": "looper why ns:T3 ",
      'looper why "ns': 'looper why "ns:T3" ',
      "looper why ": "looper why ",
      "looper fmt to-": "looper fmt to-do.json ",
    };
    expect(inZsh(rig, Object.keys(expected))).toEqual(Object.values(expected));
    const [id = ""] = inZsh(rig, ["looper why \\$\\("]);
    expect(id).toMatch(/^looper why \\\$\\\(touch/);
    expect(sprung(rig)).toEqual([]);
    return Promise.resolve();
  }),
);

test.skipIf(!has("fish"))(
  "fish: words, with what they are",
  story((rig) => {
    install(rig);
    hostile(rig);
    const ask = (line: string): string =>
      runShell(rig, "fish", ["-N", "-c", "looper completion fish | source; complete -C $argv[1]", line]);
    expect(ask("looper why n")).toBe("ns:T3\t日本\n");
    expect(ask("looper fmt to-")).toBe("to-do.json\n");
    expect(ask("looper why T2")).toBe("T2\ta colon: and a line, red %F{red}\n");
    expect(sprung(rig)).toEqual([]);
    return Promise.resolve();
  }),
);

test(
  "a Tab never fails, says no error, writes nothing and runs nothing, whatever is wrong",
  story(async (rig) => {
    const ask = (...words: string[]) => rig.run(["__complete", "zsh", "--", ...words]);
    const nothing = { code: 0, stdout: "", stderr: "" };
    rig.write(".config/config.js", "require('fs').writeFileSync('sprung', '')");
    rig.write(".looper/config.js", "require('fs').writeFileSync('sprung', '')");
    rig.write("to-do.json", '{"schema_version": 1, "tasks": [{');
    expect(await ask("why", "")).toMatchObject(nothing);
    expect((await rig.run(["completion", "bash"])).code).toBe(0);
    rig.write(".looper/config.json", '{"loop": {"max_atempts": 3}}');
    rig.writeBacklog([{ id: "T1" }]);
    expect(await ask("why", "")).toMatchObject(nothing);
    expect(await ask("run", "--agent", "")).toMatchObject(nothing);
    expect((await ask("comp")).stdout).toMatch(/^complete\t.+\ncompletion\t.+\n$/);
    expect((await rig.run(["completion", "fish"])).code).toBe(0);
    execFileSync("rm", [path.join(rig.project, "to-do.json"), path.join(rig.project, ".looper/config.json")]);
    execFileSync("mkfifo", [path.join(rig.project, "to-do.json")]);
    expect(await ask("why", "")).toMatchObject(nothing);
    expect(await ask("-C", "no-such-folder", "why", "")).toMatchObject(nothing);
    expect(await rig.run(["__complete", "tcsh", "--", "x"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(readdirSync(rig.project).sort()).toEqual([".config", ".looper", "to-do.json"]);
    expect(readdirSync(path.join(rig.root, "home"))).toEqual([]);
  }),
);

test(
  "a shell has to be named, and one that is known; --json says it to programs",
  story(async (rig) => {
    const none = await rig.run(["completion"], { env: { SHELL: "/usr/bin/zsh" } });
    expect([none.code, none.stdout]).toEqual([2, ""]);
    expect(none.stderr).toMatch(/bash, zsh, fish\)\n.*looper completion zsh`/);
    const near = await rig.run(["completion", "zhs"]);
    expect([near.code, near.stderr]).toEqual([2, expect.stringContaining("did you mean zsh?")]);
    expect(await rig.run(["completion", "Bash"])).toMatchObject({ code: 0, stderr: "" });
    const { stdout } = await rig.run(["completion", "fish", "--json"]);
    const answer = CompletionAnswer.parse(JSON.parse(stdout));
    expect(answer.shell).toBe("fish");
    expect(answer.script).toContain("complete -c looper -f -k");
  }),
);
