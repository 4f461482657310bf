// Posts a notice to an address: JSON, one try, no redirects.
import type { Network, NetworkAnswer } from "../../system/network.js";
import { shorten } from "../../system/text/cut.js";

export interface PostEnd {
  outcome: "ok" | "failed" | "timed-out";
  error?: string;
}

/** Of an answer, only enough to say what was wrong. */
const MOST_BODY = 4096;

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

function readAddress(text: string): URL | undefined {
  return URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
}

/** Posts the text. Never throws. */
export async function postNotice(
  network: Network,
  { address, body, signal }: { address: string; body: string; signal: AbortSignal },
): Promise<PostEnd> {
  const url = readAddress(address);
  if (url === undefined) return { outcome: "failed", error: "it is not a valid address" };
  const answer = await network.request({
    url,
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "looper", ...credentials(url) },
    body,
    signal,
    maxBytes: MOST_BODY,
    // The address is the user's own, or approved by the user; it may well be in the local network.
    mayConnect: () => true,
  });
  return judge(answer);
}

function judge(answer: NetworkAnswer): PostEnd {
  if ("failed" in answer)
    return answer.failed === "aborted"
      ? { outcome: "timed-out", error: "no answer in time" }
      : { outcome: "failed", error: answer.message };
  const { status, headers, body } = answer;
  if (status >= 200 && status < 300) return { outcome: "ok" };
  const text = shorten(new TextDecoder().decode(body).replaceAll(/\s+/gu, " ").trim(), 200);
  const said = headers.has("location") ? "a redirect, which is not followed" : text;
  return { outcome: "failed", error: `answered ${status}${said === "" ? "" : `: ${said}`}` };
}

/** Name and password in an address are for its own host. */
function credentials({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}
