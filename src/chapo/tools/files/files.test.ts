import { chmod, mkdir, mkdtemp, readFile, realpath, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import type { Files } from "../../../system/ports.js";
import type { Tool, ToolResult } from "../../tool.js";
import { createMoveTools } from "./files-move.js";
import { createReadTools } from "./files-read.js";
import { createWriteTools } from "./files-write.js";

/** Creates a project to call tools in. */
class Site {
  readonly root: string;
  readonly #tools: Map<string, Tool>;

  private constructor(root: string, files: Files) {
    this.root = root;
    const place = { files, root };
    const tools = [...createReadTools(place), ...createWriteTools(place), ...createMoveTools(place)];
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  static async make(files: Files = nodePorts().files): Promise<Site> {
    return new Site(await realpath(await mkdtemp(path.join(tmpdir(), "looper-files-"))), files);
  }

  at(name: string): string {
    return path.join(this.root, name);
  }

  async write(name: string, text: string | Uint8Array): Promise<void> {
    await mkdir(path.dirname(this.at(name)), { recursive: true });
    await writeFile(this.at(name), text);
  }

  read(name: string): Promise<string> {
    return readFile(this.at(name), "utf8");
  }

  prepare(name: string, args: unknown) {
    const tool = this.#tools.get(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.prepare(args);
  }

  async call(name: string, args: unknown): Promise<ToolResult> {
    const prepared = this.prepare(name, args);
    if ("problem" in prepared) return { success: false, error: prepared.problem };
    const { signal } = new AbortController();
    return prepared.run({ callId: "c", signal });
  }

  async preview(name: string, args: unknown): Promise<string> {
    const prepared = this.prepare(name, args);
    return "problem" in prepared ? prepared.problem : prepared.preview();
  }
}

function text(result: ToolResult): string {
  return result.success ? result.output : `FAILED ${result.error}`;
}

test("the mark of a removed secret is not written into a file, and what was there may stay", async () => {
  const site = await Site.make();
  await site.write("a", "one [redacted]\n");
  expect(await site.call("fs_writeFile", { path: "b", content: "host=[redacted]" })).toMatchObject({
    success: false,
    error: expect.stringContaining("stands for a secret") as string,
  });
  const added = { path: "a", old_string: "one", new_string: "[redacted]" };
  expect(await site.call("fs_edit", added)).toMatchObject({ success: false });
  expect(await site.call("fs_edit", { ...added, new_string: "two" })).toMatchObject({ success: true });
  expect(await site.read("a")).toBe("two [redacted]\n");
});

test("a path that begins with ~ is refused", async () => {
  const site = await Site.make();
  const answer = await site.call("fs_writeFile", { path: "~/evil", content: "x" });
  expect(answer).toMatchObject({
    success: false,
    error: expect.stringContaining("~ is not a folder here") as string,
  });
  expect(await site.call("fs_writeFile", { path: "~x", content: "x" })).toMatchObject({ success: true });
});

test("fs_listFiles lists at most 500 entries with their types", async () => {
  const site = await Site.make();
  await site.write("b/x.ts", "");
  await site.write("a.txt", "1234");
  await symlink("a.txt", site.at("c"));
  expect(text(await site.call("fs_listFiles", {}))).toBe("file    a.txt (4 bytes)\nfolder  b\nsymlink c");
  expect(text(await site.call("fs_listFiles", { path: "a.txt" }))).toContain("FAILED a.txt is a file");
  expect(text(await site.call("fs_listFiles", { path: "nowhere" }))).toContain("no such folder");
  expect(text(await site.call("fs_listFiles", { path: ".." }))).toContain("outside the project");
  for (let n = 0; n < 501; n++) await site.write(`many/${String(n)}`, "");
  const many = text(await site.call("fs_listFiles", { path: "many" })).split("\n");
  expect(many).toHaveLength(501);
  expect(many.at(-1)).toContain("truncated: 500 of 501");
});

test("fs_readFile returns 2,000 lines of a long file and continues from an offset", async () => {
  const site = await Site.make();
  await site.write("long.txt", Array.from({ length: 5000 }, (_, at) => `line ${at + 1}\n`).join(""));
  const first = text(await site.call("fs_readFile", { path: "long.txt" })).split("\n");
  expect(first[0]).toBe("1\tline 1");
  expect(first[1999]).toBe("2000\tline 2000");
  expect(first.slice(2000)).toEqual(["[lines 1-2000 of 5000]", "[truncated: continue with offset 2001]"]);
  const part = text(await site.call("fs_readFile", { file_path: "long.txt", offset: 2001, limit: 10 })).split(
    "\n",
  );
  expect(part[0]).toBe("2001\tline 2001");
  expect(part[9]).toBe("2010\tline 2010");
  expect(part[10]).toBe("[lines 2001-2010 of 5000]");
  expect(text(await site.call("fs_readFile", { path: "long.txt", offset: 5001 }))).toContain(
    "has 5000 lines",
  );
});

test("fs_readFile handles exact text, missing, binary and empty files and long lines", async () => {
  const site = await Site.make();
  await site.write("a.txt", "eins\r\n  zwei\tö\n\nvier");
  expect(text(await site.call("fs_readFile", { path: "a.txt" }))).toBe("1\teins\n2\t  zwei\tö\n3\t\n4\tvier");
  await site.write("empty.txt", "");
  expect(text(await site.call("fs_readFile", { path: "empty.txt" }))).toBe("empty.txt is empty");
  await site.write("b.bin", new Uint8Array([1, 0, 2]));
  expect(text(await site.call("fs_readFile", { path: "b.bin" }))).toContain("binary file of 3 bytes");
  await site.write("wide.txt", `${"x".repeat(700_000)}\nshort\n`);
  const wide = text(await site.call("fs_readFile", { path: "wide.txt" })).split("\n");
  expect(wide[0]).toBe(`1\t${"x".repeat(2000)}… [cut: the line has 700000 characters]`);
  expect(wide.slice(1)).toEqual(["2\tshort", "[1 long line is cut]"]);
  expect(text(await site.call("fs_readFile", { path: "none.txt" }))).toBe("FAILED none.txt: no such file");
  expect(text(await site.call("fs_readFile", { path: "../x" }))).toContain("outside the project");
  expect(text(await site.call("fs_readFile", { path: "a.txt", limit: "many" }))).toContain("FAILED limit");
});

test("fs_readFile truncates a very long text and names the offset to continue with", async () => {
  const site = await Site.make();
  await site.write("fat.txt", `${"y".repeat(1000)}\n`.repeat(1000));
  const lines = text(await site.call("fs_readFile", { path: "fat.txt" })).split("\n");
  expect(lines.slice(-2)).toEqual([
    "[lines 1-49 of 1000]",
    "[truncated, the text is too long: continue with offset 50]",
  ]);
});

test("fs_writeFile creates a file with its parents, replaces it whole and keeps its mode", async () => {
  const site = await Site.make();
  expect(text(await site.call("fs_writeFile", { path: "a/b/c.sh", content: "one\n" }))).toBe(
    "created a/b/c.sh (4 bytes)",
  );
  await chmod(site.at("a/b/c.sh"), 0o755);
  expect(text(await site.call("fs_writeFile", { path: "a/b/c.sh", content: "2" }))).toBe(
    "updated a/b/c.sh (1 bytes)",
  );
  expect(await site.read("a/b/c.sh")).toBe("2");
  expect((await stat(site.at("a/b/c.sh"))).mode & 0o777).toBe(0o755);
  expect(text(await site.call("fs_writeFile", { path: "a", content: "" }))).toContain("is a folder");
  const large = { path: "large.txt", content: "x".repeat(10 * 1024 * 1024 + 1) };
  expect(text(await site.call("fs_writeFile", large))).toContain("at most 10485760");
  expect(text(await site.call("fs_writeFile", { path: ".git/config", content: "" }))).toContain("protected");
  expect(text(await site.call("fs_listFiles", {}))).toBe("folder  a");
});

test("fs_edit keeps CRLF and mode, and changes nothing when the text is not found", async () => {
  const site = await Site.make();
  await site.write("a.ts", "\uFEFFlet a = 1;\r\nlet b = 1;\r\n");
  await chmod(site.at("a.ts"), 0o600);
  const edit = (oldString: string, newString: string, more = {}) =>
    site.call("fs_edit", { path: "a.ts", old_string: oldString, new_string: newString, ...more });
  expect(text(await edit("let b = 1;\n", "let b = `$&`;\nlet c;\n"))).toBe("updated a.ts: 1 replacement");
  const after = "\uFEFFlet a = 1;\r\nlet b = `$&`;\r\nlet c;\r\n";
  expect(await site.read("a.ts")).toBe(after);
  expect((await stat(site.at("a.ts"))).mode & 0o777).toBe(0o600);
  expect(text(await edit("let", "const"))).toContain("found 3 times");
  expect(text(await edit("nothing like it", "x"))).toContain("found 0 times");
  expect(await site.read("a.ts")).toBe(after);
  expect(text(await edit("let", "const", { replace_all: true }))).toBe("updated a.ts: 3 replacements");
  expect(await site.read("a.ts")).toBe(after.replaceAll("let", "const"));
  await site.write("latin.txt", new Uint8Array([0xe9, 0x0a]));
  expect(text(await site.call("fs_edit", { path: "latin.txt", old_string: "\n", new_string: "" }))).toContain(
    "not UTF-8",
  );
});

test("fs_multiEdit applies edits to several files in order, each on the result of the one before", async () => {
  const site = await Site.make();
  await site.write("a.txt", "one two");
  await site.write("b.txt", "three");
  const result = await site.call("fs_multiEdit", {
    edits: [
      { path: "a.txt", old_string: "one", new_string: "1" },
      { path: "b.txt", old_string: "three", new_string: "3" },
      { path: "./a.txt", old_string: "1 two", new_string: "1 2" },
    ],
  });
  expect(text(result)).toBe("updated a.txt: 2 replacements\nupdated b.txt: 1 replacement");
  expect([await site.read("a.txt"), await site.read("b.txt")]).toEqual(["1 2", "3"]);
  const single = { file_path: "b.txt", edits: [{ old_string: "3", new_string: "III" }] };
  expect(text(await site.call("fs_multiEdit", single))).toBe("updated b.txt: 1 replacement");
});

test("fs_multiEdit touches no file when the third edit does not match", async () => {
  const site = await Site.make();
  await site.write("a.txt", "one\r\n");
  await site.write("b.txt", "two");
  const result = await site.call("fs_multiEdit", {
    edits: [
      { path: "a.txt", old_string: "one", new_string: "1" },
      { path: "b.txt", old_string: "two", new_string: "2" },
      { path: "b.txt", old_string: "two", new_string: "zwei" },
    ],
  });
  expect(text(result)).toContain("FAILED edit 3 of 3: b.txt: old_string was found 0 times");
  expect([await site.read("a.txt"), await site.read("b.txt")]).toEqual(["one\r\n", "two"]);
  const nowhere = { edits: [{ old_string: "a", new_string: "b" }] };
  expect(text(await site.call("fs_multiEdit", nowhere))).toContain("FAILED edits.0.path: missing");
});

test("fs_multiEdit restores the first file when the second cannot be written", async () => {
  const { files } = nodePorts();
  const failing: Files = {
    ...files,
    writeAtomic: (name, content, options) =>
      name.endsWith("b.txt")
        ? Promise.reject(new Error("ENOSPC"))
        : files.writeAtomic(name, content, options),
  };
  const site = await Site.make(failing);
  await site.write("a.txt", "one");
  await site.write("b.txt", "two");
  const result = await site.call("fs_multiEdit", {
    edits: [
      { path: "a.txt", old_string: "one", new_string: "1" },
      { path: "b.txt", old_string: "two", new_string: "2" },
    ],
  });
  expect(text(result)).toBe("FAILED b.txt: ENOSPC; nothing was changed");
  expect(await site.read("a.txt")).toBe("one");
});

test("a preview is a diff and changes nothing", async () => {
  const site = await Site.make();
  await site.write("a.txt", "one\ntwo\n");
  const edit = { path: "a.txt", old_string: "two", new_string: "2" };
  expect(await site.preview("fs_edit", edit)).toBe(
    "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
  );
  expect(await site.preview("fs_writeFile", { path: "n.txt", content: "new\n" })).toBe(
    "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,1 @@\n+new\n",
  );
  expect(await site.preview("fs_edit", { ...edit, old_string: "x" })).toContain("it would change nothing");
  expect(await site.preview("fs_delete", { path: "a.txt" })).toBe("delete a.txt");
  expect(text(await site.call("fs_listFiles", {}))).toBe("file    a.txt (8 bytes)");
  expect(await site.read("a.txt")).toBe("one\ntwo\n");
});

test("fs_mkdir creates a folder with its parents", async () => {
  const site = await Site.make();
  expect(text(await site.call("fs_mkdir", { path: "x/y/z" }))).toBe("made x/y/z");
  expect(text(await site.call("fs_mkdir", { path: "x/y/z" }))).toBe("x/y/z was there already");
  await site.write("f", "");
  expect(text(await site.call("fs_mkdir", { path: "f" }))).toContain("FAILED f is a file");
});

test("fs_move never overwrites an existing path", async () => {
  const site = await Site.make();
  await site.write("a.txt", "a");
  await site.write("b.txt", "b");
  await site.write("d/in.txt", "");
  await symlink("gone", site.at("dangling"));
  const move = (source: string, destination: string) => site.call("fs_move", { source, destination });
  expect(text(await move("a.txt", "b.txt"))).toContain("FAILED b.txt exists");
  expect(text(await move("a.txt", "d"))).toContain("FAILED d exists (a folder)");
  expect(text(await move("a.txt", "dangling"))).toContain("exists (a symlink)");
  expect(text(await move("d", "d/e/f"))).toContain("cannot be moved into itself");
  expect(text(await move("none", "x"))).toContain("none: no such file");
  expect(text(await move("a.txt", "../a.txt"))).toContain("outside the project");
  expect([await site.read("a.txt"), await site.read("b.txt")]).toEqual(["a", "b"]);
  expect(text(await site.call("fs_move", { from: "a.txt", to: "new/c.txt" }))).toBe(
    "moved a.txt to new/c.txt",
  );
  expect(await site.read("new/c.txt")).toBe("a");
});

test("fs_delete deletes a folder only with recursive, and never the project or a protected path", async () => {
  const site = await Site.make();
  await site.write("d/in.txt", "");
  await site.write("keys/.env", "KEY=1");
  await site.write("deps/node_modules/p/.npmrc", "");
  await symlink("d", site.at("link"));
  const remove = (name: string, recursive?: boolean) => site.call("fs_delete", { path: name, recursive });
  expect(text(await remove("d"))).toContain("FAILED d is a folder (a folder that holds 1 entry)");
  expect(text(await remove("link"))).toBe("deleted link");
  expect(await site.read("d/in.txt")).toBe("");
  expect(text(await remove("d", true))).toContain("deleted d");
  expect(text(await remove("d", true))).toContain("FAILED d: no such file");
  expect(text(await remove(".", true))).toContain("the project itself");
  expect(text(await remove("keys", true))).toContain("keys/.env is protected");
  expect(text(await site.call("fs_move", { source: "keys", destination: "open" }))).toContain("protected");
  expect(await site.read("keys/.env")).toBe("KEY=1");
  expect(text(await remove("deps", true))).toContain("deleted deps");
});

test("a path below a file is refused with the file's name", async () => {
  const site = await Site.make();
  await site.write("a", "x");
  for (const [tool, args] of [
    ["fs_writeFile", { path: "a/b/c.txt", content: "x" }],
    ["fs_mkdir", { path: "a/b" }],
    ["fs_move", { source: "a", destination: "a/b" }],
  ] as const) {
    const result = await site.call(tool, args);
    expect(result.success).toBe(false);
    expect(JSON.stringify(result)).not.toContain("EEXIST");
    expect(JSON.stringify(result)).not.toContain(site.root);
  }
});
