// prd.json of snarktank/ralph (its prd.json.example and skills/ralph/SKILL.md): user stories with acceptance criteria.
import { given } from "../../../system/given.js";
import type { Drafted, TaskDraft } from "./draft.js";
import { fieldsIn, leftOver, lineOf, sections, textOf, textsOf, type Fields } from "../../json/fields.js";

const STORY = ["id", "title", "description", "acceptanceCriteria", "priority", "passes", "notes"];
const EDGES = ["dependencies", "dependsOn", "depends_on"];

/** Reads stories. `whole`: the file; a list counts as the stories alone. */
export function readRalph(whole: Fields): Drafted {
  const stories = fieldsIn(whole["userStories"]);
  const ranks = stories.map(({ priority }) => (typeof priority === "number" ? priority : undefined));
  const priorities = fitted(ranks);
  const drafts = stories.map((story, at): TaskDraft => {
    const priority = priorities[at];
    const scaled = priority !== undefined && priority !== ranks[at];
    const { kept } = leftOver(story, [...STORY, ...EDGES]);
    return {
      ...idOf(story),
      title: lineOf(story["title"]),
      description: textOf(story["description"]),
      ...given({ priority }),
      status: story["passes"] === true ? "done" : "todo",
      details: sections([
        ["Acceptance criteria", story["acceptanceCriteria"]],
        ["Notes", story["notes"]],
      ]),
      dependsOn: EDGES.flatMap((key) => textsOf(story[key])),
      kept: { ...(scaled ? { priority: ranks[at] } : {}), ...kept },
    };
  });
  const notes = priorities.some((priority, at) => priority !== ranks[at])
    ? ["priorities are ranks there: they became 1 to 5 in the same order, the old ones are in meta.imported"]
    : [];
  const commands = Object.hasOwn(whole, "verificationCommands");
  return {
    format: "a prd.json of ralph",
    drafts,
    notes: [
      ...notes,
      ...(commands
        ? ["verificationCommands are in meta.imported: what is to be run goes to verify.commands"]
        : []),
    ],
    name: textOf(whole["project"]),
    ...leftOver(whole, ["userStories", "project"]),
  };
}

function idOf({ id }: Fields): { id?: string } {
  const text = textOf(id);
  return text === undefined ? {} : { id: text };
}

const LAST = 5;

/** Turns ranks into priorities: unchanged if they fit, else distributed in their order. */
function fitted(ranks: readonly (number | undefined)[]): (number | undefined)[] {
  const known = [...new Set(ranks.filter((rank) => rank !== undefined))].sort((a, b) => a - b);
  if (known.every((rank) => Number.isInteger(rank) && rank >= 1 && rank <= LAST)) return [...ranks];
  const places = new Map(known.map((rank, at) => [rank, at]));
  return ranks.map((rank) =>
    rank === undefined ? undefined : 1 + Math.floor(((places.get(rank) ?? 0) * LAST) / known.length),
  );
}
