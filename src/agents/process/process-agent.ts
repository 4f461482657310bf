// The engine of every agent that is a process: starts it, hands it the prompt, takes in what it prints, ends it when it
// must end, and judges how it ended. Leaves how a kind is called and understood to the kind's own file.
import { findLocalZone } from "../../system/clock.js";
import { errorMessage } from "../../system/errors.js";
import { explainNoFolder } from "../../system/files/describe-kind.js";
import { given } from "../../system/given.js";
import type { ProcessEnd, RunningProcess } from "../../system/ports.js";
import { pause } from "../../system/pause.js";
import { shorten } from "../../system/text/cut.js";
import type { Agent, AgentContext, AgentRequest, AgentResult, Budget, FailureReason } from "../agent.js";
import type { Call, Client, Engine, FoundProgram } from "./client.js";
import { findExceeded } from "./stopped.js";
import { judgeExit, type AttemptFacts } from "./exit-reason.js";
import { Listener } from "./listen.js";
import { readZone } from "../limits/reset/reset-zone.js";
import { watchProcess, type WatchRules } from "./watchdog.js";

/** Contract: that of `Agent`; in particular `run` always resolves. */
export function processAgent(kind: Client, engine: Engine): Agent {
  const working = { ...engine, kind };
  return {
    settings: engine.settings,
    find: (env, cwd) => locate(working, env, cwd),
    run: async (request, context) => {
      try {
        return await run(working, request, context);
      } catch (error) {
        return failure("exited", `could not be run: ${errorMessage(error)}`);
      }
    },
  };
}

const MISSING_MS = 30_000;
const LOOK_MS = 1_000;

interface Working extends Engine {
  kind: Client;
}

