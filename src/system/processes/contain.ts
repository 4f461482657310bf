// Processes of which nothing is left once they ended: in a PID namespace where the system allows one, else by looking for
// what they left behind. Leaves the namespace to enclosure.ts and the search to sweep.ts.
import { randomBytes } from "node:crypto";
import { sendSignal } from "./child.js";
import { openEnclosure, type Enclosure, type Tools } from "./enclosure.js";
import type { Clock, ContainedProcess, Contain, Containment, ProcessSpec, RunningProcess } from "../ports.js";
import { listChildren, lookAt } from "./proc.js";
import { Descendants, endLeftovers, markName } from "./sweep.js";

const SAMPLE_MS = 1_000;
const LOOK_MS = 2;
const WAKE_MS = 100;
/** Where the tools are looked for, before PATH. */
const PLACES = "/usr/bin:/bin:/usr/sbin:/sbin";
/** Succeeds where /proc shows what is within, and only that: the shell is there by its own pid. */
const PROOF = 'read -r pid rest </proc/self/stat; test "$pid" = "$$"';

type Which = (command: string, path: string, cwd: string) => Promise<string | undefined>;

/** Starts a process with the marks of the run; `more` are added to its environment. */
export type StartProcess = (spec: ProcessSpec, more?: Readonly<Record<string, string>>) => RunningProcess;

export class Container {
  #tools: Promise<Tools | { refused: string }> | undefined;
  #descendants: Descendants | undefined;
  #inRun = false;
  /** Opened while the one before is in use: it takes as long as a program that does nothing. */
  #next: Promise<Enclosure | undefined> | undefined;

  constructor(
    private readonly clock: Clock,
    /** `started`: the processes that have not ended. `marks`: added to every environment; may grow. */
    private readonly of: {
      start: StartProcess;
      started: ReadonlySet<number>;
      marks: Readonly<Record<string, string>>;
      which: Which;
    },
  ) {}

  /** Many will be started, one after another, and a sweep comes at the end. */
  beginRun(): void {
    this.#inRun = true;
    this.watchDescendants();
  }

  /** From now on all that descends from what was started is looked for every second, and remembered. */
  watchDescendants(): Descendants {
    if (this.#descendants !== undefined) return this.#descendants;
    const descendants = new Descendants(this.of.started);
    this.clock.every(SAMPLE_MS, () => void descendants.sample());
    this.#descendants = descendants;
    return descendants;
  }

  /** See `Processes.containment`. */
  async containment(): Promise<Containment> {
    const tools = await (this.#tools ??= this.#tryTools());
    return "refused" in tools ? { by: "search", why: tools.refused } : { by: "namespace" };
  }

  /** See `Processes.contain`. */
  async start(spec: ProcessSpec, how: Contain): Promise<ContainedProcess> {
    const enclosure = how === "none" ? undefined : await this.#enclose();
    return enclosure === undefined ? this.#startMarked(spec) : this.#startEnclosed(enclosure, spec);
  }

  /** Closes what was opened for a process that does not come any more. */
  async closeNext(): Promise<void> {
    await (await this.#takeNext())?.close();
  }

  #takeNext(): Promise<Enclosure | undefined> {
    const next = this.#next;
    this.#next = undefined;
    return next ?? Promise.resolve(undefined);
  }

  async #enclose(): Promise<Enclosure | undefined> {
    const tools = await (this.#tools ??= this.#tryTools());
    if ("refused" in tools) return undefined;
    const ready = await this.#takeNext();
    return ready?.isOpen() === true ? ready : this.#open(tools);
  }

  /** While the program in the last one works. */
  async #openNext(): Promise<void> {
    const tools = await this.#tools;
    if (!this.#inRun || tools === undefined || "refused" in tools) return;
    this.#next ??= this.#open(tools).catch(() => undefined);
  }

  async #open(tools: Tools): Promise<Enclosure | undefined> {
    const enclosure = await openEnclosure(tools, this.of.marks);
    return "refused" in enclosure ? undefined : enclosure;
  }

  async #startEnclosed(enclosure: Enclosure, spec: ProcessSpec): Promise<ContainedProcess> {
    const words = enclosure.wrap(spec.command, spec.args, spec.hide);
    const outer = this.of.start({ ...spec, ...words });
    const gone = outer.ended.then(() => enclosure.close());
    const pid = (await this.#programIn(outer.pid)) ?? outer.pid;
    setImmediate(() => void this.#openNext());
    return {
      pid,
      ended: outer.ended,
      gone,
      signal: (signal, target) => {
        if (signal === "SIGKILL" && target === "group") this.#end(enclosure, outer);
        else if (pid > 0) sendSignal(pid, signal, target);
      },
    };
  }

  /** A program that stops has what waits for it stop as well: that one must continue, to see that the program is gone. */
  #end(enclosure: Enclosure, outer: RunningProcess): void {
    void enclosure.close();
    const waking = this.clock.every(WAKE_MS, () => {
      outer.signal("SIGCONT", "process");
    });
    void outer.ended.then(() => {
      waking.cancel();
    });
  }

  /** The program, once it leads its session; `undefined` when it ended before it was seen. */
  async #programIn(outer: number): Promise<number | undefined> {
    for (;;) {
      const children = listChildren(outer);
      if (children === undefined) return undefined;
      for (const child of children) if ((await lookAt(child))?.group === child) return child;
      await this.clock.sleep(LOOK_MS);
    }
  }

