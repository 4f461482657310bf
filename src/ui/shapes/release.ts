// Schema of the answer that `push` prints with --json: the source of the type and of schemas/cli/.
import { z } from "zod";

const wanted = z.string().nullable().describe("patch, minor, major or a version; null: the agent chooses");

/** `looper push --json`. */
export const PushAnswer = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z
      .enum(["released", "made", "not-released"])
      .describe("made: commit and tag are here, and not pushed; not-released: the tree is as before"),
    from: z.string().nullable(),
    version: z.string().nullable(),
    tag: z.string().nullable(),
    commit: z.string().nullable(),
    pushed: z.boolean(),
    published: z.string().nullable().describe("The address of the release on GitHub"),
    problems: z.array(z.string()).describe("Why it went no further"),
    rescue: z.string().nullable().describe("The ref that keeps what was put back"),
    warnings: z.array(z.string()),
    run: z.string(),
  }),
  z.object({
    outcome: z.literal("planned"),
    from: z.string().nullable(),
    wanted,
    last_tag: z.string().nullable(),
    commits: z.int().describe("Since the last tag"),
    version_file: z.string().nullable().describe("The file whose version is read"),
    changelog: z.string().nullable(),
    branch: z.string(),
    remote: z.string().nullable().describe("The name of the remote that it is pushed to"),
    checks: z.array(z.string()),
    agent: z.string(),
    prompt: z.string(),
  }),
]);
export type PushAnswer = z.infer<typeof PushAnswer>;
