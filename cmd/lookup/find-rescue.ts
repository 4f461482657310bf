import type { Rescue } from "../../src/git/bring-back/rescues.js";
import { UserError } from "../../src/system/errors.js";
import { listSome } from "../../src/system/text/cut.js";
import { nearest } from "../../src/system/text/nearest.js";

/** Finds a rescue by its id, label or ref, or by a prefix that only one rescue has. */
export function findRescue(rescues: readonly Rescue[], typed: string): Rescue {
  const exact = rescues.filter(({ id, label, ref }) => [id, label, ref].includes(typed));
  const found =
    exact.length > 0 || typed === ""
      ? exact
      : rescues.filter(({ id, label }) => id.startsWith(typed) || label.startsWith(typed));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw unknownRescue(rescues, typed);
  const named = listSome(found.map(({ id }) => id));
  throw new UserError("usage", `${typed} may be ${named}`, "type more characters");
}

function unknownRescue(rescues: readonly Rescue[], typed: string): UserError {
  const near = nearest(
    typed,
    rescues.flatMap(({ id, label }) => [id, label]),
  );
  const hint =
    rescues.length === 0
      ? "there are no rescues"
      : near === undefined
        ? "list rescues with `looper rescue`"
        : `did you mean ${near}?`;
  return new UserError("usage", `unknown rescue ${typed}`, hint);
}
