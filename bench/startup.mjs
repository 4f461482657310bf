// Starting: what a person waits for on every command, against Node doing nothing.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { atMost, homeIn, inTurns, least, looper, node, scratch, wall } from "./measure.mjs";

const ROUNDS = 30;
const TASKS = 200;
/** Later versions of Node keep compiled code. */
const MOST = process.versions.node.startsWith("20.") ? 5 : 4;

const CAUSE =
  "a start reads the files that its command imports, as ES modules; zod and the settings are most of them.";

/** A backlog with a past: a third done, a chain, a text of some length each. */
function tasks() {
  return Array.from({ length: TASKS }, (_, n) => ({
    id: `T${String(n + 1)}`,
    title: `Task ${String(n + 1)}: what it is about in a line of usual length`,
    description: "A paragraph that says what is to be done. ".repeat(4),
    priority: (n % 5) + 1,
    status: n < TASKS / 3 ? "done" : "todo",
    depends_on: n % 7 === 6 ? [`T${String(n)}`] : [],
  }));
}

export function rows() {
  const root = scratch("startup");
  const cwd = path.join(root, "project");
  mkdirSync(cwd);
  writeFileSync(
    path.join(cwd, "to-do.json"),
    JSON.stringify({ schema_version: 1, source_files: [], tasks: tasks() }, null, 2),
  );
  const at = { cwd, env: { HOME: homeIn(root) } };
  const commands = ["--version", "--help", "ls", "validate", "status"];
  const sides = Object.fromEntries(
    commands.map((command) => [command, () => wall(looper([command], { ...at, ends: [0, 1] }))]),
  );
  const taken = inTurns(ROUNDS, { ...sides, nothing: () => wall(node("0", at)) });
  return commands.map((command) => {
    const row = atMost({
      what: command.startsWith("-")
        ? `\`looper ${command}\``
        : `\`looper ${command}\` of ${String(TASKS)} tasks`,
      against: "`node -e 0`",
      most: command.startsWith("-") ? 2 : MOST,
      ours: least(taken(command)),
      theirs: least(taken("nothing")),
      unit: "ms, least of 30",
    });
    return row.holds || command.startsWith("-") ? row : { ...row, cause: CAUSE };
  });
}
