// Posts a notice to an address: JSON, one try, redirects only to where the first address could have led.
import type { Network, NetworkAnswer } from "../../system/network.js";
import { shorten } from "../../system/text/cut.js";

export interface PostEnd {
  outcome: "ok" | "failed" | "timed-out";
  error?: string;
}

const MOST_REDIRECTS = 5;
/** Of an answer, only enough to say what was wrong. */
const MOST_BODY = 4096;
/** A POST that is repeated at another address; 303 asks for a GET instead. */
const REPEATED: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** Whether a receiver of notices is an address instead of a command. */
export function isAddress(receiver: string): boolean {
  return /^https?:\/\/\S+$/iu.test(receiver.trim());
}

/** The receiver as the log names it. The path of an address is often a secret. */
export function nameReceiver(receiver: string): string {
  if (!isAddress(receiver)) return receiver;
  const url = readAddress(receiver);
  return url === undefined ? "an address" : `${url.protocol}//${url.host}/…`;
}

function readAddress(text: string, base?: URL): URL | undefined {
  return URL.canParse(text.trim(), base?.href) ? new URL(text.trim(), base?.href) : undefined;
}

/** Posts the text. Never throws. */
export async function postNotice(
  network: Network,
  { address, body, signal }: { address: string; body: string; signal: AbortSignal },
): Promise<PostEnd> {
  let url = readAddress(address);
  if (url === undefined) return { outcome: "failed", error: "it is not a valid address" };
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const answer = await network.request({
      url,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "looper",
        ...credentials(url),
      },
      body,
      signal,
      maxBytes: MOST_BODY,
      // The address is the user's own, or approved by the user; it may well be in the local network.
      mayConnect: () => true,
    });
    const next = judge(answer, url);
    if (!(next instanceof URL)) return next;
    url = next;
  }
  return { outcome: "failed", error: `more than ${MOST_REDIRECTS} redirects` };
}

/** The end, or the address that comes next. */
function judge(answer: NetworkAnswer, from: URL): PostEnd | URL {
  if ("failed" in answer)
    return answer.failed === "aborted"
      ? { outcome: "timed-out", error: "no answer in time" }
      : { outcome: "failed", error: answer.message };
  const { status, headers, body } = answer;
  if (status >= 200 && status < 300) return { outcome: "ok" };
  const location = headers.get("location");
  if (!REPEATED.has(status) || location === undefined) {
    const text = shorten(new TextDecoder().decode(body).replaceAll(/\s+/gu, " ").trim(), 200);
    return { outcome: "failed", error: `answered ${status}${text === "" ? "" : `: ${text}`}` };
  }
  const to = readAddress(location, from);
  if (to === undefined) return { outcome: "failed", error: "redirected to an address that is not valid" };
  if (to.protocol !== from.protocol && to.protocol !== "https:")
    return {
      outcome: "failed",
      error: `redirected from ${from.protocol}// to ${to.protocol}//, which is not followed`,
    };
  return to;
}

/** Name and password in an address are for its own host. */
function credentials({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}
