// The child's side of a strategy that is a module (`looper agent-host --pick FILE`): calls its function, and prints the choice.
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { errorMessage } from "../../system/errors.js";
import { parseJson } from "../../system/text/json.js";
import { writeLine, type HostIo } from "./host.js";

/** The one line that the child prints. */
export const PickLine = z.union([z.object({ agent: z.string() }), z.object({ error: z.string() })]);

/** Calls the function that a module exports with the request on stdin; the exit code. */
export async function hostPick(file: string, io: HostIo): Promise<number> {
  try {
    const loaded = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
    const choose = [loaded["default"], ...Object.values(loaded)].find((one) => typeof one === "function");
    if (choose === undefined) throw new Error("it exports no function");
    const agent: unknown = await (choose as (order: unknown) => unknown)(parseJson(await io.readInput()));
    if (typeof agent !== "string") throw new Error(`it returned ${String(agent)}, not an agent's name`);
    await writeLine(io, { agent: agent.trim() });
    return 0;
  } catch (error) {
    await writeLine(io, { error: errorMessage(error) });
    return 1;
  }
}
