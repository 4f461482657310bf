import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { InstalledModules } from "./installed-modules.js";

let top = "";
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "modules-"));
});
afterEach(() => {
  rmSync(top, { recursive: true });
});

test("a folder on PATH that cannot be read is passed over, as a shell does", async () => {
  symlinkSync(join(top, "loop"), join(top, "loop"));
  mkdirSync(join(top, "bin"));
  writeFileSync(join(top, "bin/tool"), "");
  const PATH = [join(top, "loop"), join(top, "x".repeat(300)), join(top, "bin")].join(":");
  const installed = new InstalledModules(nodePorts().files, { PATH }, []);
  for (const family of ["shell", "python", "lua"] as const) installed.has(family, "tool");
  installed.has("shell", "other");

  expect(await installed.look()).toBe(true);

  expect(installed.has("shell", "tool")).toBe(true);
  expect(installed.has("shell", "other")).toBe(false);
});
