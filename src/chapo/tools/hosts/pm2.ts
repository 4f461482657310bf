// The pm2 tools, for processes that pm2 keeps alive on this machine. program.ts runs pm2.
import { z } from "zod";
import { parseJson } from "../../../system/text/json.js";
import { defineTool, done, failed, type Tool } from "../../tool.js";
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

/** A tool that runs pm2 with these words, and with a process's name if it takes one. */
interface Verb {
  tool: string;
  words: readonly string[];
  takesName: boolean;
  description: string;
}

const VERBS: readonly Verb[] = [
  { tool: "pm2_restart", words: ["restart"], takesName: true, description: "Restarts a pm2 process." },
  {
    tool: "pm2_stop",
    words: ["stop"],
    takesName: true,
    description: "Stops a pm2 process; it stays in the list.",
  },
  {
    tool: "pm2_start",
    words: ["start"],
    takesName: true,
    description: "Starts a stopped pm2 process, or a script or ecosystem file of the project.",
  },
  {
    tool: "pm2_reloadAll",
    words: ["reload", "all"],
    takesName: false,
    description: "Reloads all of pm2's processes, one after the other.",
  },
  {
    tool: "pm2_save",
    words: ["save"],
    takesName: false,
    description: "Saves pm2's list of processes so that they start again after a reboot.",
  },
];

/** Creates `pm2_status pm2_restart pm2_stop pm2_start pm2_logs pm2_reloadAll pm2_save`. */
export function createPm2Tools(world: ProgramWorld): Tool[] {
  return [
    createStatusTool(world),
    ...VERBS.map((verb) => createVerbTool(world, verb)),
    createLogsTool(world),
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

function createVerbTool(world: ProgramWorld, { tool, words, takesName, description }: Verb): Tool {
  const toWords = ({ name: asked = "" }: { name?: string }): string[] =>
    takesName ? [...words, asked] : [...words];
  return defineTool<{ name?: string }>({
    name: tool,
    description,
    arguments: takesName ? z.strictObject({ name }) : z.strictObject({}),
    changes: true,
    subjects: ({ name: asked }) => (asked === undefined ? [] : [{ kind: "name", name: asked }]),
    timeoutMs: LIMIT_MS + MORE_MS,
    preview: (args) => Promise.resolve(["pm2", ...toWords(args)].join(" ")),
    run: async (args, { signal }) =>
      toOutput(`pm2 ${words[0] ?? ""}`, await runPm2(world, toWords(args), signal)),
  });
}

function createLogsTool(world: ProgramWorld): Tool {
  return defineTool({
    name: "pm2_logs",
    description: "Returns the last lines that pm2's processes, or one of them, wrote.",
    arguments: z.strictObject({
      name: name.optional(),
      lines: z.int().min(1).max(5000).optional().describe("How many; 100 by default"),
    }),
    changes: false,
    timeoutMs: LIMIT_MS + MORE_MS,
    run: async ({ name: asked, lines = 100 }, { signal }) => {
      const args = ["logs", ...(asked === undefined ? [] : [asked]), "--lines", String(lines), "--nostream"];
      return toOutput("pm2 logs", await runPm2(world, args, signal));
    },
  });
}
