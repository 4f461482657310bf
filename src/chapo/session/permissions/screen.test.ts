import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import type { PermissionMode } from "../../../config/settings/modes.js";
import { readRules } from "../../rules/read-rules.js";
import { findLeftOut } from "../../paths.js";
import { createScreen } from "./screen.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "screen-"));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const KEY = "sk-test-0123456789abcdef";

function screenOf(lists: Parameters<typeof readRules>[0], mode: PermissionMode = "trusted") {
  const { rules, problems } = readRules(lists, root);
  expect(problems).toEqual([]);
  const env = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: "none" };
  return createScreen({ rules, mode: () => mode, files: nodePorts().files, root, env });
}

test("the models' keys are removed from every result, and nothing else", async () => {
  const { screen } = screenOf({});
  expect(await screen("bash_execute", `HOME=/x\0ANTHROPIC_API_KEY=${KEY}\0PASSWORD=abcdefgh1234`)).toBe(
    "HOME=/x\0ANTHROPIC_API_KEY=[redacted]\0PASSWORD=abcdefgh1234",
  );
  expect(await screen("fs_readFile", `key: ${KEY}`)).toBe("key: [redacted]");
  expect(await screen("fs_readFile", "none of these")).toBe("none of these");
});

test("the lines and values of a denied file are removed from the output of a shell", async () => {
  mkdirSync(path.join(root, "secret"));
  writeFileSync(path.join(root, "secret", "a.env"), "TOKEN=tk-987654321\nshort\n");
  const { screen } = screenOf({ deny: ["Read(secret/**)"] });
  const shown = await screen("bash_execute", "x TOKEN=tk-987654321 y\nagain tk-987654321\nshort");
  expect(shown).not.toContain("987654321");
  expect(shown).toContain("a rule denies reading secret/a.env");
  expect(shown).toContain("short");
  expect(await screen("fs_readFile", "TOKEN=tk-987654321")).toContain("tk-987654321");
});

test("lists leave out what a rule covers, searches also files with known secret names where these are asked about", () => {
  const { hidden } = screenOf({ deny: ["Read(secret/**)"], ask: ["Read(*.log)"] }, "default");
  expect(["secret/a", "b/x.log", ".env", "src/a.ts"].map((one) => hidden.name(one))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(
    ["secret/a", "b/x.log", "b/.env", ".env.example", "src/a.ts"].map((one) => hidden.content(one)),
  ).toEqual([true, true, true, false, false]);
  expect(screenOf({}, "trusted").hidden.content(".env")).toBe(false);
  expect(screenOf({ allow: ["Read(.env)"] }, "default").hidden.content(".env")).toBe(false);
});

test("another name of a hidden file is hidden too: they are one file on the disk", async () => {
  mkdirSync(path.join(root, "secret"));
  for (const name of ["secret/a", ".env", "free.txt"]) writeFileSync(path.join(root, name), `${name}\n`);
  linkSync(path.join(root, "secret/a"), path.join(root, "notes.txt"));
  linkSync(path.join(root, ".env"), path.join(root, "setup.txt"));
  linkSync(path.join(root, "free.txt"), path.join(root, "free-too.txt"));
  const { hidden } = screenOf({ deny: ["Read(secret/**)"] }, "default");
  const paths = ["notes.txt", "setup.txt", "free.txt", "free-too.txt", "secret/a", "missing"];
  expect(await findLeftOut(hidden, "content", paths)).toEqual(
    new Set(["secret/a", "notes.txt", "setup.txt"]),
  );
  expect(await findLeftOut(hidden, "name", paths)).toEqual(new Set(["secret/a", "notes.txt"]));
});
