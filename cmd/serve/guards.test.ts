import { expect, test } from "vitest";
import { judgeHead, namesOf } from "./guards.js";

const LOCAL = namesOf(4747, { secure: false });

const statusOf = (head: Record<string, string | readonly string[] | undefined>, names = LOCAL) => {
  const heads: Record<string, string | readonly string[] | undefined> = { host: "127.0.0.1:4747", ...head };
  const all = Object.entries(heads).map(([name, value]) => [
    name,
    value === undefined ? value : [value].flat(),
  ]);
  return judgeHead(Object.fromEntries(all) as NodeJS.Dict<string[]>, names)?.status;
};

test.each([["127.0.0.1:4747"], ["localhost:4747"], ["LocalHost:4747"], ["[::1]:4747"]])(
  "the host %s is its own",
  (host) => {
    expect(statusOf({ host })).toBeUndefined();
  },
);

test.each([
  [[]],
  [[""]],
  [["127.0.0.1"]],
  [["127.0.0.1:80"]],
  [["127.0.0.1.:4747"]],
  [["localhost.:4747"]],
  [["127.1:4747"]],
  [["0.0.0.0:4747"]],
  [["[::ffff:127.0.0.1]:4747"]],
  [["127.0.0.1:4747.evil.example"]],
  [["user@127.0.0.1:4747"]],
  [["evil.example:4747"]],
  [["127.0.0.1:4747", "127.0.0.1:4747"]],
  [["127.0.0.1:4747, evil.example"]],
])("the hosts %j are not its own", (hosts) => {
  expect(statusOf({ host: hosts })).toBe(421);
});

test.each([
  [{ origin: "http://127.0.0.1:4747" }, undefined],
  [{ origin: "null" }, 403],
  [{ origin: "" }, 403],
  [{ origin: "http://127.0.0.1:4748" }, 403],
  [{ origin: "https://127.0.0.1:4747" }, 403],
  [{ origin: "http://127.0.0.1:4747.evil.example" }, 403],
  [{ origin: "http://127.0.0.1:4747/" }, 403],
  [{ "sec-fetch-site": "none" }, undefined],
  [{ "sec-fetch-site": "same-origin" }, undefined],
  [{ "sec-fetch-site": "same-site" }, 403],
  [{ "sec-fetch-site": "cross-site" }, 403],
  [{ "sec-fetch-site": "Same-Origin" }, 403],
])("a request with %j is answered with %s", (head, status) => {
  expect(statusOf(head)).toBe(status);
});

test.each([
  ["application/json", undefined],
  ["application/json; charset=utf-8", undefined],
  ['Application/JSON;charset="UTF-8"', undefined],
  ["application/json; charset=utf-16", 415],
  ["application/json; charset=utf-8; x=y", 415],
  ["application/jsonp", 415],
  ["text/plain", 415],
  ["multipart/form-data", 415],
  [undefined, 415],
])("a body of the type %s is answered with %s", (type, status) => {
  for (const body of [{ "content-length": "2" }, { "transfer-encoding": "chunked" }])
    expect(statusOf({ ...body, "content-type": type })).toBe(status);
});

test("a compressed body is refused, and a type without a body is not looked at", () => {
  expect(
    statusOf({ "content-encoding": "gzip", "content-length": "2", "content-type": "application/json" }),
  ).toBe(415);
  expect(statusOf({ "content-type": "text/plain", "content-length": "0" })).toBeUndefined();
});

test("an address, a certificate and a public address add their names, and take none away", () => {
  const secure = namesOf(4747, { host: "fd00::1", secure: true, publicUrl: "https://Looper.example.org" });
  expect(statusOf({ host: ["[fd00::1]:4747"], origin: "https://[fd00::1]:4747" }, secure)).toBeUndefined();
  expect(statusOf({ host: ["looper.example.org"] }, secure)).toBeUndefined();
  expect(statusOf({ origin: "https://looper.example.org" }, secure)).toBeUndefined();
  expect(statusOf({ host: ["127.0.0.1:4747"] }, secure)).toBeUndefined();
  expect(statusOf({ origin: "http://looper.example.org" }, secure)).toBe(403);
  expect(statusOf({ host: ["looper.example.org:4747"] }, secure)).toBe(421);
});
