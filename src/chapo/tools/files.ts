// All tools of the group `fs_`.
import type { Tool } from "../tool.js";
import { findTools, type SearchPlace } from "./files-find.js";
import { moveTools } from "./files-move.js";
import { readTools } from "./files-read.js";
import { writeTools } from "./files-write.js";

/** The tools of files, in the order a model is shown them. */
export function fileTools(place: SearchPlace): Tool[] {
  return [...readTools(place), ...writeTools(place), ...moveTools(place), ...findTools(place)];
}
