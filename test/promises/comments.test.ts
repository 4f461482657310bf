// Comments may be trusted: a source file that a comment names exists.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../rig/documents.js";

/** Names in comments that are examples, or files of other projects. */
const EXAMPLES = ["src/a.ts", "a.ts", "lint.sh", "agent.mjs", "x.test.ts"];

/** Every file that git knows or would take, as a path from the root. */
function trackedFiles(): string[] {
  const flags = ["-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const listed = execFileSync("git", ["ls-files", ...flags], { cwd: ROOT, encoding: "utf8" });
  return listed.split("\0").filter((name) => name !== "");
}

/** The code files that the comments of a text name, as they are spelled there. */
function filesNamedIn(text: string): string[] {
  const comments = text.match(/^\s*(?:\/\/|\*|\/\*\*|#).*$/gm) ?? [];
  return comments
    .filter((comment) => !comment.includes("import("))
    .flatMap((comment) => comment.match(/(?<![\w*./-])[\w./-]+\.(?:ts|mjs|cjs|sh)\b/g) ?? []);
}

test("a comment's file names are found, in any kind of comment", () => {
  const text =
    "// Leaves it to cold.ts and a/b.mjs.\nconst x = 1; // x.ts\n/** See rig.ts. */\n * and c.sh\n# d.ts";
  expect(filesNamedIn(text)).toEqual(["cold.ts", "a/b.mjs", "rig.ts", "c.sh", "d.ts"]);
});

test("every source file that a comment names exists", () => {
  const files = trackedFiles();
  const sources = files.filter((file) =>
    /^(?:src|cmd|test|scripts|bench)\/.*\.(?:ts|mjs)$|^Makefile$/.test(file),
  );
  const lost = sources.flatMap((file) =>
    filesNamedIn(readFileSync(path.join(ROOT, file), "utf8"))
      .filter((name) => !EXAMPLES.includes(name))
      .map((name) => name.replace(/^(?:\.\.?\/)+/, ""))
      .filter((name) => !files.some((other) => `/${other}`.endsWith(`/${name}`)))
      .map((name) => `${file}: ${name}`),
  );
  expect(sources.length).toBeGreaterThan(500);
  expect(lost).toEqual([]);
});

test("no comment silences the linter or the compiler", () => {
  const code = trackedFiles().filter((file) =>
    /^(?:api|src|cmd|test|scripts|bench)\/.*\.(?:ts|mjs)$/.test(file),
  );
  const silenced = code
    .filter((file) => !file.includes("/testdata/"))
    .filter((file) =>
      /^\s*(?:\/\/|\/\*)\s*(?:(?:oxlint|eslint)-|@ts-(?:ignore|nocheck|expect-error))/m.test(
        readFileSync(path.join(ROOT, file), "utf8"),
      ),
    );
  expect(code.length).toBeGreaterThan(1000);
  expect(silenced).toEqual([]);
});
