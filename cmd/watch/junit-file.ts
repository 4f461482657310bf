// The report of `run --junit`: its place is checked before the run begins, and it is written in one step at the end.
import path from "node:path";
import { errorCode, errorMessage, UserError } from "../../src/system/errors.js";
import type { CommandContext } from "../context/command-context.js";

/** The absolute path of the report; makes its folder, and throws where the report could not be written. `todoFile`: absolute. */
export async function openReport(context: CommandContext, named: string, todoFile: string): Promise<string> {
  const { files } = context.ports;
  if (named === "") throw new UserError("usage", "--junit is empty", "name a file: --junit report.xml");
  const file = path.resolve(context.cwd, named);
  const folder = path.dirname(file);
  try {
    const stat = await files.stat(file);
    if (stat !== undefined && stat.kind !== "file")
      throw new UserError("usage", `--junit: ${file} is not a file`, "name a file: --junit report.xml");
    if (stat !== undefined && (await files.realPath(file)) === (await files.realPath(todoFile)))
      throw new UserError("usage", `--junit: ${file} is the task file`, "name another: --junit report.xml");
    await files.makeFolder(folder);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw cannotWrite(file, errorMessage(error));
  }
  for (const place of [folder, file])
    if ((await files.stat(place)) !== undefined && !(await files.writable(place)))
      throw cannotWrite(file, `no permission to write ${place}`);
  return file;
}

/** Writes the whole report or nothing. */
export async function writeReport({ ports }: CommandContext, file: string, xml: string): Promise<void> {
  try {
    await ports.files.writeAtomic(file, xml);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw cannotWrite(file, errorMessage(error));
  }
}

function cannotWrite(file: string, why: string): UserError {
  return new UserError(
    "environment",
    `--junit: ${file} cannot be written: ${why}`,
    "name a file that can be written",
  );
}
