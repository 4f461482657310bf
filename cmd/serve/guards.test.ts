import { expect, test } from "vitest";
import { judgeHead, namesOf, type RequestHead } from "./guards.js";

const PLAIN: RequestHead = {
  method: "GET",
  hosts: ["127.0.0.1:4747"],
  origin: undefined,
  site: undefined,
  type: undefined,
  encoding: undefined,
  hasBody: false,
};
const LOCAL = namesOf(4747, { host: undefined, secure: false, publicUrl: undefined });

const statusOf = (head: Partial<RequestHead>, names = LOCAL): number | undefined =>
  judgeHead({ ...PLAIN, ...head }, names)?.status;

test.each([["127.0.0.1:4747"], ["localhost:4747"], ["LocalHost:4747"], ["[::1]:4747"]])(
  "the host %s is its own",
  (host) => {
    expect(statusOf({ hosts: [host] })).toBeUndefined();
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
  expect(statusOf({ hosts })).toBe(421);
});

test.each([
  [{ origin: "http://127.0.0.1:4747" }, undefined],
  [{ origin: "null" }, 403],
  [{ origin: "" }, 403],
  [{ origin: "http://127.0.0.1:4748" }, 403],
  [{ origin: "https://127.0.0.1:4747" }, 403],
  [{ origin: "http://127.0.0.1:4747.evil.example" }, 403],
  [{ origin: "http://127.0.0.1:4747/" }, 403],
  [{ site: "none" }, undefined],
  [{ site: "same-origin" }, undefined],
  [{ site: "same-site" }, 403],
  [{ site: "cross-site" }, 403],
  [{ site: "Same-Origin" }, 403],
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
  expect(statusOf({ method: "POST", hasBody: true, type })).toBe(status);
});

test("a compressed body is refused, and a type without a body is not looked at", () => {
  expect(statusOf({ encoding: "gzip", hasBody: true, type: "application/json" })).toBe(415);
  expect(statusOf({ type: "text/plain" })).toBeUndefined();
});

test("an address, a certificate and a public address add their names, and take none away", () => {
  const secure = namesOf(4747, { host: "fd00::1", secure: true, publicUrl: "https://Looper.example.org" });
  expect(statusOf({ hosts: ["[fd00::1]:4747"], origin: "https://[fd00::1]:4747" }, secure)).toBeUndefined();
  expect(statusOf({ hosts: ["looper.example.org"] }, secure)).toBeUndefined();
  expect(statusOf({ origin: "https://looper.example.org" }, secure)).toBeUndefined();
  expect(statusOf({ hosts: ["127.0.0.1:4747"] }, secure)).toBeUndefined();
  expect(statusOf({ origin: "http://looper.example.org" }, secure)).toBe(403);
  expect(statusOf({ hosts: ["looper.example.org:4747"] }, secure)).toBe(421);
});
