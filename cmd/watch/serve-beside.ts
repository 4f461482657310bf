// `looper run --serve`: the page of the project beside its run. The server is a process of its own, so the
// run is neither slowed nor ended by it, and it ends when its stdin does, whatever becomes of the run.
import type { Project } from "../../src/config/project/open-project.js";
import { environmentError } from "../../src/system/errors.js";
import { sendSignal, startProgram } from "../../src/system/processes/child.js";
import type { CommandContext } from "../context/command-context.js";
import { warn } from "../lookup/project.js";

/** How long the server may take to end. */
const PATIENCE_MS = 10_000;
/** Characters kept of its complaints. */
const MOST_SAID = 10_000;

/** Works while the project is served; throws before it begins where the server cannot start. */
export async function serveBeside<T>(
  context: CommandContext,
  { todoFile }: Project,
  work: () => Promise<T>,
): Promise<T> {
  const { self, cwd, env, ports } = context;
  const server = startProgram(self.command, [...self.args, "serve", "--beside"], {
    cwd,
    env: { ...env, LOOPER_TODO: todoFile },
    // Ctrl-C is for the run, which ends the server after itself.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  server.stdin?.on("error", () => undefined);
  let complaint = "";
  server.stderr?.on(
    "data",
    (chunk: Buffer) => (complaint = (complaint + chunk.toString("utf8")).slice(0, MOST_SAID)),
  );
  const link = await new Promise<string>((resolve, reject) => {
    server.stdout?.once("data", (chunk: Buffer) => {
      resolve(chunk.toString("utf8").trim());
    });
    const fail = (): void => {
      const why = /^looper: (.*)/m.exec(complaint)?.[1] ?? "its server ended";
      reject(environmentError(`the page cannot be served: ${why}`, "leave --serve out"));
    };
    server.exited.then(fail, fail);
  });
  await context.report({ level: "info", lines: [link] });
  let over = false;
  const gone = server.exited.then(() => (over ? undefined : warn(context, LOST)));
  try {
    return await work();
  } finally {
    over = true;
    server.stdin?.end();
    await Promise.race([gone, ports.clock.sleep(PATIENCE_MS)]);
    if (server.pid !== undefined) sendSignal(server.pid, "SIGKILL", "group");
  }
}

const LOST = "the page is no longer served, and the run continues: `looper serve` serves it again";
