import { expect, test } from "vitest";
import { hmacSha256Hex } from "../../src/system/text/sha256.js";
import type { Site } from "./route.js";
import { isSigned, mustBeSigned } from "./webhook.js";

test("a signature counts for its bytes, its time and its secret, for five minutes", () => {
  const bytes = Buffer.from('{"question":"T1"}');
  const now = 1_769_846_400_000;
  const sign = (secret: string, timestamp: string): string =>
    `sha256=${hmacSha256Hex(secret, Buffer.concat([Buffer.from(`${timestamp}.`), bytes]))}`;
  const at = String(now / 1000);
  const good = { timestamp: at, signature: sign("key", at), bytes, now };
  expect(isSigned("key", good)).toBe(true);
  expect(isSigned("key", { ...good, now: now + 299_000 })).toBe(true);
  for (const bad of [
    { now: now + 301_000 },
    { now: now - 301_000 },
    { bytes: Buffer.from('{"question":"T2"}') },
    { signature: sign("other", at) },
    { signature: sign("key", String(now / 1000 + 1)) },
    { signature: good.signature.slice(7) },
    { signature: undefined },
    { timestamp: undefined },
    { timestamp: ` ${at}` },
    { timestamp: "1e9" },
  ])
    expect(isSigned("key", { ...good, ...bad }), JSON.stringify(bad)).toBe(false);
});

test("the webhook is off without a secret of the user's own: a project's does not count", async () => {
  const clock = { now: () => 0 };
  const bytes = Buffer.from("{}");
  const signature = `sha256=${hmacSha256Hex("key", Buffer.from("0.{}"))}`;
  const judge = async (layer: string | undefined): Promise<string> => {
    const values = new Map(
      layer === undefined ? [] : [["serve.webhook_secret", { value: "key", source: { layer } }]],
    );
    const site = { context: { ports: { clock } }, project: () => Promise.resolve({ resolved: { values } }) };
    return mustBeSigned(site as unknown as Site, { timestamp: "0", signature, bytes }).then(
      () => "taken",
      (error: unknown) => (error as { code: string }).code,
    );
  };
  expect(await Promise.all(["user", "project", "env", undefined].map(judge))).toEqual([
    "taken",
    "off",
    "off",
    "off",
  ]);
});
