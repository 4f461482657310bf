import { expect, test } from "vitest";
import { runAtRoot } from "./settings-file.js";
import { sha256Hex } from "../text/sha256.js";

test("the working folder is / inside, and what it was afterwards, whatever happens", () => {
  const before = process.cwd();
  expect(before).not.toBe("/");
  expect(runAtRoot(() => process.cwd())).toBe("/");
  expect(process.cwd()).toBe(before);
  const fail = () => {
    throw new Error("inside");
  };
  expect(() => runAtRoot(fail)).toThrow("inside");
  expect(process.cwd()).toBe(before);
});

test("SHA-256 is the one everybody knows", () => {
  expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
