import { expect, test } from "vitest";
import { toBytes } from "../../git/base/bytes.js";
import { NOTHING, type DiffEntry, type Version } from "../../git/base/read/diff.js";
import { planRoom } from "./room-orders.js";

const FILE: Version = { mode: "100644", oid: "file" };
const LINK: Version = { mode: "120000", oid: "link" };
const change = (path: string, from: Version, to: Version): DiffEntry => ({ path: toBytes(path), from, to });
const planned = (held: string, changes: DiffEntry[]): string[] =>
  planRoom(changes, (path) => path !== held).entries.map(({ path }) => path);

test("a room has the selected changes, and the others are held back", () => {
  const plan = planRoom(
    [change("a.js", FILE, LINK), change("b.js", FILE, NOTHING)],
    (path) => path === "a.js",
  );
  expect(plan.entries.map(({ path }) => path)).toEqual(["a.js"]);
  expect(plan.heldBack).toEqual(["b.js"]);
});

test("a held file is not replaced by a link, a file or a folder", () => {
  const folder = [change("test/a.js", FILE, NOTHING), change("test", NOTHING, LINK)];
  expect(planned("test/a.js", folder)).toEqual([]);
  expect(planRoom(folder, (path) => path === "test").heldBack).toEqual(["test/a.js", "test"]);
  expect(planned(".npmrc", [change(".npmrc", FILE, NOTHING), change(".npmrc/a.js", NOTHING, FILE)])).toEqual(
    [],
  );
});

test("a removed file that is not held leaves room for a folder of its name", () => {
  const changes = [change("lib", FILE, NOTHING), change("lib/a.js", NOTHING, FILE)];
  expect(planned("other", changes)).toEqual(["lib", "lib/a.js"]);
});
