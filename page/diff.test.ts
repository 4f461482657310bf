import { expect, test } from "vitest";
import { patchesOf } from "./diff.js";

test("a file without changed lines is not taken for the head of the next one: modes, renames and binaries are told", () => {
  const text = [
    "diff --git a/run.sh b/run.sh",
    "old mode 100644",
    "new mode 100755",
    "diff --git a/old.txt b/new.txt",
    "similarity index 100%",
    "rename from old.txt",
    "rename to new.txt",
    "diff --git a/a.ts b/a.ts",
    "index 1..2 100644",
    "--- a/a.ts",
    "+++ b/a.ts",
    "@@ -1 +1 @@",
    "-one",
    "+two",
    "diff --git a/p.png b/p.png",
    "Binary files a/p.png and b/p.png differ",
    "",
  ].join("\n");
  expect(patchesOf(text).map(({ newFileName, hunks, said }) => [newFileName, hunks.length, said])).toEqual([
    ["run.sh", 0, ["old mode 100644", "new mode 100755"]],
    ["old.txt", 0, ["rename from old.txt", "rename to new.txt"]],
    ["b/a.ts", 1, []],
    ["p.png", 0, ["Binary files a/p.png and b/p.png differ"]],
  ]);
});
