// New files that are found before another file: programs, modules, headers, classes of libraries.
import { expect, test } from "vitest";
import { referenceOf } from "../testing/sorted.js";
import { foundBefore, mayBeProgram } from "./found-first.js";
import type { ChangedFile } from "./files.js";
import { familyOf } from "./languages.js";

interface Place {
  /** The mode of the new file. */
  mode?: string;
  /** Files of the project, and the folders in which modules are looked up. */
  there?: readonly string[];
  searched?: readonly string[];
}

const added = (path: string, mode = "100644"): ChangedFile => ({
  path,
  from: { mode: "000000", oid: "" },
  to: { mode, oid: "new" },
  before: undefined,
  after: "",
});

/** On a machine that has jq, in a project whose program is in `src/`. */
const before = (path: string, { mode, there = [], searched = [""] }: Place): string | undefined =>
  foundBefore(added(path, mode), {
    files: referenceOf(Object.fromEntries(there.map((one) => [one, ""]))),
    hasProgram: (name) => name === "jq",
    searched,
    language: familyOf(path),
    isProgram: (one) => one.startsWith("src/"),
  });

test.each<[string, Place, string]>([
  ["tools/node", { mode: "100755" }, "the program node"],
  ["tools/jq", { mode: "100755" }, "the program jq"],
  ["tools/bin/jq", {}, "the program jq"],
  ["random.py", {}, "the module random"],
  ["random/__init__.py", {}, "the module random"],
  ["random.cpython-312.so", {}, "the module random"],
  ["random.pyd", {}, "the module random"],
  ["random.pyc", {}, "the module random"],
  ["lib/random.py", { searched: ["", "lib"] }, "the module random"],
  ["pytest.py", {}, "the module pytest"],
  ["box/deep/pytest.py", {}, "a module that runs tests"],
  ["requests.py", { there: ["vendored/requests/__init__.py"] }, "vendored/requests/__init__.py"],
  ["lib/set.rb", {}, "Ruby's set"],
  ["gems/box/lib/json/more.rb", {}, "Ruby's json"],
  ["lib/set.rb", { there: ["lib/set_more.rb", "lib/setting/a.rb"] }, "Ruby's set"],
  ["src/test/java/org/junit/Assert.java", {}, "the library's org/junit/"],
  ["junit/Assert.java", {}, "the library's junit/"],
  ["org/hamcrest/A.java", {}, "the library's org/hamcrest/"],
  ["org/mockito/A.kt", {}, "the library's org/mockito/"],
  ["org/testng/A.java", { there: ["src/box/A.java"] }, "the library's org/testng/"],
  ["org/assertj/A.java", {}, "the library's org/assertj/"],
  ["src/edge.h", { there: ["include/edge.h"] }, "include/edge.h"],
  ["src/edge.hpp", { there: ["src/a.hpp", "include/edge.hpp"] }, "include/edge.hpp"],
  ["include/stdio.h", {}, "the header stdio.h"],
])("%s is found before another: %o", (path, place, other) => {
  expect(before(path, place)).toBe(other);
});

test.each<[string, string, Place]>([
  ["a program that cannot be started by its name", "tools/jq", {}],
  ["a program of a new name", "bin/box", { mode: "100755" }],
  ["a module of a new name", "box.py", {}],
  ["a file of another language", "random.js", {}],
  ["a text about a library", "random.so.txt", {}],
  ["a module in no folder that is searched", "box/random.py", {}],
  ["a module beside the folder that is searched", "random.py", { searched: ["lib"] }],
  ["a module of a package", "box/random.py", { there: ["box/__init__.py"], searched: ["box"] }],
  ["a module in a folder with an ending", "random.egg/a.py", {}],
  ["a library whose name is a runner's", "box/deep/pytest.so", {}],
  ["a module named like a package of the program", "requests.py", { there: ["src/requests/__init__.py"] }],
  [
    "a module named like a part of a package",
    "requests.py",
    {
      there: ["vendored/box/__init__.py", "vendored/box/requests/__init__.py"],
    },
  ],
  ["a file of Ruby with a new name", "lib/box.rb", {}],
  ["a file of Ruby beside lib/", "mylib/set.rb", {}],
  ["a file of another language in lib/", "lib/set.js", {}],
  ["a further file of a folder of Ruby", "lib/set/b.rb", { there: ["lib/set/a.rb"] }],
  ["the first file below one of Ruby", "lib/set/b.rb", { there: ["lib/a.rb", "lib/set.rb"] }],
  ["a class of the program", "org/box/A.java", {}],
  ["a class of a package whose name ends alike", "myjunit/A.java", {}],
  ["a class of the library itself", "org/junit/B.java", { there: ["pom.xml", "src/org/junit/A.java"] }],
  ["a file of another language in a library's place", "org/junit/a.js", {}],
  ["a header of a new name", "src/edge.h", { there: ["src/edge.c", "src/other.h"] }],
  ["a header that was there itself", "src/edge.h", { there: ["src/edge.h"] }],
  ["a text about a header", "src/edge.h.txt", { there: ["include/edge.h.txt"] }],
  ["a header of C++ with nearly a library's name", "mat.hh", {}],
])("a new file is found before no other: %s", (_, path, place) => {
  expect(before(path, place)).toBeUndefined();
});

test.each<[string, string, boolean]>([
  ["tools/a", "100755", true],
  ["tools/a", "120000", true],
  ["bin/a", "100644", true],
  ["bin/a/b", "100644", false],
  ["tools/a", "100644", false],
])("%s with mode %s can be started by its name: %s", (path, mode, expected) => {
  expect(mayBeProgram(added(path, mode))).toBe(expected);
});
