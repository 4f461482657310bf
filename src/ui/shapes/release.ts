// Schema of the answer that `push` prints with --json: the source of the type and of schemas/cli/.
import { z } from "zod";

const Remote = z.object({ name: z.string(), url: z.string(), branch: z.string() }).nullable();

const Check = z.object({
  command: z.string(),
  passed: z.boolean(),
  end: z.enum(["exited", "killed", "timed-out", "not-found"]),
  exit_code: z.int().optional(),
  duration_ms: z.number(),
  tail: z.string().describe("The end of what it printed"),
});

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
    branch: z.string(),
    remote: Remote.describe("null: there is none, and nothing is pushed"),
    pushed: z.boolean(),
    published: z.string().nullable().describe("The address of the release on GitHub"),
    paths: z.array(z.string()).describe("Paths that the agent changed"),
    checks: z.array(Check),
    problems: z.array(z.object({ check: z.string(), message: z.string() })),
    why: z.string().nullable().describe("Why it went no further"),
    rescue: z.string().nullable().describe("The ref that keeps what was put back"),
    warnings: z.array(z.string()),
    run: z.string(),
  }),
  z.object({
    outcome: z.literal("planned"),
    from: z.string().nullable(),
    wanted: z.string().nullable().describe("patch, minor, major or a version; null: the agent chooses"),
    last_tag: z.string().nullable(),
    commits: z.int().describe("Since the last tag"),
    places: z.array(z.object({ path: z.string(), where: z.string() })).describe("Where the version stands"),
    changelog: z.string().nullable(),
    branch: z.string(),
    remote: Remote,
    github: z.string().nullable().describe("Where a release could be published"),
    checks: z.array(z.string()),
    agent: z.string(),
    made: z.string().nullable().describe("The tag of a release that is made, and is yet to go out"),
    prompt: z.string().nullable(),
  }),
]);
export type PushAnswer = z.infer<typeof PushAnswer>;
