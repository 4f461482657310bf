import { expect } from "vitest";
import { test } from "../../testing/scratch.js";
import { diffVersions } from "./file-diff.js";
import { NOTHING, type Version } from "./diff.js";

test("a change is shown by its lines, or in words if it is not a text", async ({ scratch }) => {
  const repo = await scratch.open();
  const blob = async (text: string, mode = "100644"): Promise<Version> => {
    const at = `${scratch.top}/blob`;
    await scratch.ports.files.writeAtomic(at, Buffer.from(text, "latin1"));
    return { mode, oid: await scratch.git("hash-object", "-w", at) };
  };
  const [before, after] = [await blob("a\nb\nc\nd\n"), await blob("a\nB\nc\nd\n")];
  expect(await diffVersions(repo, before, after)).toBe("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
  expect(await diffVersions(repo, NOTHING, after)).toBe("+a\n+B\n+c\n+d\n");
  expect(await diffVersions(repo, before, NOTHING)).toBe("-a\n-b\n-c\n-d\n");
  expect(await diffVersions(repo, before, { ...before, mode: "100755" })).toBe("mode 100644 became 100755\n");
  expect(await diffVersions(repo, before, await blob("x\0y"))).toBe("a binary file changed\n");
  expect(await diffVersions(repo, NOTHING, await blob("x\0y"))).toBe("+a binary or big file\n");
  expect(await diffVersions(repo, before, { mode: "160000", oid: before.oid })).toBe(
    "a file became a submodule\n",
  );
  expect(await diffVersions(repo, NOTHING, await blob("../outside", "120000"))).toBe("+../outside\n");
});
