// Shared by stories of the built-in engine: a scripted model, and the output of a session line by line.
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { z } from "zod";
import { ChapoEvent } from "../../src/chapo/engine/events.js";
import type { ChapoScript } from "../../src/chapo/models/scripted.js";
import type { Ran } from "./program.js";
import type { Rig } from "./rig.js";

type Script = z.input<typeof ChapoScript>;

/** Has `looper chapo` play a script; further settings of `agents.chapo.chapo`. */
export function playScript(rig: Rig, script: Script, chapo: Record<string, unknown> = {}): void {
  const file = path.join(rig.root, "chapo-script.json");
  writeFileSync(file, JSON.stringify(script));
  rig.settings({ agents: { chapo: { model: "scripted", chapo: { script: file, ...chapo } } } });
}

/** A tool call of a script. */
export function call(name: string, args: Record<string, unknown>): { call: { name: string; args: unknown } } {
  return { call: { name, args } };
}

/** The events that `looper chapo --json` printed; throws at any other line. */
export function eventsOf({ stdout }: Pick<Ran, "stdout">): ChapoEvent[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ChapoEvent.parse(JSON.parse(line)));
}

type Of<T extends ChapoEvent["type"]> = Extract<ChapoEvent, { type: T }>["data"];

/** The data of all events of a type. */
export function dataOf<T extends ChapoEvent["type"]>(events: readonly ChapoEvent[], type: T): Of<T>[] {
  return events.filter((event) => event.type === type).map((event) => event.data as Of<T>);
}
