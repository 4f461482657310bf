// The pm2 tools, for processes that pm2 keeps alive on this machine. program.ts runs pm2.
import { z } from "zod";
import { parseJson } from "../../../system/text/json.js";
import { defineTool, done, failed, type Tool, type ToolResult } from "../../tool.js";
import {
  describeProblem,
  runProgram,
  toOutput,
  type Program,
  type ProgramRun,
  type ProgramWorld,
} from "../program.js";

const LIMIT_MS = 60_000;
const MORE_MS = 10_000;
const LIST_BYTES = 8 * 1024 * 1024;
const MOST_LISTED = 100;

/** The reported fields of `pm2 jlist`. The rest holds each process's environment with its secrets. */
const Listed = z.array(
  z.object({
    name: z.string(),
    pm_id: z.number(),
    pid: z.number().nullish(),
    pm2_env: z
      .object({ status: z.string(), restart_time: z.number().nullish(), pm_uptime: z.number().nullish() })
      .partial()
      .nullish(),
    monit: z.object({ memory: z.number(), cpu: z.number() }).partial().nullish(),
  }),
);

const name = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !text.startsWith("-"), "it must not begin with -")
  .describe("The name or number of the process; all for every process");
const Named = z.strictObject({ name });

/** The tools that run pm2 with one word. */
const VERBS: readonly (readonly [verb: string, description: string])[] = [
  ["restart", "Restarts a pm2 process."],
  ["stop", "Stops a pm2 process; it stays in the list."],
  ["start", "Starts a stopped pm2 process, or a script or ecosystem file of the project."],
];

/** Creates `pm2_status pm2_restart pm2_stop pm2_start pm2_logs pm2_reloadAll pm2_save`. */
export function createPm2Tools(world: ProgramWorld): Tool[] {
  const tell = async (words: readonly string[], signal: AbortSignal): Promise<ToolResult> =>
    toOutput(`pm2 ${words[0] ?? ""}`, await runPm2(world, words, signal));
  const ofAll = (tool: string, words: readonly string[], description: string): Tool =>
    defineTool({
      ...{ name: tool, description, arguments: z.strictObject({}), changes: true },
      timeoutMs: LIMIT_MS + MORE_MS,
      preview: () => Promise.resolve(["pm2", ...words].join(" ")),
      run: (_none, { signal }) => tell(words, signal),
    });
  return [
    createStatusTool(world),
    ...VERBS.map(([verb, description]) =>
      defineTool({
        ...{ name: `pm2_${verb}`, description, arguments: Named, changes: true },
        subjects: (args) => [{ kind: "name", name: args.name }],
        timeoutMs: LIMIT_MS + MORE_MS,
        preview: (args) => Promise.resolve(`pm2 ${verb} ${args.name}`),
        run: (args, { signal }) => tell([verb, args.name], signal),
      }),
    ),
    ofAll("pm2_reloadAll", ["reload", "all"], "Reloads all of pm2's processes, one after the other."),
    ofAll("pm2_save", ["save"], "Saves pm2's list of processes so that they start again after a reboot."),
    defineTool({
      name: "pm2_logs",
      description: "Returns the last lines that pm2's processes, or one of them, wrote.",
      arguments: z.strictObject({
        name: name.optional(),
        lines: z.int().min(1).max(5000).optional().describe("How many; 100 by default"),
      }),
      changes: false,
      timeoutMs: LIMIT_MS + MORE_MS,
      run: ({ name: asked, lines = 100 }, { signal }) =>
        tell(
          ["logs", ...(asked === undefined ? [] : [asked]), "--lines", String(lines), "--nostream"],
          signal,
        ),
    }),
  ];
}

function runPm2(
  world: ProgramWorld,
  args: readonly string[],
  signal: AbortSignal,
  keep?: Program["keep"],
): Promise<ProgramRun> {
  const quiet = { ...world, env: { ...world.env, NO_COLOR: "1", FORCE_COLOR: "0" } };
  const program = { command: "pm2", args, timeoutMs: LIMIT_MS, keep };
  return runProgram(quiet, program, signal);
}

function createStatusTool(world: ProgramWorld): Tool {
  return defineTool({
    name: "pm2_status",
    description: "Lists the processes of pm2: name, number, status, pid, restarts, memory, load.",
    arguments: z.strictObject({ name: name.optional() }),
    changes: false,
    timeoutMs: LIMIT_MS + MORE_MS,
    run: async ({ name: asked }, { signal }) => {
      const ran = await runPm2(world, ["jlist"], signal, { head: LIST_BYTES, tail: 0 });
      const problem = describeProblem("pm2 jlist", ran);
      if (problem !== undefined) return failed(problem);
      const listed = readList(ran.stdout);
      if (listed === undefined)
        return failed(`cannot read the answer of pm2 jlist: ${ran.stdout.slice(0, 300)}`);
      const meant = listed.filter(
        (one) => asked === undefined || asked === "all" || one.name === asked || String(one.pm_id) === asked,
      );
      if (meant.length === 0)
        return asked === undefined ? done("pm2 has no processes") : failed(`${asked}: no such process`);
      return done(meant.slice(0, MOST_LISTED).map(formatProcess).join("\n"));
    },
  });
}

/** pm2 may print notices before the list. */
function readList(text: string): z.infer<typeof Listed> | undefined {
  for (const line of [text, ...text.split("\n").filter((one) => one.startsWith("["))]) {
    const read = Listed.safeParse(parseJson(line));
    if (read.success) return read.data;
  }
  return undefined;
}

function formatProcess({
  name,
  pm_id: id,
  pid,
  pm2_env: env,
  monit,
}: z.infer<typeof Listed>[number]): string {
  const memory = monit?.memory === undefined ? [] : [`memory ${Math.round(monit.memory / 1024 / 1024)} MiB`];
  const load = monit?.cpu === undefined ? [] : [`cpu ${monit.cpu} %`];
  return [
    `${name} (${id}): ${env?.status ?? "unknown"}`,
    `pid ${pid ?? 0}`,
    `restarts ${env?.restart_time ?? 0}`,
    ...memory,
    ...load,
  ].join(", ");
}
