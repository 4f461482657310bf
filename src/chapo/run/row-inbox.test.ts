import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { openRowInbox } from "./row-inbox.js";

const AT = "2026-01-01T00:00:00.000Z";
const note = (text: string, at = AT) => ({ text, by: "ann", via: "cli", at, delivery: "next-prompt" });

test("messages after those of the prompt are read once each, and a file that is broken meanwhile has none", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "looper-row-"));
  const file = path.join(folder, "to-do.json");
  const progress = { workflow: "w", digest: "d", stage: "s", visit: 1, since: AT };
  const write = (notes: object[]): void => {
    const task = { id: "T1", title: "One", priority: 3, status: "doing", progress: { ...progress, notes } };
    writeFileSync(file, JSON.stringify({ schema_version: 1, source_files: [], tasks: [task] }));
  };
  try {
    const inbox = openRowInbox(nodePorts().files, { file, task: "T1", after: 1 });
    expect(await inbox.read()).toEqual([]);
    write([note("before"), note("one")]);
    const [first] = await inbox.read();
    expect(first?.text).toBe("one");
    await inbox.remove(first?.name ?? "");
    writeFileSync(file, "{");
    expect(await inbox.read()).toEqual([]);
    write([note("before"), note("one"), note("and two")]);
    expect((await inbox.read()).map(({ text }) => text)).toEqual(["and two"]);

    const resumed = openRowInbox(nodePorts().files, { file, task: "T1", after: 2 });
    write([note("before"), note("while it waited", "2026-01-02T00:00:00.000Z")]);
    await resumed.includeSince(AT);
    expect((await resumed.read()).map(({ text }) => text)).toEqual(["while it waited"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
