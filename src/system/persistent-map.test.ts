import fc from "fast-check";
import { expect, test } from "vitest";
import { PersistentMap } from "./persistent-map.js";

test("a changed copy is what a map would be, and leaves the first as it was", () => {
  // More keys than are held apart, so that they are laid together several times.
  const entries = fc.array(fc.tuple(fc.nat(200), fc.nat(9)), { maxLength: 400, size: "max" });
  fc.assert(
    fc.property(entries, entries, (first, more) => {
      const map = new Map(first);
      const before = PersistentMap.of(first);
      const was = [...before];
      expect(was).toEqual([...map]);
      let after = before;
      for (const [key, value] of more) {
        map.set(key, value);
        after = after.with(key, value);
      }
      expect([...after]).toEqual([...map]);
      expect(after.size).toBe(map.size);
      const keys = Array.from({ length: 202 }, (_, key) => key);
      expect(keys.map((key) => after.get(key))).toEqual(keys.map((key) => map.get(key)));
      expect(keys.map((key) => after.has(key))).toEqual(keys.map((key) => map.has(key)));
      expect([...before]).toEqual(was);
    }),
  );
});

test("20,000 changed copies, each of the one before, share what they have in common", () => {
  const from = process.cpuUsage();
  let map = PersistentMap.of<number, number>();
  for (let key = 0; key < 20_000; key++) map = map.with(key, key);
  expect(process.cpuUsage(from).user / 1000).toBeLessThan(4_000);
  expect([...map]).toHaveLength(20_000);
});
