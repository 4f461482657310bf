import type { CommandContext } from "../context/command-context.js";
import type { Person } from "../../src/todo/change/person-answers.js";
import { readAccountName } from "../../src/system/processes/account.js";

/** The login name that an edit is recorded under; the environment of services often lacks it. */
export function nameOfUser(env: Readonly<Record<string, string>>): string {
  return env["USER"] ?? env["LOGNAME"] ?? env["USERNAME"] ?? readAccountName() ?? "unknown";
}

/** The person who types a command, or whose request the server carries out. */
export function personOf({ env, person }: Pick<CommandContext, "env" | "person">): Person {
  return person ?? { by: nameOfUser(env), via: "cli" };
}
