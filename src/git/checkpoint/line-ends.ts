// Keeps line ends if git changes them between files and blobs, because then one commit can stand for different
// bytes. A checkpoint records the files that differ from their blobs, and a restore writes each as it was. Files
// with filters (LFS and the like) are left to git, which can convert them back.
import { join } from "node:path";
import { z } from "zod";
import { parseBatch } from "../base/batch.js";
import { toBytes, toText } from "../base/bytes.js";
import { readFacts } from "../base/facts.js";
import type { ImportedFile } from "../base/fast-import.js";
import { runGit } from "../base/git.js";
import type { ByPath } from "../index/index-compare.js";
import { ownIndex } from "../index/index-file.js";
import type { Repository } from "../base/repository/repository.js";

/** The path of the record in the tree of a checkpoint's second parent. */
const LIST = "line-ends.json";
const rawPath = (at: number): string => `raw/${String(at)}`;

/** Files (bytes) that differ from their blobs. */
const LineEnds = z.object({
  /** Every line ends in CRLF in the file and in LF in the blob. */
  crlf: z.array(z.string()),
  /** Files that differ in another way: their bytes are kept, in this order. */
  raw: z.array(z.string()),
});
type LineEnds = z.infer<typeof LineEnds>;

/** A file with its line ends in the own index and in the working tree, as git reports them. */
interface Ends {
  path: string;
  index: string;
  file: string;
  /** The attribute `text` is set, not `auto`: git converts even files that look binary. */
  forced: boolean;
}

/**
 * Collects the record for a checkpoint; nothing if git changes no bytes. Contract: the own index was just staged,
 * and `tree` is its content. Starts one or two processes, or none if git changes nothing.
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
 * Rewrites every file whose line ends differ from those at the checkpoint. Contract: apart from line ends the
 * working tree equals `tree`; `kept` is the checkpoint's second parent, if it has one.
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

/** Git treats both sides as binary, but may have changed line ends. */
function isDoubtful({ index, file, forced }: Ends): boolean {
  return forced && index === "-text" && file === "-text";
}

function toCrlf(content: string): string {
  return content.replace(/\r?\n/g, "\r\n");
}

/** Writes only files that differ: a new modification time would make git read the file again. */
async function writeFile({ ports, cwd }: Repository, path: string, content: string): Promise<void> {
  const file = join(cwd, toText(path));
  const bytes = Buffer.from(content, "latin1");
  const now = await ports.files.read(file);
  if (now !== undefined && !bytes.equals(now)) await ports.files.writeAtomic(file, bytes);
}

/** Whether git may change bytes here: by its settings, or by attributes about text. */
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

/** Regular files whose names are valid text. */
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
