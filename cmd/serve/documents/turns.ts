// The turns of Chapo's sessions that clients asked for. Each runs in the server, whether its client stays or not, and its events are
// lines of `events.jsonl` in the session's folder, from which every client reads. Leaves the work to src/chapo, and what an event
// says to event-shapes.ts.
import path from "node:path";
import type { ConversationOutcome } from "../../../src/chapo/engine/world.js";
import type { ChapoEvent } from "../../../src/chapo/engine/events.js";
import type { Chapo } from "../../../src/chapo/session/session-request.js";
import { readSession, type ListedSession } from "../../../src/chapo/session/sessions.js";
import type { ChapoSettings } from "../../../src/config/read/chapo-settings.js";
import { errorMessage, UserError } from "../../../src/system/errors.js";
import type { Ports } from "../../../src/system/ports.js";
import { nodePorts } from "../../../src/system/processes/node-ports.js";
import type { CommandContext } from "../../context/command-context.js";
import { modelOf, openHere, siteOf, type ChapoLine } from "../../commands/chapo/site.js";
import { ApiError } from "../api-error.js";
import { ENDS, NEW_TURN, seeEvent, toSaid, type SaidEvent } from "./event-shapes.js";

/** ChapoTurns at once. */
const MOST_TURNS = 16;
/** The end of a log that is looked at for its last number. */
const END_OF_LOG = 1 << 16;
const LINE_END = 10;

/** A turn that a client asks for. */
export interface TurnRequest {
  context: CommandContext;
  request: Omit<ChapoLine, "words">;
  /** The settings of this turn, over the project's. */
  settings?: Partial<ChapoSettings>;
  /** The folder of its tools, absolute; absent: the project's. */
  root?: string;
  /** The session that continues; absent: a new one. */
  session?: string;
  /** Before the turn; what it throws is the caller's error. */
  prepare?: (chapo: Chapo) => Promise<void>;
  work: (chapo: Chapo, signal: AbortSignal) => Promise<ConversationOutcome>;
}

interface Turn {
  /** The number of the last line before it. */
  from: number;
  lines: string[];
  over: boolean;
  /** Wakes those who wait for the next line. */
  waiting: Set<() => void>;
  ended: Promise<void>;
}

/** A turn that has begun. */
export interface BegunTurn {
  session: string;
  /** The number of the last line before it. */
  from: number;
}

export class ChapoTurns {
  /** The newest turn of each session that had one here. */
  readonly #turns = new Map<string, Turn>();
  #opening = 0;

  constructor(
    private readonly ports: Ports,
    private readonly closing: AbortSignal,
  ) {}

