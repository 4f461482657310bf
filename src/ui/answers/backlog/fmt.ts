// The answer of `looper fmt --json`: a task file in canonical form. Pure. Leaves the form to src/todo/check/canonical.ts, the
// corrections to src/todo/understand, and writing to the store.
import { usageError } from "../../../system/errors.js";
import { formatBacklog } from "../../../todo/check/canonical.js";
import { understandFile, type Correction } from "../../../todo/understand/understand.js";
import type { FmtAnswer } from "../../shapes/backlog.js";
import { plural } from "../../view/words/amounts.js";

/** The formatted file. */
export interface Formatted {
  text: string;
  corrections: readonly Correction[];
}

export interface FormatOptions {
  fix: boolean;
  keepOrder: boolean;
  /** `project.root` is that of another computer. */
  withoutRoot: boolean;
}

/** Formats a task file; a `usage` error where that would lose something. `shown`: its path in messages. */
export function formatFile(
  bytes: Uint8Array,
  shown: string,
  { fix, keepOrder, withoutRoot }: FormatOptions,
): Formatted {
  const understood = fix ? understandFile(bytes, { withoutRoot }) : undefined;
  const result = formatBacklog(understood?.bytes ?? bytes, { keepOrder });
  if (result.ok) return { text: result.value, corrections: understood?.corrections ?? [] };
  const [first, ...more] = result.error;
  const where = first === undefined ? shown : `${shown}:${first.line}:${first.column}`;
  const rest = more.length === 0 ? "" : ` (and ${plural(more.length, "more problem")})`;
  const hint =
    !fix && understandFile(bytes) !== undefined
      ? "nothing was changed; looper fmt --fix corrects it"
      : "nothing was changed; looper validate shows every problem";
  throw usageError(`${where}: ${first?.message ?? "it cannot be formatted"}${rest}`, hint);
}

/** The canonical form of a file, and what was done about it. `copy`: the path of the file as it was. */
export function fmtAnswer(
  file: string,
  { text, corrections }: Formatted,
  done: { canonical: boolean; written: boolean; copy: string | undefined },
): FmtAnswer {
  return {
    file,
    canonical: done.canonical,
    written: done.written,
    text,
    corrections: corrections.map(({ says, task }) => (task === undefined ? says : `${task}: ${says}`)),
    copy: done.copy ?? null,
  };
}
