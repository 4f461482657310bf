// Every break in test/sabotage names a test that exists, and the proof counts every break. Leaves running them to `make sabotage`.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import PROOF from "../../docs/proof.json" with { type: "json" };
import { ROOT } from "../rig/documents.js";

const FOLDER = path.join(ROOT, "test", "sabotage");
const PLACEHOLDER = /%[sijdfop]|\$\{[^}]*\}|\$[\w.]+/;
/** A shorter piece of a name with placeholders could be anywhere. */
const SHORTEST_PIECE = 6;

const patches = readdirSync(FOLDER).filter((name) => name.endsWith(".patch"));

/** Whether a test file has a test of that name, or of a name with placeholders that may stand for it. */
function hasTest(source: string, name: string): boolean {
  if (source.includes(name)) return true;
  const quoted = source.matchAll(/(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1/g);
  return [...quoted]
    .map(([, , text = ""]) => text.split(PLACEHOLDER))
    .some(
      (pieces) => pieces.length > 1 && pieces.some((p) => p.length >= SHORTEST_PIECE && name.includes(p)),
    );
}

test("a test is found by its name, and by a name with placeholders", () => {
  const source = 'test("it works", f);\ntest.each(ALL)("attempts end (contain: %s)", f);';
  const names = ["it works", "attempts end (contain: none)", "attempts stay"];
  expect(names.filter((name) => hasTest(source, name))).toEqual(names.slice(0, 2));
});

test.each(patches)("%s names a test that is there", (patch) => {
  const text = readFileSync(path.join(FOLDER, patch), "utf8");
  const [, file = "", name = ""] = /^# test: (\S+) -t "(.+)"$/m.exec(text) ?? [];
  expect(name).not.toBe("");
  expect(existsSync(path.join(ROOT, file))).toBe(true);
  expect(hasTest(readFileSync(path.join(ROOT, file), "utf8"), name)).toBe(true);
});

test("every break applies to the code as it is", () => {
  const failing = patches.filter((patch) => {
    const checked = spawnSync("git", ["apply", "--check", path.join(FOLDER, patch)], { cwd: ROOT });
    return checked.status !== 0;
  });
  expect(failing).toEqual([]);
});

test("the proof of make sabotage counts every patch", () => {
  const proof = PROOF.find(({ command }) => command === "make sabotage");
  expect(proof?.result).toBe(`${patches.length} of ${patches.length} breaks caught`);
});
