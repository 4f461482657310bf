// Reads the output of `gh issue list --json number,title,body,labels,state,url,…` (https://cli.github.com/manual/gh_issue_list).
// An issue names its dependencies in its text: `Depends on #12`, `Blocked by #12`.
import { given } from "../../../system/given.js";
import type { Drafted, TaskDraft } from "./draft.js";
import { fieldsIn, isFields, leftOver, lineOf, priorityOf, textOf, type Fields } from "../../json/fields.js";

const ISSUE = [
  "number",
  "title",
  "body",
  "labels",
  "state",
  "closed",
  "url",
  "createdAt",
  "updatedAt",
  "milestone",
];
const WAITS = /\b(?:depends on|blocked by|requires):?\s+((?:#\d{1,9}(?:\s{0,9}(?:,|and)\s{0,9})?)+)/giu;

export function readGitHub(issues: readonly Fields[]): Drafted {
  const listed = new Set(issues.map(({ number }) => textOf(number)));
  return {
    format: "issues of GitHub",
    drafts: issues.map((issue) => draftOf(issue, listed)),
    notes: [],
  };
}

function draftOf(issue: Fields, listed: ReadonlySet<string | undefined>): TaskDraft {
  const number = textOf(issue["number"]);
  const body = textOf(issue["body"])?.replaceAll("\r\n", "\n");
  const labels = fieldsIn(issue["labels"]).flatMap(({ name }) => textOf(name) ?? []);
  const isClosed = textOf(issue["state"])?.toUpperCase() === "CLOSED" || issue["closed"] === true;
  const priority = labels.map(priorityOfLabel).find((found) => found !== undefined);
  const waits = [...(body ?? "").matchAll(WAITS)].flatMap(([, list = ""]) => list.match(/\d+/g) ?? []);
  const { kept } = leftOver(issue, ISSUE);
  const milestone = isFields(issue["milestone"]) ? textOf(issue["milestone"]["title"]) : undefined;
  return {
    ...(number === undefined ? {} : { id: idOf(number) }),
    title: lineOf(issue["title"]),
    description: body,
    reference: textOf(issue["url"]),
    ...given({ priority }),
    status: isClosed ? "done" : "todo",
    tags: labels,
    // A closed issue is not in the list, so the task need not wait for it.
    dependsOn: waits.filter((other) => listed.has(other)).map(idOf),
    createdAt: issue["createdAt"],
    updatedAt: issue["updatedAt"],
    kept: { ...kept, ...given({ milestone }) },
  };
}

/** An id of `#12` would be a comment in a shell. */
function idOf(number: string): string {
  return `GH-${number}`;
}

/** `P1`, `high`, `priority: high`, `priority/high`. */
function priorityOfLabel(label: string): number | undefined {
  const word = label.toLowerCase().replace(/^prio(?:rity)?\s*[:/ -]\s*/, "");
  const digit = /^p([0-5])$/.exec(word)?.[1];
  return digit === undefined ? priorityOf(word) : Math.max(1, Number(digit));
}
