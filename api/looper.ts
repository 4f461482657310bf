// `import { run } from "looper"`: `looper run` for another program. Leaves the loop to src/loop, and its start to the command's own
// files.
import type { CommandContext, Signal } from "../cmd/context/command-context.js";
import { exitCodeOf } from "../cmd/context/exit-codes.js";
import { readRequest } from "../cmd/commands/run.js";
import { watchRun } from "../cmd/watch/watch-run.js";
import { UserError } from "../src/system/errors.js";
import { given } from "../src/system/given.js";
import { COMMON, namingOptions, number, readOptions, text, texts } from "./options.js";
import { silentContext } from "./silent-context.js";
import type * as api from "./types/looper.js";

export { UserError };

const OPTIONS = {
  ...COMMON,
  file: text,
  task: text,
  agent: text,
  model: text,
  maxIterations: number,
  maxAttempts: number,
  maxCost: number,
  maxTokens: number,
  maxDuration: text,
  prompt: text,
  skip: texts,
  autoApprove: texts,
};

/** Runs the loop in a project until it ends. */
export async function run(options: api.RunOptions = {}): Promise<api.RunResult> {
  const { file, signal } = options;
  const request = readOptions(options, OPTIONS, file === undefined ? [] : [file]);
  const stop: { listener?: (signal: Signal) => boolean } = {};
  const context = await silentContext(options, (listener) => {
    stop.listener = listener;
    if (signal?.aborted === true) listener("SIGINT");
  });
  const interrupt = (): void => void stop.listener?.("SIGINT");
  signal?.addEventListener("abort", interrupt);
  try {
    return await namingOptions(OPTIONS, async () => {
      const asked = await readRequest(context, request);
      return watch(context, asked, options);
    });
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}

async function watch(
  context: CommandContext,
  asked: Awaited<ReturnType<typeof readRequest>>,
  { onEvent, onWarning }: api.RunOptions,
): Promise<api.RunResult> {
  let opened: { run: string; folder: string } | undefined;
  const end = await watchRun(context, asked, {
    manner: "silent",
    onOpen: ({ run, folder }) => {
      opened = { run, folder };
    },
    onEvent: (event) => {
      if (event.type === "warning") onWarning?.(event.message);
      onEvent?.(event);
    },
  });
  return {
    ending: end.ending,
    exitCode: exitCodeOf(end),
    ...given({ run: opened?.run, folder: opened?.folder, message: end.message }),
    tasks: end.view.statuses.values.map(({ id, status }) => ({ id, status })),
  };
}
