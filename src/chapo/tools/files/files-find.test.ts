import { mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import type { ToolResult } from "../../tool.js";
import type { Hidden } from "../../paths.js";
import { createFindTools } from "./files-find.js";

async function site(files: Record<string, string | Uint8Array>, hidden?: Hidden) {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "looper-find-")));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  const call = async (name: string, args: unknown): Promise<ToolResult> => {
    const tool = createFindTools({
      ...{ ...nodePorts(), root },
      ...(hidden === undefined ? {} : { hidden }),
    }).find((one) => one.name === name);
    const prepared = tool?.prepare(args) ?? { problem: `no tool ${name}` };
    if ("problem" in prepared) return { success: false, error: prepared.problem };
    const { signal } = new AbortController();
    return prepared.run({ callId: "c", signal });
  };
  const text = (result: ToolResult) => (result.success ? result.output : `FAILED ${result.error}`);
  return {
    root,
    glob: async (args: unknown) => text(await call("fs_glob", args)),
    grep: async (args: unknown) => text(await call("fs_grep", args)),
  };
}

test("a path that the rules hide is neither listed nor searched, unless the file is named", async () => {
  const hidden = {
    name: (file: string) => file.startsWith("secret/"),
    content: (file: string) => !file.endsWith(".ts"),
    linked: () => Promise.resolve(new Set<string>()),
  };
  const { glob, grep } = await site({ "secret/a": "TOKEN", ".env": "TOKEN", "src/a.ts": "TOKEN" }, hidden);
  expect(await glob({ pattern: "**/*" })).toBe(".env\nsrc/a.ts");
  expect(await grep({ pattern: "TOKEN" })).toBe(
    "src/a.ts:1:TOKEN\n[not searched, because reading needs a permission: 2 of the files]",
  );
  expect(await grep({ pattern: "TOKEN", path: ".env" })).toBe(".env:1:TOKEN");
});

const TREE = {
  ".gitignore": "dist/\n*.log\n!keep.log\n",
  "src/a.ts": "export const a = 1;\nTODO first\n",
  "src/deep/b.ts": "// todo second\r\nlet x;\r\n",
  "src/deep/.gitignore": "local.ts\n",
  "src/deep/local.ts": "TODO ignored\n",
  "dist/a.js": "TODO ignored\n",
  "x.log": "TODO ignored\n",
  "keep.log": "TODO kept\n",
  "node_modules/p/index.js": "TODO ignored\n",
  ".git/config": "TODO ignored\n",
  ".github/ci.yml": "on: TODO\n",
  "image.bin": new Uint8Array([0x54, 0, 0x54, 0x4f, 0x44, 0x4f]),
};

test("fs_glob returns the matching files without ignored ones", async () => {
  const { glob, root } = await site(TREE);
  expect(await glob({ pattern: "**/*.ts" })).toBe("src/a.ts\nsrc/deep/b.ts");
  expect(await glob({ pattern: "*.{log,bin}" })).toBe("image.bin\nkeep.log");
  expect(await glob({ pattern: "*.ts", path: "src/deep" })).toBe("src/deep/b.ts");
  expect(await glob({ pattern: `${root}/src/*.ts` })).toBe("src/a.ts");
  expect(await glob({ pattern: "*", path: "dist" })).toBe("dist/a.js");
  expect(await glob({ pattern: "*.py" })).toBe("no files match");
  expect(await glob({ pattern: "../*" })).toContain("FAILED pattern: ../* leads outside");
  expect(await glob({ pattern: "*", path: ".." })).toContain("outside the project");
  expect(await glob({ pattern: "*", path: "nowhere" })).toContain("no such file or folder");
});

test.each([
  ["*.ts", "a.ts", "b/a.ts"],
  ["**/*.ts", "a.ts", "a.tsx"],
  ["**/*.ts", "b/c/a.ts", "b/c/a.js"],
  ["src/**", "src/a/b", "lib/src/a"],
  ["src/**/test/*.ts", "src/x/test/y/test/a.ts", "src/x/test/y/a.ts"],
  ["*.{js,ts}", "a.js", "a.json"],
  ["a?c", "abc", "ac"],
  ["{a", "{a", "a"],
  ["[id].ts", "[id].ts", "i.ts"],
  ["./a.ts", "a.ts", "b.ts"],
  ["**/.github/*", "x/.github/a", "x/github/a"],
  ["*a*b*", "xaybz", "xbya"],
  ["src", "src", "src/a"],
])("the pattern %s matches %s and not %s", async (pattern, good, bad) => {
  const { glob } = await site(
    good.startsWith(`${bad}/`) || bad.startsWith(`${good}/`) ? { [good]: "" } : { [good]: "", [bad]: "" },
  );
  expect(await glob({ pattern })).toBe(good);
});

test.each([
  ["", "empty"],
  ["/etc/*", "leads outside"],
  ["a/../../b", "leads outside"],
  ["{a,b}".repeat(20), "more than 100"],
  ["{a,b/{c,d}}", "inside braces"],
  ["x".repeat(2000), "longer"],
])("the pattern %s is refused: %s", async (pattern, why) => {
  const { glob } = await site({ a: "" });
  expect(await glob({ pattern })).toContain(why);
});

