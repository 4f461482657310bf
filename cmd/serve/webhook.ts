// Answers from chat tools, which have no session: a request that its sender signed with the user's secret.
import { hmacSha256Hex, sha256Hex } from "../../src/system/text/sha256.js";
import { ApiError } from "./api-error.js";
import type { Site } from "./route.js";

const SECRET = "serve.webhook_secret";
/** The clocks of two machines differ, and a request that was caught must not count for long. */
const MOST_APART_S = 300;

export interface SignedRequest {
  /** Seconds since 1970, as the sender wrote them. */
  timestamp: string | undefined;
  /** `sha256=` and the digest of `timestamp.body`. */
  signature: string | undefined;
  bytes: Uint8Array;
  /** Epoch ms. */
  now: number;
}

/** Whether the bytes were signed with the secret, and lately. Pure. */
export function isSigned(secret: string, { timestamp = "", signature = "", bytes, now }: SignedRequest) {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > MOST_APART_S) return false;
  const wanted = `sha256=${hmacSha256Hex(secret, Buffer.concat([Buffer.from(`${timestamp}.`), bytes]))}`;
  // Digests are compared, so that the time taken tells nothing of the signature.
  return sha256Hex(wanted) === sha256Hex(signature);
}

/** Throws unless the request is signed with the user's secret; a project's own does not count. */
export async function mustBeSigned({ context, project }: Site, signed: Omit<SignedRequest, "now">) {
  const { values } = (await project()).resolved;
  const { value, source } = values.get(SECRET) ?? {};
  if (typeof value !== "string" || value === "" || source?.layer !== "user")
    throw new ApiError(404, "off", "the webhook is off", {
      hint: `the user's own settings turn it on: ${SECRET}`,
    });
  if (!isSigned(value, { ...signed, now: context.ports.clock.now() }))
    throw new ApiError(401, "signature", "the signature is wrong, or more than five minutes old");
}
