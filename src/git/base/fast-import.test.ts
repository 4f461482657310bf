import fc from "fast-check";
import { expect, test } from "vitest";
import { quotePath, toBytes, toText } from "./bytes.js";
import { parseBatch } from "./objects.js";
import { exists, NOTHING, parseRaw, sortRemovalsFirst } from "./read/diff.js";
import { importStream } from "./fast-import.js";

const byte = fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code));
const bytes = fc.string({ unit: byte, minLength: 1 });

function unquote(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(parseInt(code, 8)) : code,
    );
}

test("a quoted path is printable, has no bare quote, and decodes to the same bytes", () => {
  fc.assert(
    fc.property(bytes, (path) => {
      const quoted = quotePath(path);
      expect(quoted).toMatch(/^"(?:[ !#-[\]-~]|\\["\\]|\\[0-7]{3})*"$/);
      expect(unquote(quoted)).toBe(path);
    }),
  );
});

test("a text is the same after it was encoded and decoded", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(toText(toBytes(text))).toBe(text);
    }),
  );
});

test("the raw format is parsed for every path", () => {
  const [from, to] = ["1".repeat(40), "2".repeat(40)];
  fc.assert(
    fc.property(fc.array(bytes), (paths) => {
      const out = paths.map((path) => `:100644 100755 ${from} ${to} M\0${path}\0`).join("");
      expect(parseRaw(out)).toEqual(
        paths.map((path) => ({ path, from: { mode: "100644", oid: from }, to: { mode: "100755", oid: to } })),
      );
    }),
  );
  expect(() => parseRaw("M\0a\0")).toThrow("raw format");
});

test("objects of a batch are split by their length", () => {
  const oid = "a".repeat(40);
  fc.assert(
    fc.property(fc.array(fc.option(fc.string({ unit: byte }), { nil: undefined })), (contents) => {
      const out = contents
        .map((content) =>
          content === undefined ? "x missing\n" : `${oid} blob ${content.length}\n${content}\n`,
        )
        .join("");
      expect(parseBatch(out)).toEqual(
        contents.map((content) => (content === undefined ? undefined : { oid, content })),
      );
    }),
  );
});

test("removals are sorted before the paths that may replace them", () => {
  const there = { mode: "100644", oid: "1" };
  const entries = [
    { path: "a", from: NOTHING, to: there },
    { path: "a/b", from: there, to: NOTHING },
  ];
  expect(sortRemovalsFirst(entries).map(({ path }) => path)).toEqual(["a/b", "a"]);
  expect(exists(NOTHING)).toBe(false);
});

test("a message or a path cannot end its field in the stream", () => {
  const stream = importStream(
    [
      {
        ref: "refs/x",
        parent: "p",
        ident: { who: "A <a@b>", zone: "+0100" },
        message: "ü\nM 100644 inline evil\n",
        entries: [{ path: 'a\nD "b"', from: NOTHING, to: { mode: "100644", oid: "9" } }],
      },
    ],
    7,
  );
  expect(stream).toBe(
    [
      "commit refs/x",
      "mark :1",
      "author A <a@b> 7 +0100",
      "committer A <a@b> 7 +0100",
      "data 24\nÃ¼\nM 100644 inline evil\n",
      "from p",
      'M 100644 9 "a\\012D \\"b\\""',
      "get-mark :1",
      "done\n",
    ].join("\n"),
  );
});
