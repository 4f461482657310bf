// Shows how one file changed, as lines. diff.ts has the trees' differences.
import { toText } from "../bytes.js";
import { exists, type Version } from "./diff.js";
import { runGit, type GitPlace } from "../git.js";
import { readBlobs } from "../objects.js";

/** Bigger files are not shown. */
const MOST_BYTES = 256 * 1024;

/** The changed lines of a file, each with `+` or `-`, with one line around them; a new or removed file as a whole. Text. */
export async function diffVersions(place: GitPlace, from: Version, to: Version): Promise<string> {
  if (![from, to].every((one) => !exists(one) || isText(one)))
    return `${describe(from)} became ${describe(to)}\n`;
  if (exists(from) && exists(to)) {
    const mode = from.mode === to.mode ? "" : `mode ${from.mode} became ${to.mode}\n`;
    const flags = ["--no-ext-diff", "--no-textconv", "--no-color", "-U1"];
    const { out } = await runGit(place, ["diff", ...flags, from.oid, to.oid]);
    const at = out.indexOf("\n@@");
    return (
      mode + (at === -1 ? (from.oid === to.oid ? "" : "a binary file changed\n") : toText(out.slice(at + 1)))
    );
  }
  const [sign, oid] = exists(to) ? ["+", to.oid] : ["-", from.oid];
  const content = (await readBlobs(place, [oid], MOST_BYTES)).get(oid);
  if (content === undefined || content.includes("\0")) return `${sign}a binary or big file\n`;
  const lines = toText(content).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => `${sign}${line}\n`).join("");
}

function isText({ mode }: Version): boolean {
  return mode.startsWith("100") || mode === "120000";
}

function describe({ mode }: Version): string {
  if (mode === "160000") return "a submodule";
  if (mode === "120000") return "a link";
  return mode === "000000" ? "nothing" : "a file";
}
