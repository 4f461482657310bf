// Asks a client for its version and whether the user is signed in, at no cost (agents.md, as measured: codex 0.169.0,
// claude 2.1.329, gemini 0.61.0, opencode 1.18.33). Leaves the choice of clients to the caller.
import type { AgentKind } from "../../config/settings/settings.js";
import { given } from "../../system/given.js";
import type { Ports } from "../../system/ports.js";
import { parseJson } from "../../system/text/json.js";
import { field } from "../fields.js";

/** The client's answers; a field is absent when it is not known. */
export interface About {
  /** E.g. `0.169.0`. */
  version?: string;
  signedIn?: boolean;
}

interface Questions {
  version: readonly string[];
  signedIn?: { args: readonly string[]; read: (stdout: string, exitCode: number) => boolean | undefined };
}

const QUESTIONS: Partial<Record<AgentKind, Questions>> = {
  codex: {
    version: ["--version"],
    signedIn: { args: ["login", "status"], read: (_stdout, exitCode) => exitCode === 0 },
  },
  claude: { version: ["--version"], signedIn: { args: ["auth", "status"], read: readLoggedIn } },
  gemini: { version: ["--version"] },
  opencode: { version: ["--version"] },
};

/** How a person signs in, of those that can be asked whether one has. */
export const SIGN_IN: Partial<Record<AgentKind, string>> = {
  codex: "codex login, or set CODEX_API_KEY",
  claude: "claude auth login, or set ANTHROPIC_API_KEY",
};

/** The longest an answer may take. */
const PATIENCE_MS = 15_000;
const MOST_BYTES = 64 * 1024;

/** Asks a client. One that does not answer, or in words not known, has said nothing. */
export async function askAbout(
  { processes }: Pick<Ports, "processes">,
  { kind, program }: { kind: AgentKind; program: string },
  place: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<About> {
  const questions = QUESTIONS[kind];
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

function readLoggedIn(stdout: string): boolean | undefined {
  const loggedIn = field(parseJson(stdout), "loggedIn");
  return typeof loggedIn === "boolean" ? loggedIn : undefined;
}
