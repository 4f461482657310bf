// Issues of steveyegge/beads (its internal/types/types.go), as `bd export` writes them, one a line, or as a list.
import { given } from "../../../system/given.js";
import type { Status } from "../../model/task.js";
import type { Drafted, TaskDraft } from "./draft.js";
import { fieldsIn, leftOver, lineOf, sections, textOf, textsOf, type Fields } from "../../json/fields.js";

const ISSUE = [
  ...["id", "title", "description", "design", "acceptance_criteria", "notes", "status", "priority"],
  ...["issue_type", "created_at", "updated_at", "external_ref", "labels", "dependencies"],
];
/** Kinds of edges that say what comes first; of a child and its parent the parent comes last. */
const FIRST = new Set(["blocks", "waits-for"]);
const CHILD = "parent-child";
const DELETED = "tombstone";

export function readBeads(issues: readonly Fields[]): Drafted {
  const living = issues.filter(({ status }) => status !== DELETED);
  const children = new Map<string, string[]>();
  for (const issue of living) {
    for (const parent of edgesOf(issue, (type) => type === CHILD)) {
      const below = children.get(parent) ?? [];
      children.set(parent, below);
      below.push(textOf(issue["id"]) ?? "");
    }
  }
  const dead = issues.length - living.length;
  return {
    format: "issues of beads",
    drafts: living.map((issue) => draftOf(issue, children.get(textOf(issue["id"]) ?? "") ?? [])),
    notes: dead === 0 ? [] : [`deleted issues left out: ${dead}`],
  };
}

function edgesOf(issue: Fields, wanted: (type: string) => boolean): string[] {
  return fieldsIn(issue["dependencies"]).flatMap((edge) =>
    wanted(textOf(edge["type"]) ?? "blocks") ? (textOf(edge["depends_on_id"]) ?? []) : [],
  );
}

const STATUSES: ReadonlyMap<string, { status: Status; blockers?: string[] }> = new Map([
  ["open", { status: "todo" }],
  ["in_progress", { status: "doing" }],
  ["blocked", { status: "blocked", blockers: ["blocked in beads"] }],
  ["deferred", { status: "blocked", blockers: ["deferred"] }],
  ["closed", { status: "done" }],
]);

const LAST = 5;

function draftOf(issue: Fields, children: readonly string[]): TaskDraft {
  const { id, status: spelled, priority } = issue;
  const name = textOf(id);
  const status = STATUSES.get(textOf(spelled) ?? "open");
  const type = textOf(issue["issue_type"]);
  // 0 comes first there.
  const known =
    typeof priority === "number" && Number.isInteger(priority) && priority >= 0 && priority < LAST;
  const { kept } = leftOver(issue, ISSUE);
  const edges = fieldsIn(issue["dependencies"]).filter(
    (edge) => ![...FIRST, CHILD].includes(textOf(edge["type"]) ?? "blocks"),
  );
  return {
    ...given({ id: name }),
    title: lineOf(issue["title"]),
    description: textOf(issue["description"]),
    reference: textOf(issue["external_ref"]),
    ...(known ? { priority: priority + 1 } : {}),
    status: status?.status ?? "todo",
    details: sections([
      ["Design", issue["design"]],
      ["Acceptance criteria", issue["acceptance_criteria"]],
      ["Notes", issue["notes"]],
    ]),
    blockers: status?.blockers ?? [],
    tags: [...(type === undefined || type === "task" ? [] : [type]), ...textsOf(issue["labels"])],
    dependsOn: [...edgesOf(issue, (kind) => FIRST.has(kind)), ...children],
    createdAt: issue["created_at"],
    updatedAt: issue["updated_at"],
    kept: {
      ...kept,
      ...(edges.length === 0 ? {} : { dependencies: edges }),
      ...(status === undefined ? { status: spelled } : {}),
      ...(known || priority === undefined ? {} : { priority }),
    },
  };
}