test("a hostile pattern is matched without delay", async () => {
  const { glob } = await site({ ["a".repeat(200)]: "", [`${"a/".repeat(100)}c`]: "" });
  expect(await glob({ pattern: `${"*a".repeat(100)}b` })).toBe("no files match");
  expect(await glob({ pattern: `${"**/a/".repeat(150)}b` })).toBe("no files match");
});

test("fs_glob returns at most a thousand files and reports that there are more", async () => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`m/${at}.txt`, ""]));
  const { glob } = await site(many);
  const lines = (await glob({ pattern: "**/*.txt" })).split("\n");
  expect(lines).toHaveLength(1001);
  expect(lines.at(-1)).toContain("truncated: 1000 of 1001");
});

test("fs_grep returns file, line and text in order", async () => {
  const { grep } = await site(TREE);
  expect(await grep({ pattern: "TODO" })).toBe(
    ".github/ci.yml:1:on: TODO\nkeep.log:1:TODO kept\nsrc/a.ts:2:TODO first",
  );
  expect(await grep({ pattern: "^// todo \\w+$" })).toBe("src/deep/b.ts:1:// todo second");
  expect(await grep({ pattern: "todo", path: "src", flags: "-in" })).toBe(
    "src/a.ts:2:TODO first\nsrc/deep/b.ts:1:// todo second",
  );
  expect(await grep({ pattern: "todo", flags: "-i -l", glob: "*.ts" })).toBe("src/a.ts\nsrc/deep/b.ts");
  expect(await grep({ pattern: "x", path: "src/deep/b.ts" })).toBe("src/deep/b.ts:2:let x;");
  expect(await grep({ pattern: "TODO", path: "dist/a.js" })).toBe("dist/a.js:1:TODO ignored");
  expect(await grep({ pattern: "nothing like it" })).toBe("no matches");
  expect(await grep({ pattern: "= 1;", flags: "F" })).toBe("src/a.ts:1:export const a = 1;");
  expect(await grep({ pattern: "firs", flags: "-w" })).toBe("no matches");
});

test("fs_grep shows lines around a match, and the number of matches", async () => {
  const { grep } = await site({ "a.txt": "1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n10\n", "b.txt": "hit" });
  const around =
    "a.txt-2-2\na.txt:3:hit\na.txt-4-4\n--\na.txt-7-7\na.txt:8:hit\na.txt:9:hit\na.txt-10-10\nb.txt:1:hit";
  expect(await grep({ pattern: "hit", context: 1 })).toBe(around);
  expect(await grep({ pattern: "hit", flags: "-n -C1" })).toBe(around);
  expect(await grep({ pattern: "4", flags: "-A 1 -B 2" })).toBe(
    "a.txt-2-2\na.txt-3-hit\na.txt:4:4\na.txt-5-5",
  );
  expect(await grep({ pattern: "4", flags: "--context=1" })).toBe("a.txt-3-hit\na.txt:4:4\na.txt-5-5");
  expect(await grep({ pattern: "hit", flags: "-c" })).toBe("a.txt:3\nb.txt:1");
});

test("fs_grep names what is wrong with its arguments", async () => {
  const { grep } = await site(TREE);
  expect(await grep({ pattern: "(" })).toMatch(/^FAILED pattern: Invalid regular expression/);
  expect(await grep({ pattern: "a", flags: "-x3" })).toContain("FAILED flags: -x3 is not known");
  expect(await grep({ pattern: "a", path: "../x" })).toContain("outside the project");
  expect(await grep({ pattern: "" })).toContain("FAILED pattern: empty");
});

test("fs_grep reports a truncated result and cuts long lines", async () => {
  const { grep } = await site({ "a.txt": "hit\n".repeat(600), "b.txt": `${"x".repeat(1000)}\n` });
  const lines = (await grep({ pattern: "hit" })).split("\n");
  expect(lines).toHaveLength(501);
  expect(lines.at(-1)).toContain("truncated: the first 500");
  expect(await grep({ pattern: "x" })).toBe(`b.txt:1:${"x".repeat(500)}… [cut]`);
});

test("fs_grep stops when a pattern backtracks without end", async () => {
  const { grep } = await site({ "a.txt": `${"a".repeat(60)}!\n` });
  expect(await grep({ pattern: "(a+)+$" })).toContain("FAILED pattern: the search takes too long");
});

test("fs_grep does not follow a link that leads outside the project", async () => {
  const { grep, root } = await site({ "a.txt": "in\n" });
  await writeFile(`${root}-outside.txt`, "in secret\n");
  await symlink(`${root}-outside.txt`, path.join(root, "b.txt"));
  expect(await grep({ pattern: "in" })).toBe("a.txt:1:in");
});

test("fs_grep reads letters, spaces and bytes as JavaScript does", async () => {
  const { grep } = await site({
    "a.txt": "éfoo\n",
    "b.txt": "x\uFEFFy\n",
    "c.txt": new Uint8Array([0x70, 0xe9, 0x71]),
  });
  expect(await grep({ pattern: "\\bfoo" })).toBe("a.txt:1:éfoo");
  expect(await grep({ pattern: "x\\sy" })).toBe("b.txt:1:x\uFEFFy");
  expect(await grep({ pattern: "p.q" })).toBe("c.txt:1:p\uFFFDq");
  expect(await grep({ pattern: "p[^x]q" })).toBe("c.txt:1:p\uFFFDq");
});
