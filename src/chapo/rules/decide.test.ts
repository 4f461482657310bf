import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { Subject } from "../tool.js";
import { decide } from "./decide.js";
import type { PermissionMode } from "../../config/settings/modes.js";
import { readRules } from "./read-rules.js";
import { PUSHES } from "../testing/pushes.js";

type Lists = Parameters<typeof readRules>[0];

function judged(lists: Lists, tool: string, subjects: Subject[], mode: PermissionMode = "default") {
  const { rules, problems } = readRules(lists, "/project");
  expect(problems).toEqual([]);
  const changes = !/read|grep|fetch|search/i.test(tool);
  return decide(rules, mode, { tool, changes, subjects });
}

function ofCommand(lists: Lists, text: string, mode?: PermissionMode) {
  return judged(lists, "bash_execute", [{ kind: "command", text }], mode).verdict;
}

function ofPath(lists: Lists, tool: string, ...paths: string[]) {
  const use = /read|grep/i.test(tool) ? "read" : "write";
  return judged(
    lists,
    tool,
    paths.map((one) => ({ kind: "path", path: one, use })),
    "default",
  ).verdict;
}

const DENY_PUSH: Lists = { deny: ["Bash(git push *)"] };
const ALLOW_TEST: Lists = { allow: ["Bash(npm test *)"] };

describe("the lists", () => {
  test("deny takes precedence over ask, and ask over allow, in every mode", () => {
    const all: Lists = { allow: ["Bash(git push origin x)"], ask: ["Bash(git push *)"], deny: ["Bash"] };
    expect(ofCommand(all, "git push origin x")).toBe("deny");
    expect(ofCommand({ ...all, deny: [] }, "git push origin x")).toBe("ask");
    expect(ofCommand({ ...all, deny: [], ask: [] }, "git push origin x")).toBe("allow");
    expect(ofCommand(all, "ls", "trusted")).toBe("deny");
    expect(ofCommand({ allow: ["Bash"], ...DENY_PUSH }, "git push", "trusted")).toBe("deny");
  });

  test("without rules, trusted allows every call and default asks about changes", () => {
    expect(ofCommand({}, "rm -rf x", "trusted")).toBe("allow");
    expect(ofCommand({}, "ls")).toBe("ask");
    expect(ofPath({}, "fs_readFile", "a")).toBe("allow");
    expect(ofPath({}, "fs_edit", "a")).toBe("ask");
  });

  test("a decision names its rule", () => {
    const decision = judged(DENY_PUSH, "bash_execute", [{ kind: "command", text: "git push" }], "trusted");
    expect(decision.rule).toBe("Bash(git push *)");
    expect(decision.because).toContain("deny Bash(git push *)");
  });

  test.each(["Bash", "bash_execute", "bash_*", "bash.execute", "BASH", "*"])(
    "the name %s means the shell",
    (name) => {
      expect(ofCommand({ deny: [name] }, "ls", "trusted")).toBe("deny");
      expect(ofCommand({ deny: [`${name}(ls *)`] }, "ls -l", "trusted")).toBe("deny");
      expect(ofCommand({ deny: [`${name}(ls *)`] }, "lsof", "trusted")).toBe("allow");
    },
  );

  test("a star names the tools of an MCP server, also of a missing one", () => {
    expect(judged({ deny: ["mcp_srv_*"] }, "mcp_srv_write", [], "trusted").verdict).toBe("deny");
    expect(judged({ deny: ["mcp_srv_*"] }, "mcp_other_write", [], "trusted").verdict).toBe("allow");
  });

  test("a rule against a command also applies to the tool for it", () => {
    const pushes = (name: string) =>
      judged(DENY_PUSH, "git_push", [{ kind: "name", name }], "trusted").verdict;
    expect([pushes(""), pushes("origin main")]).toEqual(["deny", "deny"]);
    const runs = (name: string) =>
      judged({ ask: ["Bash(npm run deploy)"] }, "npm_run", [{ kind: "name", name }], "trusted").verdict;
    expect([runs("deploy"), runs("test")]).toEqual(["ask", "allow"]);
    expect(judged({ deny: ["Bash"] }, "git_push", [], "trusted").verdict).toBe("allow");
    expect(judged({ allow: ["Bash(git push)"] }, "git_push", []).verdict).toBe("ask");
  });

  test("a rule can name a tool that only some sessions have", () => {
    expect(judged({ deny: ["mcp_own_tool"] }, "mcp_own_tool", [], "trusted").verdict).toBe("deny");
    expect(judged({ deny: ["pm2_*"] }, "pm2_reloadAll", [], "trusted").verdict).toBe("deny");
  });

  test.each([
    ["Bash(", "is not a rule"],
    ["Bahs(npm test)", "no tool is called Bahs"],
    ["fs_nothing", "no tool is called fs_nothing"],
    ["Bash()", "empty pattern"],
    ["Bash(cd x && npm test)", "not a single plain command"],
    ["Bash(npm test > x)", "not a single plain command"],
    ["Bash(echo 'x)", "not a single plain command"],
    ["Bash(echo $HOME)", "only a shell can resolve"],
    ["fs_edit(~/x)", "begins with ~"],
    ["fs_edit({a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b})", "more than 100"],
    ["x".repeat(2_000), "is not a rule"],
  ])("the rule %s is reported as invalid", (rule, problem) => {
    const { problems } = readRules({ deny: [rule] }, "/project");
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("rules.deny");
    expect(problems[0]).toContain(problem);
  });
});

