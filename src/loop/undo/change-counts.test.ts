import { expect, test } from "vitest";
import { toBytes } from "../../git/base/bytes.js";
import { countChanges, countReverted } from "./plan-undo.js";

const absent = { mode: "000000", oid: "0" };
const one = { mode: "100644", oid: "1" };
const two = { mode: "100644", oid: "2" };

test("the changes of a task are counted by what happened to each path, and a revert counts the same", () => {
  const changes = [
    { path: toBytes("z"), from: absent, to: one },
    { path: toBytes("ä"), from: absent, to: one },
    { path: "changed", from: one, to: two },
    { path: "gone", from: one, to: absent },
  ];
  const counts = { created: ["z", "ä"], modified: ["changed"], deleted: ["gone"] };
  expect(countChanges(changes)).toEqual(counts);
  expect(countReverted(changes.map(({ path, from, to }) => ({ path, from: to, to: from })))).toEqual(counts);
});
