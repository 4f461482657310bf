// How each kind is called, and where its program is found.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { claudeArgs } from "./claude.js";
import { codexArgs } from "./codex.js";
import { geminiArgs } from "./gemini.js";
import { opencodeArgs, opencodeConfig } from "./opencode.js";
import { chooseAuto, createAgent } from "./registry.js";
import { AUTO_ORDER } from "../../config/settings/setting-row.js";
import { settingsOf } from "../testing/rig.js";
import { summarySchema } from "./summary-flag.js";

const ports = nodePorts();
const deps = { ports, self: { command: process.execPath, args: ["looper.js"] } };
let root = "";

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "looper-kinds-"));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function program(...place: string[]): string {
  const file = path.join(root, ...place);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
  return file;
}

test.each([
  ["read-only", ["-s", "read-only"]],
  ["workspace", ["-s", "workspace-write"]],
  ["full", ["--dangerously-bypass-approvals-and-sandbox"]],
] as const)("codex, %s", (permissions, flags) => {
  const settings = settingsOf("codex", { model: "m", reasoning: "high", args: ["--extra", "x"] });
  expect(codexArgs(settings, { permissions })).toEqual([
    ...["exec", "--json", "--skip-git-repo-check"],
    ...flags,
    ...["-m", "m", "-c", "model_reasoning_effort=high", "--extra", "x", "-"],
  ]);
});

test.each([
  ["read-only", ["--permission-mode", "plan", "--allowedTools", "mcp__looper"]],
  ["workspace", ["--permission-mode", "acceptEdits", "--allowedTools", "Bash Edit Write Read mcp__looper"]],
  ["full", ["--dangerously-skip-permissions"]],
] as const)("claude, %s", (permissions, flags) => {
  const settings = settingsOf("claude", { model: "m", args: ["--extra", "x"] });
  expect(claudeArgs(settings, { permissions, phase: "bootstrap" })).toEqual([
    "-p",
    ...flags,
    ...["--output-format", "stream-json", "--verbose", "--model", "m", "--extra", "x"],
  ]);
});

test.each([
  ["read-only", ["--approval-mode", "default"]],
  ["workspace", ["--yolo"]],
  ["full", ["--yolo"]],
] as const)("gemini, %s", (permissions, flags) => {
  const settings = settingsOf("gemini", { model: "m", args: ["--extra", "x"] });
  expect(geminiArgs(settings, { permissions, resume: { id: "fd36" } })).toEqual([
    ...["--output-format", "stream-json", "--skip-trust"],
    ...flags,
    ...["-m", "m", "--resume", "fd36", "--extra", "x"],
  ]);
});

test.each([
  ["read-only", []],
  ["workspace", []],
  ["full", ["--auto"]],
] as const)("opencode, %s", (permissions, flags) => {
  const settings = settingsOf("opencode", { model: "p/m", reasoning: "high", args: ["--extra", "x"] });
  expect(opencodeArgs(settings, { permissions, resume: { id: "ses_1" } })).toEqual([
    ...["run", "--format", "json", "--print-logs", "--log-level", "WARN"],
    ...["--model", "p/m", "--variant", "high"],
    ...flags,
    ...["--session", "ses_1", "--extra", "x"],
  ]);
});

test("opencode's settings: the user's win over ours, save for permissions that only read", () => {
  const config = (...given: Parameters<typeof opencodeConfig>): unknown =>
    JSON.parse(opencodeConfig(...given) ?? "null");
  const goOn = { experimental: { continue_loop_on_deny: true } };
  expect(config(undefined, "workspace")).toEqual(goOn);
  expect(config("", "full")).toEqual(goOn);
  expect(config('{"experimental":{"continue_loop_on_deny":false,"x":1}}', "workspace")).toEqual({
    experimental: { continue_loop_on_deny: false, x: 1 },
  });
  const readOnly = { edit: "deny", bash: "deny" };
  expect(config(undefined, "read-only")).toEqual({ ...goOn, permission: readOnly });
  expect(config('{"permission":"allow"}', "read-only")).toEqual({
    ...goOn,
    permission: { "*": "allow", ...readOnly },
  });
  for (const broken of ["[]", "1", "{", "null"]) expect(config(broken, "full")).toBeNull();
});

test("codex: the schema's file, the network, and a thread to resume", () => {
  const settings = settingsOf("codex", { network: true, args: ["--extra", "x"] });
  const request = { permissions: "workspace", resume: { id: "01a1" } } as const;
  expect(codexArgs(settings, request, "/log/summary.schema.json").join(" ")).toBe(
    "exec --json --skip-git-repo-check -s workspace-write -c sandbox_workspace_write.network_access=true " +
      "--output-schema /log/summary.schema.json --extra x resume 01a1 -",
  );
});

