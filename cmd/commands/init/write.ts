// Writes the planned files. Leaves the task file to the store.
import path from "node:path";
import type { Ports } from "../../../src/system/ports.js";
import { formatStamp } from "../../../src/logging/run-log.js";
import { given } from "../../../src/system/given.js";
import type { InitAnswer } from "../../../src/ui/shapes/project.js";
import type { PlannedFile } from "./plan.js";

/** Writes a file; a copy of the old one, where needed, becomes `<file>.replaced-<time>`. */
export async function writePlanned(
  ports: Pick<Ports, "clock" | "files">,
  { path: file, did, text, copy }: PlannedFile,
): Promise<InitAnswer["files"][number]> {
  const { files } = ports;
  if (text === undefined) return { path: file, did };
  await files.makeFolder(path.dirname(file));
  const kept = copy === true ? await setAside(ports, file) : undefined;
  if (did === "extended") await append(ports, file, text);
  else await files.writeAtomic(file, text);
  return { path: file, did, ...given({ copy: kept }) };
}

/** Moves the old file, because writing through a link would change a file elsewhere. */
async function setAside({ clock, files }: Pick<Ports, "clock" | "files">, file: string): Promise<string> {
  const wanted = `${file}.replaced-${formatStamp(clock.now())}`;
  for (let number = 1; ; number++) {
    const copy = number === 1 ? wanted : `${wanted}-${number}`;
    if ((await files.stat(copy, { link: true })) !== undefined) continue;
    await files.rename(file, copy);
    return copy;
  }
}

/** Appends; the old content stays byte for byte. */
async function append({ files }: Pick<Ports, "files">, file: string, text: string): Promise<void> {
  const open = await files.openAppend(file);
  try {
    await open.append(text);
    await open.sync();
  } finally {
    await open.close();
  }
}