  /** Opens the session and begins; what cannot be opened is thrown, what fails later is the turn's last event. */
  async begin({
    context,
    request,
    settings = {},
    root,
    session,
    prepare,
    work,
  }: TurnRequest): Promise<BegunTurn> {
    const running = [...this.#turns.values()].filter(({ over }) => !over).length;
    if (running + this.#opening >= MOST_TURNS)
      throw new ApiError(503, "busy", "too many conversations at once", { retry_after: 5 });
    this.#opening++;
    try {
      // Ports of its own: the marks of its processes are not those of another session.
      const own = { ...context, ports: nodePorts() };
      const asked: ChapoLine = { ...request, words: [] };
      const site = await siteOf(own, asked);
      const call = {
        context: own,
        request: asked,
        site: { ...site, settings: { ...site.settings, ...settings } },
      };
      if (session !== undefined && (await sessionOf({ context }, session)).isHeld)
        throw new ApiError(409, "running", `the session ${session} is working on a message`);
      const model = await modelOf(call);
      let take: (event: ChapoEvent) => void = () => undefined;
      const listener = {
        onEvent: (event: ChapoEvent): void => {
          take(event);
        },
        onWarning: () => undefined,
      };
      const chapo = await openHere(call, { model, signal: this.closing, resume: session, root }, listener);
      const file = path.join(site.sessionsFolder, chapo.id, "events.jsonl");
      let from: number;
      try {
        from = await lastNumber(this.ports, file);
        await prepare?.(chapo);
      } catch (error) {
        await chapo.close();
        throw error;
      }
      const turn: Turn = { from, lines: [], over: false, waiting: new Set(), ended: Promise.resolve() };
      this.#turns.set(chapo.id, turn);
      turn.ended = this.#run(chapo, { turn, file, work, hear: (listen) => (take = listen) });
      return { session: chapo.id, from };
    } finally {
      this.#opening--;
    }
  }

  /** The lines above a number, as they come, until the session's turn is over. `folder`: the session's. */
  async *lines(folder: string, after: number, signal: AbortSignal): AsyncGenerator<string, void> {
    const turn = this.#turns.get(path.basename(folder));
    let at = after;
    const before = turn === undefined ? Infinity : turn.from;
    if (at < before)
      for (const line of await readLog(this.ports, path.join(folder, "events.jsonl"))) {
        const seq = numberOf(line);
        if (seq <= at || seq > before) continue;
        at = seq;
        yield line;
      }
    if (turn === undefined) return;
    at = Math.max(at, turn.from);
    while (!signal.aborted) {
      const line = turn.lines[at - turn.from];
      if (line !== undefined) {
        at += 1;
        yield line;
      } else if (turn.over) return;
      else await nextLine(turn, signal);
    }
  }

  /** The number of a session's last line. */
  async lastSeq(folder: string): Promise<number> {
    const turn = this.#turns.get(path.basename(folder));
    return turn === undefined
      ? lastNumber(this.ports, path.join(folder, "events.jsonl"))
      : turn.from + turn.lines.length;
  }

  isRunning(session: string): boolean {
    return this.#turns.get(session)?.over === false;
  }

  /** Resolves when no turn runs: the server's end stops them. */
  async settled(): Promise<void> {
    await Promise.all([...this.#turns.values()].map(({ ended }) => ended));
  }

  async #run(
    chapo: Chapo,
    {
      turn,
      file,
      work,
      hear,
    }: Pick<TurnRequest, "work"> & {
      turn: Turn;
      file: string;
      hear: (listen: (event: ChapoEvent) => void) => void;
    },
  ): Promise<void> {
    let written = Promise.resolve();
    let added = 0;
    const add = (event: SaidEvent): void => {
      const line = seal(this.ports, turn.from + added, event);
      added += 1;
      written = written
        .then(() => appendLine(this.ports, file, line))
        // A log that cannot be written is still told to those who listen.
        .catch(() => undefined)
        .then(() => {
          turn.lines.push(line);
          for (const wake of turn.waiting) wake();
        });
    };
    let seen = NEW_TURN;
    let end: SaidEvent | undefined;
    hear((event) => {
      seen = seeEvent(seen, event);
      const said = toSaid(event, chapo.id, seen);
      if (said === undefined) return;
      // The end is told once the session is free for the next message.
      if (ENDS.has(said.type)) end = said;
      else add(said);
    });
    try {
      const outcome = await work(chapo, this.closing);
      end ??= endWithout(
        chapo.id,
        outcome.how === "error" ? outcome.error : "the turn ended without an answer",
      );
    } catch (error) {
      end = endWithout(chapo.id, error instanceof UserError ? error.message : "an internal error");
    }
    await chapo.close().catch((error: unknown) => {
      end = endWithout(chapo.id, errorMessage(error));
    });
    add(end);
    await written;
    turn.over = true;
    for (const wake of turn.waiting) wake();
    this.#forget();
  }

  /** Keeps the lines of the newest few turns that are over: the others are read from their logs. */
  #forget(): void {
    const over = [...this.#turns].filter(([, turn]) => turn.over);
    for (const [session] of over.slice(0, -MOST_TURNS)) this.#turns.delete(session);
  }
}

function endWithout(sessionId: string, error: string): SaidEvent {
  return { type: "error", data: { error, message: error, recoverable: true, status: "error", sessionId } };
}

/** The session with this id; throws 404. */
export async function sessionOf(
  { context }: { context: CommandContext },
  id: string,
): Promise<ListedSession> {
  const { sessionsFolder: folder } = await siteOf(context, { words: [] });
  const found = /^[A-Za-z0-9][\w-]{0,79}$/.test(id)
    ? await readSession({ ports: context.ports, folder }, id)
    : undefined;
  if (found === undefined) throw new ApiError(404, "no-session", "Session not found");
  return found;
}

/** `seq` first: logs are followed by it. */
function seal({ clock }: Ports, last: number, { type, data }: SaidEvent): string {
  return JSON.stringify({ seq: last + 1, type, data, timestamp: new Date(clock.now()).toISOString() });
}

function numberOf(line: string): number {
  return Number(/^\{"seq":(\d{1,15}),/.exec(line)?.[1] ?? 0);
}

/** The whole lines of a log; none where there is none. */
export async function readLog({ files }: Pick<Ports, "files">, file: string): Promise<string[]> {
  const text = new TextDecoder().decode((await files.read(file)) ?? new Uint8Array());
  return text.split("\n").filter((line) => numberOf(line) > 0 && line.endsWith("}"));
}

async function lastNumber(ports: Ports, file: string): Promise<number> {
  const size = (await ports.files.stat(file))?.size ?? 0;
  if (size === 0) return 0;
  const from = Math.max(0, size - END_OF_LOG);
  const text = Buffer.from(await ports.files.readRange(file, from, END_OF_LOG)).toString("utf8");
  const last = text.split("\n").findLast((line) => numberOf(line) > 0);
  if (last !== undefined || from === 0) return numberOf(last ?? "");
  return numberOf((await readLog(ports, file)).at(-1) ?? "");
}

async function appendLine({ files }: Ports, file: string, line: string): Promise<void> {
  const open = await files.openAppend(file, { mode: 0o600 });
  try {
    // A line that a killed server left half written stays alone.
    const size = open.size();
    const torn = size > 0 && (await files.readRange(file, size - 1, 1))[0] !== LINE_END;
    await open.append(`${torn ? "\n" : ""}${line}\n`);
  } finally {
    await open.close();
  }
}

function nextLine({ waiting }: Turn, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener("abort", wake);
  });
}