test("claude: the effort, the most turns, the schema, and a session to resume", () => {
  const settings = settingsOf("claude", { reasoning: "high", maxTurns: 40 });
  const args = claudeArgs(settings, { permissions: "read-only", phase: "review", resume: { id: "5f2f" } });
  const schema = args[args.indexOf("--json-schema") + 1] ?? "";
  expect(args.map((arg) => (arg === schema ? "SCHEMA" : arg)).join(" ")).toBe(
    "-p --permission-mode plan --allowedTools mcp__looper --output-format stream-json --verbose --effort high --max-turns 40 " +
      "--json-schema SCHEMA --resume 5f2f",
  );
  expect(JSON.parse(schema)).toMatchObject({ type: "object", additionalProperties: false });
});

test.each(["iteration", "review", "bootstrap", "repair"] as const)(
  "the summary is asked for by the schema flag where one is needed: %s",
  (phase) => {
    const flags = { flag: "--json-schema", args: ["--json-schemas"] };
    const wanted = phase === "iteration" || phase === "review";
    expect(summarySchema({ phase }, flags)?.includes('"task_id"') ?? false).toBe(wanted);
    // The user's own wins.
    for (const args of [["--json-schema", "{}"], ["--json-schema={}"]])
      expect(summarySchema({ phase }, { ...flags, args })).toBeUndefined();
  },
);

test.each([
  ["beside the wrapper's package", ["@openai", "codex-linux-x64"]],
  ["below it", ["@openai", "codex", "node_modules", "@openai", "codex-linux-x64"]],
])("the native codex is taken where npm put it: %s", async (where, place) => {
  const folder = where.replaceAll(/\W/g, "-");
  const wrapper = program(folder, "lib", "node_modules", "@openai", "codex", "bin", "codex.js");
  const vendor = [folder, "lib", "node_modules", ...place, "vendor", "x86_64-unknown-linux-musl"];
  const native = program(...vendor, "bin", "codex");
  mkdirSync(path.join(root, folder, "bin"));
  symlinkSync(wrapper, path.join(root, folder, "bin", "codex"));
  const finding = await createAgent(settingsOf("codex"), deps).find(
    { PATH: path.join(root, folder, "bin") },
    root,
  );
  expect(finding).toEqual({ found: native });
});

test("without exactly one native codex, what PATH has is taken", async () => {
  const wrapper = program("two", "node_modules", "@openai", "codex", "bin", "codex.js");
  const agent = createAgent(settingsOf("codex", { binary: wrapper }), deps);
  expect(await agent.find({}, root)).toEqual({ found: wrapper });
  for (const triple of ["a", "b"])
    program("two", "node_modules", "@openai", `codex-${triple}`, "vendor", triple, "bin", "codex");
  expect(await agent.find({}, root)).toEqual({ found: wrapper });
});

test("auto takes the first that is installed", async () => {
  const agents = AUTO_ORDER.map((kind) => createAgent(settingsOf(kind), deps));
  const opencode = program("only-opencode", "opencode");
  const gemini = program("only-gemini", "gemini");
  const codex = program("only-codex", "codex");
  const claude = program("both", "claude");
  program("both", "codex");
  const choose = (folder: string): Promise<string | undefined> =>
    chooseAuto(agents, { PATH: folder }, root).then((agent) => agent?.settings.kind);
  expect(await choose(path.dirname(opencode))).toBe("opencode");
  program("only-gemini", "opencode");
  expect(await choose(path.dirname(gemini))).toBe("gemini");
  program("only-codex", "gemini");
  expect(await choose(path.dirname(codex))).toBe("codex");
  expect(await choose(path.dirname(claude))).toBe("claude");
  expect(await choose("/nowhere")).toBeUndefined();
});

test("what is missing is said with what to do", async () => {
  const find = async (...given: Parameters<typeof settingsOf>): Promise<unknown> =>
    createAgent(settingsOf(...given), deps).find({ PATH: "/nowhere" }, root);
  expect(await find("claude")).toEqual({
    missing: "claude is not on PATH",
    hint: expect.stringContaining("npm i -g @anthropic-ai/claude-code") as string,
  });
  expect(await find("claude", { binary: "/no/claude" })).toMatchObject({
    missing: "cannot find the program /no/claude",
    hint: expect.stringContaining("agents.ours.binary") as string,
  });
  const plain = program("plain", "bin", "agent");
  chmodSync(plain, 0o644);
  expect(await find("claude", { binary: plain })).toMatchObject({
    missing: `${plain} is not executable`,
    hint: expect.stringContaining(`chmod +x ${plain}`) as string,
  });
  const folder = path.dirname(plain);
  expect(await find("claude", { binary: folder })).toMatchObject({
    missing: `${folder} is a folder, and no program`,
  });
  expect(await find("command")).toMatchObject({ missing: "agents.ours.binary is not set" });
  expect(await find("module")).toMatchObject({ missing: "agents.ours.module is not set" });
  expect(await find("scripted", { script: "/no/steps.json" })).toMatchObject({
    missing: "cannot find the file /no/steps.json",
  });
});

test("a binary is looked up from the agent's own folder", async () => {
  const found = program("work", "bin", "my-agent");
  const settings = settingsOf("command", { binary: "./bin/my-agent", workDir: path.join(root, "work") });
  expect(await createAgent(settings, deps).find({}, root)).toEqual({ found });
});