describe("a rule that allows commands", () => {
  test.each([
    ["Bash(npm test)", "npm test"],
    ["Bash(npm test)", "npm  'test'"],
    ["Bash(npm test *)", "npm test"],
    ["Bash(npm test *)", "npm test -- --grep 'a b' $X src/*.ts"],
    ["Bash(npm run test:*)", "npm run test:unit -- x"],
    ["Bash(npm run test:*)", "npm run test"],
    ["Bash(npm test)", "npm test 2>&1 >/dev/null"],
    ["Bash(npm test)", "npm test && npm test; (npm test)"],
    ["Bash(timeout 60 npm test)", "timeout 60 npm test"],
    ["Bash(CI=1 npm test)", "CI=1 npm test"],
    ["Bash(npx vitest *)", "npx vitest run src"],
    ["Bash(git commit -m 'a b')", 'git commit -m "a b"'],
    ["Bash(ls *)", "for f in a b; do ls $f; done"],
    ["Bash(*)", "anything | at all $("],
  ])("the rule %s allows: %s", (rule, text) => {
    expect(ofCommand({ allow: [rule] }, text)).toBe("allow");
  });

  test.each([
    "npm test; rm x",
    "npm test && rm x",
    "npm test | rm x",
    "npm test & rm x",
    "npm test\nrm x",
    "npm test $(rm x)",
    "npm test `rm x`",
    'npm test "$(rm x)"',
    "npm test <(rm x)",
    "npm test > out",
    "npm test <<E\n$(rm x)\nE",
    "PATH=/evil npm test",
    "npm() { rm x; }; npm test",
    "sudo npm test",
    "timeout 5 rm -rf npm test",
    "xargs npm test",
    "sh -c 'npm test'",
    "eval npm test",
    "sh -c 'npm test; rm x'",
    'sh -c "npm test $X"',
    "./npm test",
    "$X npm test",
    "npmtest",
    "npm testing",
    "npm 'test x'",
    "npm test 'x",
    "npm test <<E\nx",
    "npm test \0",
    "[[ x -eq 'y[$(rm x)]' ]]; npm test",
    "[[ -v 'y[$(rm x)]' ]]; npm test",
    "for y in 'a[$(rm x)]'; do npm test; done",
    "npm test ${y:='a[$(rm x)]'} $((y))",
    "for PATH in bin; do npm test; done",
    `npm test ${"x".repeat(60_000)}`,
    "sh",
    "",
    "# npm test",
  ])("the rule npm test * does not allow: %s", (text) => {
    expect(ofCommand(ALLOW_TEST, text)).toBe("ask");
  });

  test("several rules together allow one text", () => {
    expect(ofCommand({ allow: ["Bash(cd src)", "Bash(npm test)"] }, "cd src && npm test")).toBe("allow");
  });

  test("a find that runs a command is only allowed by an exact rule", () => {
    expect(ofCommand({ allow: ["Bash(find *)"] }, "find . -name x")).toBe("allow");
    expect(ofCommand({ allow: ["Bash(find *)"] }, "find . -exec rm {} +")).toBe("ask");
  });
});

