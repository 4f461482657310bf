// A diff as git prints it, drawn: a file each, folded beyond the first ones, with line numbers and what was added and removed.
import { parsePatch, type StructuredPatch } from "diff";
import { useMemo } from "preact/hooks";
import { Block, Empty, Foreign, useMost } from "./parts.js";
import { visible } from "./words.js";

const OPEN_AT_FIRST = 4;
const MOST_LINES = 400;

/** `bare`: of one file, whose name stands above it. */
export function Diff({ text, bare = false }: { text: string; bare?: boolean }) {
  const patches = useMemo(() => {
    try {
      return patchesOf(text);
    } catch {
      return undefined;
    }
  }, [text]);
  if (text.trim() === "") return <Empty>Nothing was changed.</Empty>;
  if (patches === undefined) return <Block text={text} label="The diff, as git prints it" />;
  const [only] = patches;
  if (bare && only !== undefined) return <Lines patch={only} />;
  return (
    <div class="diff">
      {patches.map((patch, index) => (
        <FileDiff key={index} patch={patch} open={index < OPEN_AT_FIRST} />
      ))}
    </div>
  );
}

/** A patch of one file, with what git says of it before the changes: its mode, a rename. */
interface FilePatch extends StructuredPatch {
  said: string[];
}

/** The patches of a text, each parsed alone: a parser of all takes a file without changed lines for the head of the next one. */
export function patchesOf(text: string): FilePatch[] {
  return text
    .split(/^(?=diff --git )/m)
    .filter((one) => one.trim() !== "")
    .flatMap(parseFile);
}

function parseFile(text: string): FilePatch[] {
  const lines = text.split("\n");
  const name = /^diff --git "?a\/(.*?)"? "?b\//.exec(lines[0] ?? "")?.[1] ?? "a file";
  const end = lines.findIndex((line) => /^(?:--- |@@ )/.test(line));
  const said = lines
    .slice(0, end === -1 ? lines.length : end)
    .filter((line) => /^(?:old mode|new mode|rename |copy |Binary |GIT binary)/.test(line));
  const parsed: Partial<StructuredPatch>[] = end === -1 ? [{}] : parsePatch(text);
  return parsed.map(({ oldFileName = name, newFileName = name, hunks = [], ...rest }) => ({
    oldHeader: undefined,
    newHeader: undefined,
    ...rest,
    oldFileName,
    newFileName,
    hunks,
    said,
  }));
}

function nameOf({ oldFileName, newFileName }: StructuredPatch): string {
  const name = newFileName === "/dev/null" ? oldFileName : newFileName;
  return name.replace(/^[ab]\//, "");
}

function FileDiff({ patch, open }: { patch: FilePatch; open: boolean }) {
  const lines = patch.hunks.flatMap(({ lines: all }) => all);
  const added = lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  return (
    <details class="file" open={open}>
      <summary>
        <Foreign class="mono" text={nameOf(patch)} />
        {patch.oldFileName === "/dev/null" && <span class="tag">new</span>}
        {patch.newFileName === "/dev/null" && <span class="tag">removed</span>}
        <span class="counts">
          <span class="good">+{added}</span> <span class="bad">−{removed}</span>
        </span>
      </summary>
      <Lines patch={patch} />
    </details>
  );
}

function Lines({ patch }: { patch: FilePatch }) {
  const total = patch.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  const { most, more } = useMost(MOST_LINES, total, "lines");
  const said = patch.said.length > 0 && <Foreign class="pre block mono said" text={patch.said.join("\n")} />;
  if (patch.hunks.length === 0) return said === false ? <Empty>No line of it was changed.</Empty> : said;
  return (
    <>
      {said}
      <div class="lines" tabIndex={0} role="group" aria-label={`Changes of ${nameOf(patch)}`}>
        <table>
          {patch.hunks.map((hunk, index) => (
            <Hunk key={index} hunk={hunk} most={most} />
          ))}
        </table>
      </div>
      {more}
    </>
  );
}

function Hunk({ hunk, most }: { hunk: StructuredPatch["hunks"][number]; most: number }) {
  let [before, after] = [hunk.oldStart, hunk.newStart];
  return (
    <tbody>
      <tr class="hunk">
        <td colSpan={3}>line {hunk.newStart}</td>
      </tr>
      {hunk.lines.slice(0, most).map((line, index) => {
        const sign = line[0] ?? " ";
        const kind = sign === "+" ? "added" : sign === "-" ? "removed" : "";
        if (sign === "\\") return null;
        const [old, now] = [sign === "+" ? "" : before++, sign === "-" ? "" : after++];
        return (
          <tr key={index} class={kind}>
            <td class="number">{old}</td>
            <td class="number">{now}</td>
            <td>
              <bdi dir="auto">
                <span class="sign">{sign === " " ? "\u00a0" : sign}</span>
                {visible(line.slice(1))}
              </bdi>
            </td>
          </tr>
        );
      })}
    </tbody>
  );
}
