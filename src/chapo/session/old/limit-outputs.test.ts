import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { limitOutputs, shareOut } from "./limit-outputs.js";

test.each([
  [[5, 5], 10, Infinity],
  [[1, 20, 20], 21, 10],
  [[30], 10, 10],
  [[], 10, Infinity],
])("outputs of %j bytes share %i: each has at most %d", (sizes, room, most) => {
  expect(shareOut(sizes, room)).toBe(most);
});

test("of the outputs of a closed session the longest is cut in the middle and says so; the others stay", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "outputs-"));
  try {
    const { files } = nodePorts();
    const [long, short] = [path.join(folder, "1.out"), path.join(folder, "2.out")];
    writeFileSync(short, "short");
    writeFileSync(long, `begin${"ä".repeat(18 * 1024 * 1024)}end`);
    const { size } = statSync(long);
    await limitOutputs(files, folder);
    const text = readFileSync(long, "utf8");
    const [, cut = ""] =
      /\n\[… (\d+) of 37748744 bytes were cut here when the session was closed: it keeps 32 MiB of outputs …\]\n/.exec(
        text,
      ) ?? [];
    expect([text.startsWith("beginä"), text.endsWith("äend"), text.includes("\u{fffd}")]).toEqual([
      ...[true, true, false],
    ]);
    expect(size - Number(cut)).toBeLessThanOrEqual(24 * 1024 * 1024);
    expect(statSync(long).size).toBeGreaterThan(23 * 1024 * 1024);
    expect([readFileSync(short, "utf8"), readdirSync(folder)]).toEqual(["short", ["1.out", "2.out"]]);
    // Below the limit nothing is cut again.
    const before = statSync(long).size;
    await limitOutputs(files, folder);
    expect(statSync(long).size).toBe(before);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
