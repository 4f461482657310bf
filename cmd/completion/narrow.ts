// Completes words with parts: `T1,T2` in a list, `key=value` of `set`. Pure. Leaves looking values up to values.ts.
import { KEYS } from "../../src/todo/change/assignment.js";
import type { Completes } from "../context/definition.js";
import type { Completion, Point } from "./point.js";

type Named = Extract<Completes, string>;

/** The kinds of values that can be looked up. */
export type CandidateKind = Exclude<Named, "agents" | "assignment" | "tasks"> | "priority";

/** A point with a single value to complete. `more`: no space follows it. */
export interface Wanted extends Pick<Point, "lead" | "typed" | "used" | "words"> {
  kind?: CandidateKind;
  more: boolean;
}

/** The kind of value of each key of a task; keys with free text are left out. */
const KEY_KINDS: Readonly<Partial<Record<keyof typeof KEYS, Named | "priority">>> = {
  agent: "agent",
  depends_on: "tasks",
  files: "file",
  priority: "priority",
  status: "status",
  tags: "tag",
};

/** Reduces a point to the last part of its word. */
export function narrow({ lead, typed, used, words }: Point, completes: Named): Wanted {
  return narrowed({ lead, typed, used, words, more: false }, completes);
}

function narrowed(wanted: Wanted, completes: Named): Wanted {
  switch (completes) {
    case "assignment":
      return assignment(wanted);
    case "agents":
      return item(wanted, "agent");
    case "tasks":
      return item(wanted, "task");
    default:
      return { ...wanted, kind: completes };
  }
}

/** The last item of a comma-separated list; earlier items are not offered again. */
function item(wanted: Wanted, kind: CandidateKind): Wanted {
  const begin = wanted.typed.lastIndexOf(",") + 1;
  const before = wanted.typed.slice(0, begin);
  const used = before.split(",").filter((part) => part !== "");
  return { ...wanted, kind, lead: wanted.lead + before, typed: wanted.typed.slice(begin), used };
}

/** `key=`, then its value. */
function assignment(wanted: Wanted): Wanted {
  const [whole = "", name = ""] = /^([\w-]+?)[+-]?=/u.exec(wanted.typed) ?? [];
  if (whole === "") return { ...wanted, words: keysFor(wanted.typed), more: true };
  const key = name.replaceAll("-", "_");
  const kind = isKey(key) ? KEY_KINDS[key] : undefined;
  const typed = wanted.typed.slice(whole.length);
  const value: Wanted = { lead: wanted.lead + whole, typed, used: [], words: [], more: false };
  if (kind === undefined) return value;
  if (kind === "priority") return { ...value, kind };
  return kind === "tag" ? item(value, kind) : narrowed(value, kind);
}

function isKey(name: string): name is keyof typeof KEYS {
  return Object.hasOwn(KEYS, name);
}

/** Keys with dashes, as in the help; with underscores when the person typed one. */
function keysFor(typed: string): Completion[] {
  const spell = (key: string): string => (typed.includes("_") ? key : key.replaceAll("_", "-"));
  return Object.keys(KEYS).map((key) => ({ value: `${spell(key)}=` }));
}
