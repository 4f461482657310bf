// Rescues: work put aside under refs/looper/rescue, where no later rescue overwrites it. A rescue is a commit on top
// of the kept state, with the work as its changes; content that existed only in the index is the tree of its second
// parent. Other rescues point at commits of an agent, or at a checkpoint. rescues.ts lists them for a person.
import { z } from "zod";
import { toText } from "../base/bytes.js";
import { readMessage } from "../base/facts.js";
import { decodeId, RESCUES, rescueRef } from "../base/names.js";
import { listRefs } from "../base/list-refs.js";
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
  const taken = new Set((await listRefs(repo, ["refname"], [folder])).flat());
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
  const found = await listRefs(repo, FIELDS, [`${RESCUES}/`], "--sort=committerdate");
  return found.map(([ref = "", commit = "", parents = "", seconds, contents = ""]) => {
    const [run = "", ...label] = ref.slice(RESCUES.length + 1).split(/(?<!\+)\//);
    const [subject = ""] = toText(contents).split("\n", 1);
    return {
      ref,
      run: decodeId(run),
      label: decodeId(label.join("/")),
      commit,
      parents: parents === "" ? [] : parents.split(" "),
      seconds: Number(seconds),
      subject,
      facts: subject.startsWith(SUBJECT) ? readMessage(RescueFacts, contents) : undefined,
    };
  });
}
