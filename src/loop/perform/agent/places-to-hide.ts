import { listHiddenPlaces } from "../../../gate/rooms/hidden.js";
import type { World } from "../world.js";

/** The files of hidden checks, and the folder of their output: neither agents nor other checks must see them. */
export function listPlacesToHide({ hidden }: Pick<World, "hidden">): readonly string[] {
  return hidden === undefined ? [] : [...listHiddenPlaces(hidden.checks), hidden.folder];
}
