import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { contextIn } from "../../testing/testing.js";
import { exportBacklog } from "./export.js";

const root = mkdtempSync(path.join(tmpdir(), "export-"));
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const TITLE = "a\u001b]52;c;eA==\u0007b\u202ec\u009bd";

test.each(["markdown", "csv", "json"])(
  "%s on a terminal shows control characters as escapes",
  async (format) => {
    for (const folder of ["home", "project/.git"]) mkdirSync(path.join(root, folder), { recursive: true });
    const task = { id: "T1", title: TITLE, status: "todo", priority: 1 };
    writeFileSync(
      path.join(root, "project/to-do.json"),
      JSON.stringify({ schema_version: 1, source_files: [], tasks: [task] }),
    );
    const typed = { operands: [], flags: { "--format": format } };
    const printed = async (isTerminal: boolean): Promise<string> => {
      const started = contextIn(root);
      const { context } = started;
      expect(await exportBacklog({ ...context, out: { ...context.out, isTerminal } }, typed)).toBe("ok");
      return started.out();
    };
    const shown = await printed(true);
    expect(shown).not.toMatch(/[\u001b\u0007\u202e\u009b]/);
    for (const escape of ["\\u001b", "\\u0007", "\\u202e", "\\u009b"]) expect(shown).toContain(escape);
    if (format === "csv") expect(await printed(false)).toContain("\u001b]52;c;eA");
  },
);