describe("a rule against a command", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "rules-"));
    writeFileSync(path.join(folder, "git"), '#!/bin/sh\necho "$*" >> "$OUT"\n', { mode: 0o755 });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test.each(PUSHES)("finds the command that bash runs: %s", async (text) => {
    expect(ofCommand(DENY_PUSH, text, "trusted")).not.toBe("allow");
    const ports = nodePorts();
    const out = path.join(folder, ports.random.hex(8));
    const env = { PATH: `${folder}:/usr/bin:/bin`, OUT: out, STUBS: folder };
    await ports.processes.run(
      { command: "bash", args: ["-c", text], cwd: folder, env },
      { timeoutMs: 10_000 },
    );
    const ran = new TextDecoder().decode(await ports.files.read(out));
    expect(ran, "the text is not an example: bash does not push").toMatch(/\bpush\b/);
  });

  test("a plain command is refused without a question", () => {
    for (const text of PUSHES.slice(0, 30)) expect(ofCommand(DENY_PUSH, text, "trusted")).toBe("deny");
  });

  test.each([
    "git status",
    "git stash push",
    "echo 'git push'",
    'git commit -m "then git push"',
    "echo git push",
    "grep -r 'git push' .",
    "git log --grep push",
    "cat <<'E'\ngit push\nE",
    "ls # git push",
    "npm test -- $X",
    "node -e 'x'",
    "bash script.sh $X",
    "echo hi > push",
    "alias ll='ls -l' la; alias",
  ])("does not apply to: %s", (text) => {
    expect(ofCommand(DENY_PUSH, text, "trusted")).toBe("allow");
  });
});

describe("paths, URLs, names", () => {
  test("a rule that allows a path matches only that path", () => {
    const allow = ["Edit(src/**)", "Edit(README.md)", "Edit(docs/*.{md,txt})"];
    for (const one of ["src/a.ts", "src/a/b.ts", "./src/a", "/project/src/a", "README.md", "docs/a.txt"])
      expect(ofPath({ allow }, "fs_edit", one), one).toBe("allow");
    for (const one of [
      "src/../a",
      "srcs/a",
      "docs/x/README.md",
      "docs/a/b.md",
      "/src/a",
      "../project2/src/a",
      "docs/a.js",
    ])
      expect(ofPath({ allow }, "fs_edit", one), one).toBe("ask");
    expect(ofPath({ allow }, "fs_delete", "src/a.ts")).toBe("ask");
  });

  test("every path of a call must be allowed, and one denied path refuses it", () => {
    expect(ofPath({ allow: ["Edit(a)", "Edit(b)"] }, "fs_multiEdit", "a", "b")).toBe("allow");
    expect(ofPath({ allow: ["Edit(a)"] }, "fs_multiEdit", "a", "b")).toBe("ask");
    expect(ofPath({ allow: ["Edit"], deny: ["Edit(b)"] }, "fs_multiEdit", "a", "b")).toBe("deny");
  });

  test("a rule against a file applies in any folder, to everything below it and to equivalent tools", () => {
    expect(ofPath({ deny: ["Read(.env*)"] }, "fs_readFile", "a/.env.local")).toBe("deny");
    expect(ofPath({ deny: ["Read(secrets)"] }, "fs_readFile", "secrets/deep/key")).toBe("deny");
    expect(ofPath({ deny: ["Read(secrets/**)"] }, "fs_grep", "secrets")).toBe("deny");
    expect(ofPath({ deny: ["Edit(conf/prod.yml)"] }, "fs_delete", "conf")).toBe("deny");
    expect(ofPath({ deny: ["Edit(conf/prod.yml)"] }, "fs_writeFile", "./conf/x/../prod.yml")).toBe("deny");
    expect(ofPath({ deny: ["Read(/etc/**)"] }, "fs_readFile", "../etc/passwd")).toBe("deny");
    expect(ofPath({ deny: ["Read(.env*)"] }, "fs_readFile", "a/env")).toBe("allow");
  });

  test("a rule that allows a domain is exact, and a rule against one includes subdomains", () => {
    const fetched = (lists: Lists, url: string) => {
      const { rules } = readRules(lists, "/project");
      return decide(rules, "default", { tool: "web_fetch", changes: true, subjects: [{ kind: "url", url }] })
        .verdict;
    };
    const allow = ["WebFetch(domain:example.org)", "WebFetch(https://docs.example.net/*)"];
    expect(fetched({ allow }, "https://EXAMPLE.org./x")).toBe("allow");
    expect(fetched({ allow }, "https://docs.example.net/a/b")).toBe("allow");
    for (const url of [
      "https://a.example.org",
      "https://example.org@evil.net/",
      "https://docs.example.net.evil.net/",
      "x",
    ])
      expect(fetched({ allow }, url)).toBe("ask");
    expect(fetched({ deny: ["WebFetch(domain:example.org)"] }, "http://a.example.org:8080/")).toBe("deny");
    expect(fetched({ deny: ["WebFetch(domain:example.org)"] }, "http://notexample.org/")).toBe("ask");
  });

  test("a rule matches names with a star", () => {
    const name = (text: string): Subject[] => [{ kind: "name", name: text }];
    expect(judged({ deny: ["git_push(origin main)"] }, "git_push", name("origin main")).verdict).toBe("deny");
    expect(judged({ allow: ["npm_run(test*)"] }, "npm_run", name("test:unit")).verdict).toBe("allow");
    expect(judged({ allow: ["npm_run(test*)"] }, "npm_run", []).verdict).toBe("ask");
  });
});

