import fc from "fast-check";
import { expect, test } from "vitest";
import { ById } from "./indexed-list.js";

test("a changed copy equals a map and does not change the original", () => {
  const ids = fc.constantFrom<string>("a", "b", "c", "d", "e");
  const values = fc.array(fc.record({ id: ids, n: fc.nat(9) }), { maxLength: 4 });
  fc.assert(
    fc.property(values, values, fc.array(ids, { maxLength: 2 }), (first, changed, removed) => {
      const map = new Map(first.map((value) => [value.id, value]));
      const before = ById.of(first);
      const was = [...map.values()];
      expect(before.values).toEqual(was);
      const after = before.with(changed, removed);
      for (const id of removed) map.delete(id);
      for (const value of changed) map.set(value.id, value);
      expect(after.values).toEqual([...map.values()]);
      expect(after.size).toBe(map.size);
      for (const id of ["a", "b", "c", "d", "e"]) expect(after.get(id)).toEqual(map.get(id));
      expect(before.values).toEqual(was);
    }),
  );
});
