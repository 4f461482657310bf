// Rescues: work put aside under refs/looper/rescue, where no later rescue overwrites it. A rescue is a commit on top
// of the kept state, with the work as its changes; content that existed only in the index is the tree of its second
// parent. Other rescues point at commits of an agent, or at a checkpoint. rescues.ts lists them for a person.
import { z } from "zod";
import { toText } from "../base/bytes.js";
import { readFacts } from "../base/facts.js";
import { runGit } from "../base/git.js";
import { decodeId, RESCUES, rescueRef } from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";

/** The facts in the message of a rescue that this program made. */
const RescueFacts = z.object({
  run: z.string(),
  label: z.string(),
  task: z.string().optional(),
  why: z.enum(["given-up", "dropped", "review", "draft", "put-back"]),
  /** The checkpoint's commit. */
  base: z.string(),
});
export type RescueFacts = z.infer<typeof RescueFacts>;

/** A rescue ref and its commit. */
export interface FoundRescue {
  ref: string;
  run: string;
  label: string;
  commit: string;
  parents: readonly string[];
  /** Seconds since the epoch. */
  seconds: number;
  subject: string;
  /** `undefined` if the commit was not made as a rescue. */
  facts: RescueFacts | undefined;
}

/** A rescue ref of this run that is not in use: the label itself, or with "-2", "-3" … Starts one process. */
export async function freeRescueRef(repo: Repository, run: string, label: string): Promise<string> {
  const folder = rescueRef(run, label).split("/").slice(0, 4).join("/");
  const { out } = await runGit(repo, ["for-each-ref", "--format=%(refname)", folder]);
  const taken = new Set(out.split("\n"));
  for (let count = 1; ; count++) {
    const ref = rescueRef(run, count === 1 ? label : `${label}-${String(count)}`);
    if (!taken.has(ref)) return ref;
  }
}

/** The message of a rescue's commit. */
export function rescueMessage(facts: RescueFacts): string {
  return `${SUBJECT}${facts.label}\n\n${JSON.stringify(facts)}\n`;
}

const SUBJECT = "looper: rescue of ";

const FIELDS = ["refname", "objectname", "parent", "committerdate:unix", "contents"];

/** Every rescue, oldest first. Starts one process. */
export async function findRescues(repo: Repository): Promise<FoundRescue[]> {
  const format = FIELDS.map((field) => `%(${field})%00`).join("");
  const { out } = await runGit(repo, [
    "for-each-ref",
    "--sort=committerdate",
    `--format=${format}`,
    `${RESCUES}/`,
  ]);
  const values = out.split("\0");
  const found: FoundRescue[] = [];
  for (let at = 0; at + FIELDS.length < values.length; at += FIELDS.length) {
    const [ref = "", commit = "", parents = "", seconds = "", contents = ""] = values.slice(at);
    found.push(describe({ ref: ref.trimStart(), commit, parents, seconds, contents: toText(contents) }));
  }
  return found;
}

type Fields = Record<"ref" | "commit" | "parents" | "seconds" | "contents", string>;

function describe({ ref, commit, parents, seconds, contents }: Fields): FoundRescue {
  const [run = "", ...label] = ref.slice(RESCUES.length + 1).split(/(?<!\+)\//);
  const [subject = ""] = contents.split("\n", 1);
  const own = subject.startsWith(SUBJECT);
  return {
    ref,
    run: decodeId(run),
    label: decodeId(label.join("/")),
    commit,
    parents: parents === "" ? [] : parents.split(" "),
    seconds: Number(seconds),
    subject,
    facts: own ? readFacts(RescueFacts, contents.slice(contents.indexOf("{"))) : undefined,
  };
}
