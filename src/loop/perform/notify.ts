// Notifies people of what the log says (setting hooks.notification): commands get the notice on stdin, addresses a POST. Only the
// end of the run waits for it, and a failure is a line of the log. hooks/notices.ts decides what is told.
import { describeNotice, Notices, type Notice, type Told } from "../hooks/notices.js";
import { isAddress, nameReceiver, postNotice, type PostEnd } from "../hooks/post-notice.js";
import { runHook } from "../hooks/run-hook.js";
import type { Sealed } from "../../logging/events/events.js";
import { KEPT } from "../../logging/run-log.js";
import { errorMessage } from "../../system/errors.js";
import type { Network } from "../../system/network.js";
import { redactValue } from "../../system/text/secrets/redact.js";
import { makeHookEnvironment } from "./environment.js";
import { findWorkFolder } from "./agent/prompt-for.js";
import { TaskId } from "../../todo/model/task.js";
import type { Notifier, RunEnding, World } from "./world.js";

/** How long an address may take. */
const POST_MS = 10_000;
/** How long the end of a run waits for its notices; an interrupted one is to end soon. */
const END_MS = 10_000;
const INTERRUPTED_MS = 3_000;

/** Makes the notifier of a run; `undefined` without receivers. `network` is asked for when there is something to post. */
export function openNotifier(world: World, network: () => Promise<Network>): Notifier | undefined {
  const receivers = world.project.resolved.settings.hooks.notification;
  return receivers.length === 0 ? undefined : new Sender(world, receivers, network);
}

class Sender implements Notifier {
  readonly #notices = new Notices();
  /** Of each receiver the last notice to be sent: they go out one after another. */
  readonly #last = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();

  constructor(
    private readonly world: World,
    private readonly receivers: readonly string[],
    private readonly network: () => Promise<Network>,
  ) {}

  see(line: Sealed): void {
    this.#sendAll(this.#notices.take(line));
    // The lines of one decision are seen in one go.
    void Promise.resolve().then(() => {
      this.#sendAll(this.#notices.flush());
    });
  }

  async end(end: RunEnding): Promise<void> {
    const { clock } = this.world.ports;
    const { ending, message, totals } = end;
    const line = { timestamp: new Date(clock.now()).toISOString() };
    this.#sendAll(this.#notices.flush());
    this.#send({ of: "run_ended", line }, { message, ending, totals });
    const limit = clock.after(ending === "interrupted" ? INTERRUPTED_MS : END_MS, () => {
      this.#stop.abort();
    });
    await Promise.all(this.#last.values());
    limit.cancel();
  }

  #sendAll(told: readonly Told[]): void {
    for (const one of told) this.#send(one);
  }

  #send(told: Told, more: Partial<Notice> = {}): void {
    const notice = this.#write(told, more);
    for (const receiver of this.receivers) {
      const before = this.#last.get(receiver) ?? Promise.resolve();
      this.#last.set(
        receiver,
        before.then(() => this.#deliver(told, notice, receiver)).catch(() => undefined),
      );
    }
  }

  #write({ of, line }: Told, more: Partial<Notice>): Notice {
    const { log, project, memory } = this.world;
    const { to } = project.resolved.settings.ask;
    const { title, blockers = [] } = memory.backlog?.tasks.find(({ id }) => id === line.task_id) ?? {};
    const why = of === "blocked" && blockers.length > 0 ? blockers.join("; ") : undefined;
    const facts = {
      of,
      run: log.run,
      project: project.folder,
      ...line,
      title,
      why,
      ...(of === "asked" && to.length > 0 ? { to } : {}),
      ...more,
    };
    const whole: Notice = { type: "notification", ...facts, text: describeNotice(facts) };
    return redactValue(log.redact, whole, KEPT);
  }

  async #deliver({ of, seq, line }: Told, notice: Notice, receiver: string): Promise<void> {
    const { log, ports } = this.world;
    const began = ports.clock.monotonic();
    const end: PostEnd = this.#stop.signal.aborted
      ? { outcome: "timed-out", error: "not sent before the run ended" }
      : await (isAddress(receiver) ? this.#post(notice, receiver) : this.#run(notice, receiver)).catch(
          (error: unknown): PostEnd => ({ outcome: "failed", error: errorMessage(error) }),
        );
    const { task_id, stage, visit } = line;
    await log.tell({
      type: "notified",
      task_id: TaskId.safeParse(task_id).data,
      stage,
      visit,
      of,
      to: nameReceiver(receiver),
      outcome: end.outcome,
      error: end.error,
      event: seq,
      duration_ms: Math.round(ports.clock.monotonic() - began),
    });
  }

  async #post(notice: Notice, address: string): Promise<PostEnd> {
    const { clock } = this.world.ports;
    const late = new AbortController();
    const limit = clock.after(POST_MS, () => {
      late.abort();
    });
    const signal = AbortSignal.any([this.#stop.signal, late.signal]);
    const network = await this.network();
    const end = await postNotice(network, { address, body: JSON.stringify(notice), signal });
    limit.cancel();
    return end;
  }

  async #run(notice: Notice, command: string): Promise<PostEnd> {
    const { ports, log, project } = this.world;
    const end = await runHook(
      ports,
      {
        hook: command,
        cwd: await findWorkFolder(this.world),
        env: this.#environment(notice),
        event: notice,
        given: [],
        timeoutMs: project.resolved.settings.hooks.timeout,
        redact: log.redact,
      },
      this.#stop.signal,
    );
    if (end.outcome === "ok") return { outcome: "ok" };
    if (this.#stop.signal.aborted) return { outcome: "timed-out", error: "stopped, because the run ended" };
    const code = end.exitCode === undefined ? "" : `exit code ${end.exitCode}`;
    const error = [code, end.output.trim().split("\n").at(-1) ?? ""].filter((part) => part !== "").join(": ");
    return { outcome: end.outcome, error: error === "" ? undefined : error };
  }

  #environment(notice: Notice): Record<string, string> {
    const { env, log } = this.world;
    const { of, text, task_id: id = "", agent = "", ending = "" } = notice;
    const status = of === "run_ended" ? ending : of === "committed" ? "done" : "blocked";
    const base = { run: log.run, job: undefined, status, lastMessage: "" };
    return {
      ...makeHookEnvironment(env, base),
      LOOPER_TASK_ID: id,
      LOOPER_AGENT: agent,
      LOOPER_EVENT: of,
      LOOPER_MESSAGE: text,
    };
  }
}
