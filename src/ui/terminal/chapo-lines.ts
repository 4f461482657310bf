import type { ChapoEvent } from "../../chapo/engine/events.js";
import type { Colours } from "./colours.js";
import { clean, cut } from "./text.js";
export function chapoLines(
  event: ChapoEvent,
  { colours, columns }: { colours: Colours; columns?: number },
): string[] {
  const fit = (text: string): string => (columns === undefined ? text : cut(text, columns));
  switch (event.type) {
    case "tool_call":
      return [fit(clean(`${event.data.agent} ${event.data.tool} ${JSON.stringify(event.data.args)}`))];
    case "answer":
      return [event.data.answer];
    case "clarify":
      return [event.data.question];
    case "error":
      return [colours.red(clean(event.data.error))];
    default:
      return [];
  }
}
