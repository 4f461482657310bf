import { expect, test } from "vitest";
import type { Network, NetworkAnswer, NetworkRequest } from "../../system/network.js";
import { isAddress, nameReceiver, postNotice } from "./post-notice.js";

const answer = (status: number, headers: Record<string, string> = {}, body = ""): NetworkAnswer => ({
  status,
  headers: new Map(Object.entries(headers)),
  body: Buffer.from(body),
  cut: false,
});

/** Posts to an address; the network answers in turn. */
async function post(address: string, ...answers: NetworkAnswer[]) {
  const asked: NetworkRequest[] = [];
  const network: Network = {
    request: (request) => {
      asked.push(request);
      return Promise.resolve(answers[asked.length - 1] ?? answer(200));
    },
  };
  const end = await postNotice(network, { address, body: "{}", signal: new AbortController().signal });
  return { end, urls: asked.map(({ method, url }) => `${method} ${url.href}`), asked };
}

test("an answer of 2xx is ok, and any other is named with what it says", async () => {
  expect((await post("http://a/x", answer(204))).end).toEqual({ outcome: "ok" });
  expect((await post("http://a/x", answer(404, {}, "no\nsuch topic"))).end).toEqual({
    outcome: "failed",
    error: "answered 404: no such topic",
  });
  expect((await post("http://a/x", { failed: "aborted", message: "" })).end.outcome).toBe("timed-out");
  expect((await post("http://", answer(200))).end.error).toBe("it is not a valid address");
});

test("a redirect is a failure that says so", async () => {
  const { end, urls } = await post("http://a/x", answer(307, { location: "https://b/z" }));
  expect(end).toEqual({ outcome: "failed", error: "answered 307: a redirect, which is not followed" });
  expect(urls).toEqual(["POST http://a/x"]);
});

test("a name and a password in the address become a header", async () => {
  const { asked } = await post("http://ada:p%40ss@a/x");
  expect(asked[0]?.headers).toMatchObject({ authorization: `Basic ${btoa("ada:p@ss")}` });
});

test.each([
  ["https://hooks.slack.com/services/T/B/secret", true, "https://hooks.slack.com/…"],
  [" http://u:p@localhost:8080/x ", true, "http://localhost:8080/…"],
  ["curl https://x", false, "curl https://x"],
  ["https://x y", false, "https://x y"],
])("%j is an address: %s, and is named %j", (receiver, is, named) => {
  expect(isAddress(receiver)).toBe(is);
  expect(nameReceiver(receiver)).toBe(named);
});