/** The folder of the work is that of the request; one of the agent's own need not be there. */
async function locate(
  { kind, ...engine }: Working,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<FoundProgram> {
  const { name, workDir: own, workDir = cwd } = engine.settings;
  const missing = own && (await explainNoFolder(engine.ports.files, workDir));
  if (missing) return { missing, hint: `correct agents.${name}.work_dir` };
  return kind.find(engine, { env, cwd: workDir });
}

/** A client that updates itself is not there for a moment: it is looked for again for half a minute. */
async function run(engine: Working, request: AgentRequest, context: AgentContext): Promise<AgentResult> {
  const { clock } = engine.ports;
  const until = clock.monotonic() + MISSING_MS;
  for (;;) {
    const result = await runOnce(engine, request, context);
    const isMissing = result.outcome === "failed" && result.reason === "not-found";
    if (!isMissing || clock.monotonic() >= until) return result;
    await pause(clock, LOOK_MS, context.stop);
    if (context.stop.aborted) return failure("interrupted", "not started: the run was being stopped");
  }
}

async function runOnce(engine: Working, request: AgentRequest, context: AgentContext): Promise<AgentResult> {
  const { settings, kind } = engine;
  const cwd = settings.workDir ?? request.cwd;
  const finding = await locate(engine, request.env, request.cwd);
  if ("missing" in finding) return failure("not-found", `${finding.missing}: ${finding.hint}`);
  const call = await kind.call(request, finding.found, engine);
  if ("refused" in call) return failure("bad-request", call.refused);
  if (context.stop.aborted) return failure("interrupted", "not started: the run was being stopped");
  const seen = await runProcess(engine, { call, request, cwd }, context);
  const end = endOf(seen, { command: call.command, cwd });
  return judgeExit(
    { ...seen, end },
    {
      now: engine.ports.clock.now(),
      // Only a time without a zone needs it, and the first question for it costs 20 ms.
      get zone() {
        return zoneOf({ ...request.env, ...call.env });
      },
    },
  );
}

/** How it ended. The program that starts it in a namespace reports a missing command on stderr, and exits as a shell would. */
function endOf(
  { end, stderr }: AttemptFacts,
  { command, cwd }: { command: string; cwd: string },
): ProcessEnd {
  const cannot = (why: string): ProcessEnd => ({
    how: "not-found",
    message: `${command} cannot be started in ${cwd}: ${why}`,
  });
  if (end.how === "not-found") return cannot(end.message);
  if (end.how !== "exited" || (end.code !== 126 && end.code !== 127)) return end;
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  const why =
    last.startsWith("setsid: ") && last.includes(` ${command}: `) ? last.split(": ").at(-1) : undefined;
  return why === undefined ? end : cannot(why);
}

/** Where an agent's own clock stands: it writes times as its environment has them. */
function zoneOf({ TZ: zone }: Readonly<Record<string, string>>): string {
  return zone === undefined || readZone(zone) === undefined ? findLocalZone() : zone;
}

interface Start {
  call: Call;
  request: AgentRequest;
  cwd: string;
}

/** Both pipes are drained before the end is looked at: a last line must never be lost to the speed of an exit. */
async function runProcess(engine: Working, place: Start, context: AgentContext): Promise<AttemptFacts> {
  const { settings, kind, ports } = engine;
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const listener = new Listener({
    reader: kind.reader(place.request, settings),
    context,
    clock: ports.clock,
    ready: () => begun,
    onPrinted: (alive) => {
      watch.heard(alive);
    },
    onVain: (times) => {
      watch.asksInVain(times);
    },
    stopping: () => watch.stopped() !== undefined,
    spend: (what, amount) => watch.spend(what, amount),
    onUsed: () => {
      watch.look();
    },
    price: settings.price,
    onBroken: (message) => {
      watch.giveUp(message);
    },
  });
  const running = await ports.processes.contain(
    {
      ...place.call,
      env: { ...place.request.env, ...place.call.env },
      cwd: place.cwd,
      ...given({ hide: place.request.hide }),
      onStdout: (chunk) => listener.onStdout(chunk),
      onStderr: (chunk) => listener.onStderr(chunk),
    },
    settings.contain,
  );
  const watch = watchProcess(
    running,
    rulesOf(engine, listener, { stop: context.stop, budgets: place.request.budgets ?? [] }),
    ports.clock,
  );
  const announced = announce(running, place.call, context)
    .catch((error: unknown) => {
      watch.giveUp(errorMessage(error));
    })
    .finally(begin);
  const end = await running.ended;
  watch.cancel();
  await announced;
  const heard = await listener.finish();
  await running.gone;
  const stopped = watch.stopped();
  return {
    name: settings.name,
    end,
    ...heard,
    ...given({ stopped, outcomes: place.request.stage?.outcomes }),
    ...(kind.client === undefined ? {} : { client: kind.client, kind: settings.kind }),
  };
}

function rulesOf(
  { settings, kind }: Working,
  listener: Listener<unknown>,
  { stop, budgets }: { stop: AbortSignal; budgets: readonly Budget[] },
): WatchRules {
  return {
    timeoutMs: settings.timeoutMs,
    idleTimeoutMs: settings.idleTimeoutMs,
    most: {
      // These hold it themselves.
      turns: settings.kind === "claude" || settings.kind === "chapo" ? 0 : settings.maxTurns,
      events: settings.maxEvents,
      output: settings.maxOutput,
    },
    cleanStop: kind.cleanStop,
    stop,
    silenceIsFine: () => listener.silenceIsFine(),
    hasEnded: () => listener.hasEnded(),
    beyond: (elapsedMs) => {
      if (budgets.length === 0) return undefined;
      const budget = findExceeded(budgets, listener.used(), elapsedMs);
      // Don't stop an agent that has already finished its work.
      return budget === undefined || listener.hasFinished() ? undefined : budget;
    },
  };
}

async function announce(running: RunningProcess, call: Call, context: AgentContext): Promise<void> {
  if (running.pid === -1) return;
  const words = [call.command, ...call.args].map((word) => shorten(word, 200));
  await context.onStart({ pid: running.pid, command: words.join(" ") });
}

function failure(reason: FailureReason, evidence: string): AgentResult {
  return { outcome: "failed", reason, evidence, lastMessage: "", unknownEvents: 0 };
}
