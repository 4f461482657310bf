// Sends one request to GitHub's API: through gh if it is installed, otherwise over the network with the caller's token.
// github.ts defines the requests.
import type { NetworkAnswer, NetworkRequest } from "../../../system/network.js";
import { tryParseJson } from "../../../system/text/json.js";
import { describeProblem, runProgram, type ProgramWorld } from "../program.js";

const USUAL_BASE = "https://api.github.com";
const MOST_BYTES = 2 * 1024 * 1024;
const ASK_MS = 30_000;

/** The ports and environment of a request. `GITHUB_API_URL` in the environment replaces the address of GitHub's API. */
export interface GithubWorld extends ProgramWorld {
  network: { request(request: NetworkRequest): Promise<NetworkAnswer> };
}

/** A request; `path` is relative to the repository: `/actions/runs/1`. */
export interface GithubAsk {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
}

/** The JSON of the answer, `undefined` if it is empty; or the problem. */
export type GithubAnswer = { json: unknown } | { problem: string };

/** Sends a request about the repository of the project's remote `origin`. */
export async function askGithub(
  world: GithubWorld,
  ask: GithubAsk,
  signal: AbortSignal,
): Promise<GithubAnswer> {
  const repository = await findRepository(world, signal);
  if ("problem" in repository) return repository;
  const full = { ...ask, path: `repos/${repository.name}${ask.path}` };
  const { env, ports, root } = world;
  const token = env["GITHUB_TOKEN"] ?? env["GH_TOKEN"];
  const hasOwnApi = env["GITHUB_API_URL"] !== undefined && token !== undefined;
  const gh = hasOwnApi ? undefined : await ports.processes.which("gh", env["PATH"] ?? "", root);
  if (gh !== undefined) return askThroughGh(world, full, { gh, signal });
  if (token === undefined)
    return { problem: "cannot reach GitHub: install gh and sign in, or set GITHUB_TOKEN" };
  return askOverNetwork(world, full, { token, signal });
}

/** Finds `owner/name`. A token is sent to GitHub or to the address in the user's environment, never to an address in a repository's settings. */
async function findRepository(
  world: GithubWorld,
  signal: AbortSignal,
): Promise<{ name: string } | { problem: string }> {
  const args = ["config", "--get", "remote.origin.url"];
  const ran = await runProgram(world, { command: "git", args, timeoutMs: ASK_MS }, signal);
  const url = ran.stdout.trim();
  const found = readRemote(url);
  if (found === undefined)
    return { problem: `the remote origin is not a GitHub repository: ${url === "" ? "it is not set" : url}` };
  if (found.host !== "github.com" && world.env["GITHUB_API_URL"] === undefined)
    return { problem: `the remote origin is at ${found.host}: set GITHUB_API_URL to the address of its API` };
  return { name: found.name };
}

/** Reads host and `owner/name` from a remote's address: `https://…`, `ssh://…`, `git@host:owner/name.git`. */
export function readRemote(url: string): { host: string; name: string } | undefined {
  const part = "[A-Za-z0-9._-]+";
  const [, host, name] =
    new RegExp(`^(?:(?:https?|ssh|git)://)?(?:[^@/\\s]+@)?(${part})(?::\\d+)?[:/](${part}/${part})/?$`).exec(
      url,
    ) ?? [];
  if (host === undefined || name === undefined) return undefined;
  const plain = name.replace(/\.git$/, "");
  if (plain.split("/").some((one) => one === "." || one === "..")) return undefined;
  return { host: host.toLowerCase(), name: plain };
}

async function askThroughGh(
  world: GithubWorld,
  { method, path, body }: GithubAsk,
  { gh, signal }: { gh: string; signal: AbortSignal },
): Promise<GithubAnswer> {
  const args = ["api", "--method", method, path, ...(body === undefined ? [] : ["--input", "-"])];
  const env = { ...world.env, GH_PROMPT_DISABLED: "1", NO_COLOR: "1", GH_PAGER: "cat" };
  const ran = await runProgram(
    { ...world, env },
    {
      command: gh,
      args,
      timeoutMs: ASK_MS,
      keep: { head: MOST_BYTES, tail: 0 },
      ...(body === undefined ? {} : { input: JSON.stringify(body) }),
    },
    signal,
  );
  const problem = describeProblem("gh api", ran);
  return problem === undefined ? readJson(ran.stdout) : { problem };
}

async function askOverNetwork(
  { network, env }: GithubWorld,
  { method, path, body }: GithubAsk,
  { token, signal }: { token: string; signal: AbortSignal },
): Promise<GithubAnswer> {
  const base = env["GITHUB_API_URL"] ?? USUAL_BASE;
  if (!URL.canParse(`${base}/${path}`)) return { problem: `GITHUB_API_URL: ${base} is not an address` };
  const answer = await network.request({
    url: new URL(`${base.replace(/\/$/, "")}/${path}`),
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": "looper",
      "x-github-api-version": "2022-11-28",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
    maxBytes: MOST_BYTES,
    // The user may set an address in any network.
    mayConnect: () => true,
  });
  if ("failed" in answer) return { problem: `cannot reach GitHub: ${answer.message}` };
  const text = new TextDecoder().decode(answer.body);
  if (answer.status < 200 || answer.status > 299)
    return { problem: `GitHub answers ${answer.status} to ${method} ${path}: ${text.slice(0, 500)}` };
  return readJson(text);
}

function readJson(text: string): GithubAnswer {
  if (text.trim() === "") return { json: undefined };
  const json = tryParseJson(text);
  return json.ok ? { json: json.value } : { problem: `GitHub's answer is not JSON: ${text.slice(0, 200)}` };
}
