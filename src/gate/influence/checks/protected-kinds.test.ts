// The kind of a path that several rules match: commands, patterns of the user, files found before the real one.
import { expect, test } from "vitest";
import type { Version } from "../../../git/base/read/diff.js";
import { findNamedFiles } from "./protected-commands.js";
import { protect, type Protection, type ProtectionRules } from "./protected.js";

const FILE: Version = { mode: "100644", oid: "a" };
const PROGRAM: Version = { mode: "100755", oid: "p" };

/** A project whose commands are these, with these files in it. */
function judge(
  rules: Partial<ProtectionRules> & { commands?: string[]; files?: Record<string, string> } = {},
): Protection {
  const { commands = [], files = {}, ...more } = rules;
  const base = { has: (path: string) => path in files, text: (path: string) => files[path] };
  const named = findNamedFiles({ project: commands, own: [] }, more.work ?? "", base);
  return protect({ patterns: [], project: "", work: "", named, ...more });
}

test("files that commands name, and files that their tools read, are held", () => {
  const { kindOf } = judge({ commands: ["node run.mjs", "make"], files: { "run.mjs": "" } });
  expect(kindOf("run.mjs")).toBe("held");
  expect(kindOf("sub/run.mjs")).toBe("free");
  for (const path of ["Makefile", "sub/Makefile", "rules.mk"]) expect(kindOf(path)).toBe("held");
  expect(judge().kindOf("Makefile")).toBe("free");
});

test("a test that a command names stays a test, and a runner's setting is held", () => {
  const files = { "test/run.test.js": "", "test/README.md": "", "jest.config.js": "" };
  const commands = ["node test/run.test.js", "node test/README.md", "jest -c jest.config.js"];
  const { kindOf } = judge({ commands, files });
  expect(kindOf("test/run.test.js")).toBe("test");
  expect(kindOf("test/README.md")).toBe("held");
  expect(kindOf("jest.config.js")).toBe("held");
  expect(judge().kindOf("jest.config.js")).toBe("config");
  expect(judge().kindOf("test/jest.config.js")).toBe("config");
});

test("a pattern of the user holds other files, and a test stays a test", () => {
  const { kindOf, isTakenOut } = judge({ patterns: ["test/", "src/", "jest.config.js", "!src/open/"] });
  expect(kindOf("test/a.js")).toBe("test");
  expect(kindOf("src/a.js")).toBe("held");
  expect(kindOf("jest.config.js")).toBe("held");
  expect(kindOf("src/open/a.js")).toBe("free");
  expect(kindOf("lib/a.js")).toBe("free");
  expect(["test/a.js", "src/a.js", "src/open/a.js", "lib/a.js"].map(isTakenOut)).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test("the last of the user's patterns that match a path counts", () => {
  const { isTakenOut, kindOf } = judge({ patterns: ["!src/", "src/a.js"] });
  expect([isTakenOut("src/a.js"), isTakenOut("src/b.js")]).toEqual([false, true]);
  expect([kindOf("src/a.js"), kindOf("src/b.js")]).toEqual(["held", "free"]);
});

test("paths are matched relative to the project", () => {
  const { kindOf } = judge({ project: "app", patterns: ["/data", "!/app/open"] });
  expect(kindOf("app/data")).toBe("held");
  expect(kindOf("application/data")).toBe("free");
  expect(kindOf("data")).toBe("held");
  expect(judge({ project: "test" }).kindOf("test/a.js")).toBe("free");
  expect(judge({ project: "tes" }).kindOf("test/a.js")).toBe("test");
});

test.each(["\n", "\r", "\u2028", "\u2029"])(
  "an end of a line in a name is a character like others: %j",
  (end) => {
    expect(judge().kindOf(`te${end}st/a.js`)).toBe("free");
    expect(judge().kindOf(`a${end}b/.npmrc`)).toBe("held");
    expect(judge().kindOf(`test/a${end}b${end}`)).toBe("test");
  },
);

test.each<[string, string, Version, Partial<ProtectionRules>]>([
  ["shadow", "argparse.py", FILE, {}],
  ["shadow", "argparse.cpython-312-x86_64-linux-gnu.so", FILE, {}],
  ["shadow", "argparse.pyc", FILE, {}],
  ["shadow", "argparse.pyd", FILE, {}],
  ["free", "argparse.txt", FILE, {}],
  ["free", "argparse", FILE, {}],
  ["free", "argparse.python", FILE, {}],
  ["free", "argparsepy", FILE, {}],
  ["free", "argparsing.py", FILE, {}],
  ["shadow", "argparse.py", FILE, { project: "app", work: "app" }],
  ["shadow", "app/argparse.py", FILE, { project: "app", work: "app/sub" }],
  ["shadow", "app/sub/argparse.py", FILE, { project: "app", work: "app/sub" }],
  ["free", "app/other/argparse.py", FILE, { project: "app", work: "app/sub" }],
  ["shadow", "src/unittest.py", FILE, {}],
  ["shadow", "src/unittest/case.py", FILE, {}],
  ["free", "src/unittest/README", FILE, {}],
  ["free", "src/unittest", FILE, {}],
  ["free", "src/unittest/deep/case.py", FILE, {}],
  ["free", "src/myunittest.py", FILE, {}],
  ["shadow", "tests/unittest.py", FILE, {}],
  ["held", "node_modules/unittest.py", FILE, {}],
  ["config", ".github/unittest.py", FILE, {}],
  ["free", "unittest.py", FILE, { patterns: ["!unittest.py"] }],
  ["shadow", "unittest.py", FILE, { patterns: ["!pytest.py"] }],
  ["held", "unittest.py", FILE, { patterns: ["*.py"] }],
  ["shadow", "tools/bin/node", FILE, {}],
  ["shadow", "node", PROGRAM, {}],
  ["free", "src/node", FILE, {}],
  ["free", "bin/node.py", PROGRAM, {}],
  ["free", "sbin/sort", PROGRAM, {}],
])("new: %s %s", (kind, path, version, rules) => {
  expect(judge(rules).kindOfNew(path, version)).toBe(kind);
});

test("a module beside a script of a check hides the real one", () => {
  const files = { "tools/prove.py": "import json\nimport mine\n" };
  const { kindOfNew } = judge({ commands: ["python3 tools/prove.py"], files });
  expect(kindOfNew("tools/json.py", FILE)).toBe("shadow");
  expect(kindOfNew("tools/argparse.py", FILE)).toBe("shadow");
  expect(kindOfNew("json.py", FILE)).toBe("shadow");
  expect(kindOfNew("src/json.py", FILE)).toBe("free");
  expect(kindOfNew("tools/csv.py", FILE)).toBe("free");
  expect(kindOfNew("tools/mine.py", FILE)).toBe("free");
});
