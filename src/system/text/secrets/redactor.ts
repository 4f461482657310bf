// The redactor of an environment. Leaves what counts as a secret, and how it is found in a text, to redact.ts.
import type { Ports } from "../../ports.js";
import { createRedact, findSecretValues, type Redact } from "./redact.js";

/** Takes the environment's secrets out of texts, and every known key shape. */
export async function redactorFor(
  { files }: Pick<Ports, "files">,
  env: Readonly<Record<string, string>>,
): Promise<Redact> {
  return createRedact(await withoutPaths(files, findSecretValues(env)));
}

/** Leaves out secrets that are existing paths: a redacted path would break every command that uses it. */
async function withoutPaths(files: Ports["files"], secrets: readonly string[]): Promise<string[]> {
  const kept = await Promise.all(
    secrets.map(async (secret) =>
      secret.startsWith("/") && !secret.includes("\0") && (await files.stat(secret)) !== undefined
        ? undefined
        : secret,
    ),
  );
  return kept.filter((secret) => secret !== undefined);
}
