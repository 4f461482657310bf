import { expect, test } from "vitest";
import type { FileStat } from "../../system/ports.js";
import { isAsPut, isSettled, isUntouched } from "./backlog-file.js";

const stat: FileStat = {
  kind: "file",
  size: 9,
  mode: 0o644,
  mtimeMs: 1_000,
  ctimeMs: 2_000,
  inode: 3,
  device: 4,
  links: 1,
};
const others: Partial<FileStat>[] = [{ device: 5 }, { inode: 5 }, { size: 5 }, { mtimeMs: 1_500 }];

test("a file is untouched while its stamp is the same", () => {
  expect(isUntouched(stat, { ...stat, mode: 0o600 })).toBe(true);
  for (const other of [...others, { ctimeMs: 2_001 }])
    expect(isUntouched(stat, { ...stat, ...other })).toBe(false);
});

test("a file read within a clock tick of a write may be written again in that tick", () => {
  expect(isSettled(stat, 2_020)).toBe(true);
  expect(isSettled(stat, 2_019)).toBe(false);
  expect(isSettled({ ...stat, mtimeMs: 2_001 }, 2_020)).toBe(false);
  expect(isSettled({ ...stat, ctimeMs: 9_000 }, 2_020)).toBe(false);
});

test("a renamed file is as written if its content is older than the rename", () => {
  const written = { ...stat, ctimeMs: 1_000 };
  expect(isAsPut(written, stat)).toBe(true);
  for (const other of others) expect(isAsPut(written, { ...stat, ...other })).toBe(false);
  expect(isAsPut(written, { ...stat, ctimeMs: 1_019 })).toBe(false);
});
