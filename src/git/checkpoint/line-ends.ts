// Line ends, where git changes them on the way into a commit and out of it: then the same commit can stand for different
// bytes. A checkpoint keeps which files are not as their blobs are; going back writes each as it was.
// Leaves files with filters (LFS and the like) to git, which knows the way back.
import { join } from "node:path";
import { z } from "zod";
import { parseBatch } from "../base/batch.js";
import { toBytes, toText } from "../base/bytes.js";
import { readFacts } from "../base/facts.js";
import type { ImportedFile } from "../base/fast-import.js";
import { runGit } from "../base/git.js";
import type { ByPath } from "../index/index-compare.js";
import { ownIndex } from "../index/index-file.js";
import type { Repository } from "../base/repository.js";

/** Where they are kept in the tree of a checkpoint's second parent. */
const LIST = "line-ends.json";
const rawPath = (at: number): string => `raw/${String(at)}`;

/** Files (bytes) that are not as their blobs are. */
const LineEnds = z.object({
  /** Every line of them ends in CRLF, in the blob in LF. */
  crlf: z.array(z.string()),
  /** Any other way: their bytes are kept, in this order. */
  raw: z.array(z.string()),
});
type LineEnds = z.infer<typeof LineEnds>;

/** A file as git tells it: how its lines end in the index of our own and in the working tree. */
interface Ends {
  path: string;
  index: string;
  file: string;
  /** The attribute `text` is set, not `auto`: even what looks like no text is changed. */
  forced: boolean;
}

/**
 * What a checkpoint must keep beside the tree; nothing where git changes no bytes. Contract: the index of our own was just
 * staged, and `tree` is what it holds. No process where git changes none, else one or two.
 */
export async function keepLineEnds(repo: Repository, tree: ByPath): Promise<ImportedFile[]> {
  if (!(await changesLineEnds(repo, tree))) return [];
  const others = await withoutFilters(repo, (await askEnds(repo)).filter(differs));
  const ends: LineEnds = { crlf: [], raw: [] };
  const contents: Uint8Array[] = [];
  for (const { path, index, file } of others) {
    if (index === "lf" && file === "crlf") ends.crlf.push(path);
    else {
      const content = await repo.ports.files.read(join(repo.cwd, toText(path)));
      if (content === undefined) continue;
      ends.raw.push(path);
      contents.push(content);
    }
  }
  if (others.length === 0) return [];
  const list = { path: LIST, mode: "100644", content: Buffer.from(JSON.stringify(ends), "utf8") };
  return [list, ...contents.map((content, at) => ({ path: rawPath(at), mode: "100644", content }))];
}

/**
 * Writes every file as the checkpoint found it, where its lines end in another way now. Contract: the working tree is what
 * `tree` says, save for that; `kept` is the checkpoint's second parent, if it has one.
 */
export async function restoreLineEnds(
  repo: Repository,
  order: { kept: string | undefined; tree: ByPath; leave: ReadonlySet<string> },
): Promise<void> {
  const { kept, tree, leave } = order;
  const list = kept === undefined ? undefined : (await readObjects(repo, [`${kept}:${LIST}`]))[0];
  const ends = readFacts(LineEnds, toText(list ?? "")) ?? { crlf: [], raw: [] };
  if (list === undefined && !(await changesLineEnds(repo, tree))) return;
  const crlf = new Set(ends.crlf);
  const raw = new Map(ends.raw.map((path, at) => [path, at]));
  const wrong = (await askEnds(repo)).filter((one) => {
    if (leave.has(one.path)) return false;
    const isRaw = raw.has(one.path);
    return isRaw || one.file !== (crlf.has(one.path) ? "crlf" : one.index) || isDoubtful(one);
  });
  const files = await withoutFilters(repo, wrong);
  const names = files.map(({ path }) => {
    const at = raw.get(path);
    return at === undefined ? (tree.get(path)?.oid ?? "") : `${kept ?? ""}:${rawPath(at)}`;
  });
  const contents = await readObjects(repo, names);
  for (const [at, { path }] of files.entries()) {
    const content = contents[at];
    if (content !== undefined) await writeFile(repo, path, crlf.has(path) ? toCrlf(content) : content);
  }
}

function differs(ends: Ends): boolean {
  return ends.index !== ends.file || isDoubtful(ends);
}

/** Git calls both sides no text, and may have changed line ends all the same. */
function isDoubtful({ index, file, forced }: Ends): boolean {
  return forced && index === "-text" && file === "-text";
}

function toCrlf(content: string): string {
  return content.replace(/\r?\n/g, "\r\n");
}

/** Only what differs is written: another time of writing would make git read it all again. */
async function writeFile({ ports, cwd }: Repository, path: string, content: string): Promise<void> {
  const file = join(cwd, toText(path));
  const bytes = Buffer.from(content, "latin1");
  const now = await ports.files.read(file);
  if (now !== undefined && !bytes.equals(now)) await ports.files.writeAtomic(file, bytes);
}

/** Whether git may change bytes here: by its settings, or by attributes that speak of text. */
async function changesLineEnds(repo: Repository, tree: ByPath): Promise<boolean> {
  if (await repo.endsConfigured()) return true;
  const { files } = repo.ports;
  const inTree = [...tree.keys()].filter((path) => /(?:^|\/)\.gitattributes$/.test(path));
  const places = inTree.map((path) => join(repo.cwd, toText(path)));
  for (const file of [join(repo.commonDir, "info", "attributes"), ...places]) {
    const text = Buffer.from((await files.read(file)) ?? []).toString("latin1");
    if (/\b(?:text|eol|crlf)\b/.test(text)) return true;
  }
  return false;
}

/** Regular files whose names can be spelled as text. */
async function askEnds(repo: Repository): Promise<Ends[]> {
  const { out } = await runGit(repo, ["ls-files", "-z", "--eol", "--cached"], { index: ownIndex(repo) });
  return out.split("\0").flatMap((line) => {
    const [, index, file, attributes = "", path = ""] =
      /^i\/(\S+) +w\/(\S+) +attr\/([^\t]*)\t([^]*)$/.exec(line) ?? [];
    if (index === undefined || file === undefined || toBytes(toText(path)) !== path) return [];
    return [{ path, index, file, forced: /^text(?: |$)/.test(attributes) }];
  });
}

async function withoutFilters(repo: Repository, files: readonly Ends[]): Promise<Ends[]> {
  if (files.length === 0) return [];
  const args = ["check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding"];
  const input = files.map(({ path }) => `${path}\0`).join("");
  const fields = (await runGit(repo, args, { input })).out.split("\0");
  const filtered = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", , value = ""] = fields.slice(at);
    if (value !== "unspecified" && value !== "unset") filtered.add(path);
  }
  return files.filter(({ path }) => !filtered.has(path));
}

async function readObjects(
  repo: Repository,
  names: readonly string[],
): Promise<readonly (string | undefined)[]> {
  if (names.length === 0) return [];
  const input = names.map((name) => `${name}\n`).join("");
  return parseBatch((await runGit(repo, ["cat-file", "--batch"], { input })).out).map(
    (object) => object?.content,
  );
}
