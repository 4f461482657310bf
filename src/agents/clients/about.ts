// Asks a client for its version and whether the user is signed in, at no cost (agents.md, as measured: codex 0.169.0,
// claude 2.1.329, gemini 0.61.0, opencode 1.18.33). Leaves the choice of clients to the caller.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { given } from "../../system/given.js";
import type { Ports } from "../../system/ports.js";
import { clientOf } from "./registry.js";

/** The client's answers; a field is absent when it is not known. */
export interface About {
  /** E.g. `0.169.0`. */
  version?: string;
  signedIn?: boolean;
}

/** The longest an answer may take. */
const PATIENCE_MS = 15_000;
const MOST_BYTES = 64 * 1024;

/** Asks a client. One that does not answer, or in words not known, has said nothing. */
export async function askAbout(
  { processes }: Pick<Ports, "processes">,
  { settings, program }: { settings: Pick<AgentSettings, "kind">; program: string },
  place: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<About> {
  const questions = clientOf(settings).about;
  if (questions === undefined) return {};
  const ask = async (args: readonly string[]): Promise<{ stdout: string; exitCode: number } | undefined> => {
    const limits = { timeoutMs: PATIENCE_MS, maxBytes: MOST_BYTES };
    const { end, stdout } = await processes.run({ command: program, args, ...place }, limits);
    return end.how === "exited"
      ? { stdout: Buffer.from(stdout).toString("utf8"), exitCode: end.code }
      : undefined;
  };
  const { signedIn } = questions;
  const [version, login] = await Promise.all([
    ask(questions.version),
    signedIn === undefined ? undefined : ask(signedIn.args),
  ]);
  const number = /(?<!\d)\d+\.\d+\.\d+\S*/.exec(version?.stdout ?? "")?.[0];
  const isSignedIn = login === undefined ? undefined : signedIn?.read(login.stdout, login.exitCode);
  return given({ version: number, signedIn: isSignedIn });
}