  async #startMarked(spec: ProcessSpec): Promise<ContainedProcess> {
    const mark = markName(`part ${randomBytes(8).toString("hex")}`);
    const running = this.of.start(spec, { [mark]: "1" });
    const { pid, ended } = running;
    const seen = await lookAt(pid);
    const child = seen ?? { pid, parent: process.pid, group: pid, started: "" };
    const descendants = this.watchDescendants();
    const endAll = async (): Promise<void> => {
      await endLeftovers(this.clock, { mark, descendants, child });
    };
    return {
      pid,
      ended,
      gone: ended.then(({ how }) => (how === "not-found" ? undefined : endAll())),
      signal: (signal, target) => {
        running.signal(signal, target);
        // A process in another group may hold the pipes.
        if (signal === "SIGKILL" && target === "group") void endAll();
      },
    };
  }

  /** The tools, once they have proven that they work here; or why not. */
  async #tryTools(): Promise<Tools | { refused: string }> {
    if (listChildren(process.pid) === undefined) return { refused: "not known on this system" };
    const tools = await this.#findTools();
    if (tools === undefined) return { refused: "unshare, nsenter or setsid is not installed" };
    const enclosure = await openEnclosure(tools, this.of.marks);
    if ("refused" in enclosure) return enclosure;
    let complained = "";
    const words = enclosure.wrap(tools.sh, ["-c", PROOF]);
    const onStderr = (chunk: Uint8Array): void => {
      complained += Buffer.from(chunk).toString("utf8");
    };
    const end = await this.of.start({ ...words, cwd: "/", env: {}, onStderr }).ended;
    await enclosure.close();
    if (end.how === "exited" && end.code === 0) return tools;
    return { refused: complained.trim() };
  }

  async #findTools(): Promise<Tools | undefined> {
    const path = `${PLACES}:${process.env["PATH"] ?? ""}`;
    const names = ["unshare", "nsenter", "setsid", "sh", "cat"];
    const found = await Promise.all(names.map((name) => this.of.which(name, path, "/")));
    const [unshare, nsenter, setsid, sh, cat] = found;
    if (unshare === undefined || nsenter === undefined || setsid === undefined) return undefined;
    return sh === undefined || cat === undefined ? undefined : { unshare, nsenter, setsid, sh, cat };
  }
}