describe("laws", () => {
  const commands = fc.constantFrom(...PUSHES.slice(0, 60));
  const others = fc.constantFrom("ls", "npm test", "echo 'a'", "x=1", "true", "cat <<E\nx\nE");
  const around = fc.constantFrom<(text: string, other: string) => string>(
    (text, other) => `${text}\n${other}`,
    (text, other) => `${other}\n${text}`,
    (text) => `(${text}\n)`,
    (text) => `{ ${text}\n}`,
    (text) => `if ${text}\nthen :; fi`,
    (text) => `f() {\n${text}\n}\nf`,
    (text) => `echo "$(${text}\n)"`,
    (text) => `sh -c '${text.replaceAll("'", "'\\''")}'`,
    (text) => `sudo env A=1 bash -c '${text.replaceAll("'", "'\\''")}'`,
    (text) => `eval '${text.replaceAll("'", "'\\''")}'`,
  );

  test("a denied command stays denied with anything around or beside it", () => {
    fc.assert(
      fc.property(commands, fc.array(fc.tuple(around, others), { maxLength: 3 }), (text, layers) => {
        const whole = layers.reduce((inner, [wrap, other]) => wrap(inner, other), text);
        expect(ofCommand({ ...DENY_PUSH, allow: ["Bash"] }, whole, "trusted"), whole).not.toBe("allow");
      }),
      { numRuns: 1_000 },
    );
  });

  test("an allowed text with a further command that is not allowed is no longer allowed", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(around, fc.constant("rm x")), { maxLength: 3 }), (layers) => {
        const whole = layers.reduce((inner, [wrap, other]) => wrap(inner, other), "npm test\nrm x");
        expect(ofCommand(ALLOW_TEST, whole), whole).toBe("ask");
      }),
    );
  });

  test("any text gets a decision, and a text of random characters is not allowed by a pattern", () => {
    const letters = Array.from("$(){}[]<>|&;'\"`\\ \n#!*?~=ab-");
    const piece = fc.constantFrom(...letters, "git push", "<<E", "npm test", "\uffff", "\ufffe");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        ofCommand({ ...DENY_PUSH, allow: ["Bash(npm test)"] }, text);
        expect(ofCommand({}, text)).toBe("ask");
      }),
      { numRuns: 3_000 },
    );
  });

  test("a further rule against a call never makes its decision milder", () => {
    const ORDER = ["allow", "ask", "deny"];
    const rule = fc.constantFrom("Bash", "Bash(git push *)", "Bash(ls *)", "Bash(npm test)", "*(sh)");
    fc.assert(
      fc.property(
        fc.array(rule),
        fc.array(rule),
        rule,
        fc.oneof(commands, others),
        (allow, ask, deny, text) => {
          const before = ofCommand({ allow, ask }, text, "trusted");
          const after = ofCommand({ allow, ask, deny: [deny] }, text, "trusted");
          expect(ORDER.indexOf(after)).toBeGreaterThanOrEqual(ORDER.indexOf(before));
        },
      ),
    );
  });
});
