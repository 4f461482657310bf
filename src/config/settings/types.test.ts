import { expect, test } from "vitest";
import { parseByteSize } from "./types.js";

test("sizes are read with their unit, or as a number of bytes", () => {
  expect(parseByteSize("1GB")).toBe(1024 ** 3);
  expect(parseByteSize("1.5 mb")).toBe(1.5 * 1024 ** 2);
  expect(parseByteSize("10kb")).toBe(10_240);
  expect(parseByteSize("17B")).toBe(17);
  expect(parseByteSize("2048")).toBe(2048);
  expect(parseByteSize(0)).toBe(0);
});

test.each(["", "GB", "-1", "1 TB", "1GB banana", "1e9", "0x10", " 1", "9999999999GB"])(
  "%j is not a size",
  (spelled) => {
    expect(parseByteSize(spelled)).toBeUndefined();
  },
);

test.each([-1, Number.NaN, Infinity, 1e300])("%d bytes are not a size", (bytes) => {
  expect(parseByteSize(bytes)).toBeUndefined();
});
