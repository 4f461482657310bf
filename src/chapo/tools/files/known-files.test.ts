import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import type { ToolResult } from "../../tool.js";
import { createReadTools } from "./files-read.js";
import { createWriteTools } from "./files-write.js";
import type { SessionPart } from "../../tool.js";
import { openKnownFiles } from "./known-files.js";

const { files } = nodePorts();
let root = "";
let kept: unknown;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "known-")));
  kept = undefined;
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const store: SessionPart = {
  read: () => Promise.resolve(kept),
  write: (value) => {
    kept = JSON.parse(JSON.stringify(value));
    return Promise.resolve();
  },
};

/** The tools of a session that is opened anew, as the gate calls them. */
function open() {
  const known = openKnownFiles(files, store);
  const tools = [...createReadTools({ files, root }, known), ...createWriteTools({ files, root }, known)];
  return async (name: string, args: unknown): Promise<string> => {
    const prepared = tools.find((tool) => tool.name === name)?.prepare(args);
    if (prepared === undefined || "problem" in prepared) throw new Error("no call");
    const fails = await prepared.check?.();
    if (fails !== undefined) return `FAILS ${fails}`;
    const { signal } = new AbortController();
    return said(await prepared.run({ callId: "c", signal }));
  };
}

function said(result: ToolResult): string {
  return result.success ? result.output : `FAILED ${result.error}`;
}

const at = (name: string): string => path.join(root, name);

test("a file that was not read is not overwritten, and a new file is written and then known", async () => {
  writeFileSync(at("a"), "by hand\n");
  const call = open();
  expect(await call("fs_writeFile", { path: "a", content: "x" })).toContain("you have not read it");
  expect(readFileSync(at("a"), "utf8")).toBe("by hand\n");
  expect(await call("fs_writeFile", { path: "b", content: "1\n" })).toContain("created b");
  expect(await call("fs_writeFile", { path: "b", content: "2\n" })).toContain("updated b");
  expect(await call("fs_edit", { path: "b", old_string: "2", new_string: "3" })).toContain("updated b");
  expect(await call("fs_writeFile", { path: "b", content: "4\n" })).toContain("updated b");
});

test("a file that others changed since is not overwritten, also after a resume; the diff is shown", async () => {
  writeFileSync(at("a"), "one\n");
  await open()("fs_readFile", { path: "a" });
  writeFileSync(at("a"), "by hand\n");
  const call = open();
  const refused = await call("fs_writeFile", { path: "a", content: "two\n" });
  expect(refused).toMatch(/FAILS a has changed since you read it[^]*-by hand[^]*\+two/);
  expect(readFileSync(at("a"), "utf8")).toBe("by hand\n");
  await call("fs_readFile", { path: "a" });
  expect(await call("fs_writeFile", { path: "a", content: "two\n" })).toContain("updated a");
});

test("an edit that finds nothing fails before anybody is asked about it", async () => {
  writeFileSync(at("a"), "one\n");
  const call = open();
  expect(await call("fs_edit", { path: "a", old_string: "two", new_string: "x" })).toMatch(
    /^FAILS .*0 times/,
  );
  const edits = [{ path: "a", old_string: "two", new_string: "x" }];
  expect(await call("fs_multiEdit", { edits })).toMatch(/^FAILS edit 1 of 1/);
});
