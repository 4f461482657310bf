import { expect, test } from "vitest";
import { isMentioned } from "./mentioned.js";

test.each([
  ["https://example.org/docs", "see https://example.org/docs."],
  ["https://example.org/", "look at example.org, please"],
  ["https://example.org/docs/", "(http://EXAMPLE.org/docs)"],
  ["https://example.org/a?b=c", "[x](https://example.org/a?b=c)"],
  ["https://example.org/a#part", "https://example.org/a#other is it"],
  ["https://example.org/a", '{"url":"https://example.org/a"}'],
])("%s is mentioned in %j", (url, text) => {
  expect(isMentioned(url, ["nothing", text])).toBe(true);
});

test.each([
  ["https://example.org/?leak=secret", "https://example.org/"],
  ["https://example.org/a", "https://example.org/abc"],
  ["https://example.org/a", "https://example.org/a/b https://example.org/a.html https://example.org/a?x"],
  ["https://example.org/", "https://bad-example.org/ https://www.example.org/ https://example.org.evil.net/"],
  ["https://example.org/", "https://example.org/deeper"],
  ["https://example.org/", "me@example.org"],
  ["https://", "https://"],
])("%s is not mentioned in %j", (url, text) => {
  expect(isMentioned(url, [text])).toBe(false);
});
