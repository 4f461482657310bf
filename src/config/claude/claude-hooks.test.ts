import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { nodeFiles } from "../../system/files/files.js";
import { openProject } from "../project/open-project.js";
import { readTrust } from "../trust/trust.js";
import { readClaudeHooks } from "./claude-hooks.js";

const read = (value: unknown) =>
  readClaudeHooks(typeof value === "string" ? value : JSON.stringify(value), {
    where: ".claude/settings.json",
    layer: "project",
  });

test("a file of Claude Code is read with its matchers, types and timeouts", () => {
  const hooks = [
    { type: "command", command: "check", timeout: 60 },
    { type: "http", url: "http://localhost:1/x" },
  ];
  const found = read({ permissions: {}, hooks: { PreToolUse: [{ matcher: "Edit|Write", hooks }] } });
  expect(found.warnings).toEqual([]);
  expect(found.hooks.map(({ event, hook }) => [event, hook])).toEqual([
    ["PreToolUse", { matcher: "Edit|Write", command: "check", timeout: 60 }],
    ["PreToolUse", { matcher: "Edit|Write", url: "http://localhost:1/x" }],
  ]);
});

test("an unknown key is named and passed over, and the rest is used", () => {
  const hooks = [
    { type: "prompt", prompt: "is it good?" },
    { type: "command" },
    { type: "http", url: "file:///etc/passwd" },
    { type: "command", command: "kept", timeout: "soon" },
  ];
  const found = read({ hooks: { Stop: [{ hooks }, "oops"], TeammateIdle: [{ hooks }], SessionEnd: 3 } });
  expect(found.hooks.map(({ hook }) => hook)).toEqual([{ command: "kept" }]);
  expect(found.warnings).toEqual([
    ...[0, 1, 2].map(
      (at) =>
        `.claude/settings.json: hooks.Stop[0].hooks[${at}] is not {"command": text} or {"type": "http", "url": an http:// or https:// address} and is passed over`,
    ),
    '.claude/settings.json: hooks.Stop[1] is not {"matcher"?: text, "hooks": list} and is passed over',
    ".claude/settings.json: the hook event TeammateIdle is not known; its hooks are passed over",
    ".claude/settings.json: hooks.SessionEnd is not a list and is passed over",
  ]);
  expect(read("{oops").warnings).toEqual([
    ".claude/settings.json: it is not valid JSON, so its hooks are not used",
  ]);
  expect(read('{"hooks": []}')).toMatchObject({ hooks: [], warnings: [expect.any(String)] });
});

test("an invalid matcher is named; a hook that can refuse calls then runs for every tool", () => {
  const hooks = [{ type: "command", command: "check" }];
  const group = { matcher: "Bash(", hooks };
  const found = read({
    hooks: { PreToolUse: [group], PostToolUse: [group], Stop: [{ matcher: "*", hooks }] },
  });
  expect(found.hooks.map(({ event, hook }) => [event, hook])).toEqual([
    ["PreToolUse", { command: "check" }],
    ["Stop", { command: "check", matcher: "*" }],
  ]);
  const named = '[0].matcher "Bash(" is not a valid regular expression; its hooks';
  expect(found.warnings).toEqual([
    `.claude/settings.json: hooks.PreToolUse${named} run for every tool`,
    `.claude/settings.json: hooks.PostToolUse${named} are passed over`,
  ]);
});

test("three files are read where the setting says so, and the project's own are asked about by content", async () => {
  const top = mkdtempSync(path.join(tmpdir(), "claude-hooks-"));
  const [project, home] = [path.join(top, "p"), path.join(top, "h")];
  const files = nodeFiles();
  const write = (file: string, value: unknown): void => {
    mkdirSync(path.dirname(path.join(top, file)), { recursive: true });
    writeFileSync(path.join(top, file), JSON.stringify(value));
  };
  const hooksOf = (command: string) => ({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
  const open = async (isRead: boolean) => {
    write("p/.looper/config.json", {
      hooks: { read_claude: isRead, events: { Stop: [{ command: "own" }] } },
    });
    const opened = await openProject(files, { cwd: project, env: {}, home, flags: {} });
    const lines = await readTrust({ files, project: opened, env: {}, home }, []);
    const stop = opened.resolved.settings.hooks.events.Stop ?? [];
    return {
      commands: stop.map((hook) => ("command" in hook ? hook.command : hook.url)),
      asked: lines.map(({ where, value }) => [where.replace(/:\d+$/, ""), value]),
      warnings: opened.warnings,
    };
  };
  try {
    write("p/to-do.json", {});
    write("p/.claude/settings.json", hooksOf("shared"));
    write("p/.claude/settings.local.json", hooksOf("local"));
    write("h/.claude/settings.json", hooksOf("user"));
    expect(await open(false)).toMatchObject({ commands: ["own"] });
    expect(await open(true)).toEqual({
      commands: ["own", "user", "shared", "local"],
      asked: [
        [".looper/config.json", '{"command":"own"}'],
        [".claude/settings.json", '{"command":"shared"}'],
        [".claude/settings.local.json", '{"command":"local"}'],
      ],
      warnings: [],
    });
    write("p/.claude/settings.local.json", { disableAllHooks: true });
    expect((await open(true)).commands).toEqual(["own", "user"]);
    writeFileSync(path.join(top, "p/.claude/settings.json"), "{");
    expect((await open(true)).warnings).toEqual([
      ".claude/settings.json: it is not valid JSON, so its hooks are not used",
    ]);
  } finally {
    rmSync(top, { recursive: true });
  }
});
