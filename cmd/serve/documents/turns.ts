// The turns of Chapo's sessions that clients asked for. Each runs in the server, whether its client stays or
// not; its events are lines of `events.jsonl` in the session's folder, which every client follows.
import path from "node:path";
import type { ConversationOutcome } from "../../../src/chapo/engine/world.js";
import type { ChapoEvent } from "../../../src/chapo/engine/events.js";
import type { Chapo } from "../../../src/chapo/session/session-request.js";
import { readSession } from "../../../src/chapo/session/sessions.js";
import { readLastLines } from "../../../src/logging/last-lines.js";
import { errorMessage, UserError } from "../../../src/system/errors.js";
import type { Ports } from "../../../src/system/ports.js";
import type { CommandContext } from "../../context/command-context.js";
import { modelOf, openHere, siteOf, type ChapoCall } from "../../commands/chapo/site.js";
import { ApiError } from "../api-error.js";
import type { LogFollowers } from "../follow.js";
import { Stream } from "../streams.js";
import { ENDS, NEW_TURN, seeEvent, toSaid, type SaidEvent } from "./event-shapes.js";

/** Turns at once. */
const MOST_TURNS = 16;
const LINE_END = 10;

/** A turn that a client asks for. */
export interface TurnRequest {
  /** With ports of its own: the marks of its processes are not those of another session. */
  call: ChapoCall;
  /** The folder of its tools, absolute; absent: the project's. */
  root?: string;
  /** The session that continues; absent: a new one. */
  session?: string;
  /** Before the turn; what it throws is the caller's error. */
  prepare?: (chapo: Chapo) => Promise<void>;
  work: (chapo: Chapo, signal: AbortSignal) => Promise<ConversationOutcome>;
}

/** A turn that has begun. */
export interface BegunTurn {
  /** The folder of its session, absolute. */
  folder: string;
  /** The number of the last line before it. */
  from: number;
}

/** Where the events of a session go, from its turn's begin on. */
interface Heard {
  take: (event: ChapoEvent) => void;
}

export class ChapoTurns {
  /** The turns in progress by their sessions. */
  readonly #turns = new Map<string, Promise<void>>();
  #opening = 0;

  constructor(
    private readonly ports: Ports,
    private readonly followers: LogFollowers,
    private readonly closing: AbortSignal,
  ) {}

  /** Opens the session and begins; throws what cannot be opened. A later failure is the turn's last event. */
  async begin(turn: TurnRequest): Promise<BegunTurn> {
    const { call, root, session, prepare, work } = turn;
    if (this.#turns.size + this.#opening >= MOST_TURNS)
      throw new ApiError(503, "busy", "too many conversations at once", { retry_after: 5 });
    this.#opening++;
    try {
      const mustBeFree = async (): Promise<void> => {
        if (session !== undefined && (await sessionOf(call, session)).isHeld)
          throw new ApiError(409, "running", `the session ${session} is working on a message`);
      };
      await mustBeFree();
      const model = await modelOf(call);
      const heard: Heard = { take: () => undefined };
      const listener = {
        onEvent: (event: ChapoEvent): void => {
          heard.take(event);
        },
        onWarning: () => undefined,
      };
      const wish = { model, signal: this.closing, resume: session, root };
      const chapo = await openHere(call, wish, listener).catch(async (error: unknown) => {
        await mustBeFree();
        throw error;
      });
      const folder = path.join(call.site.sessionsFolder, chapo.id);
      try {
        const log = await openLog(this.ports, folder);
        await prepare?.(chapo);
        const ended = this.#run(chapo, { log, work, heard });
        this.#turns.set(
          chapo.id,
          ended.finally(() => this.#turns.delete(chapo.id)),
        );
        return { folder, from: log.from };
      } catch (error) {
        await chapo.close();
        throw error;
      }
    } finally {
      this.#opening--;
    }
  }

  /** The lines above a number, as they come, until the session's turn is over. `folder`: the session's. */
  async *lines(folder: string, after: number, signal: AbortSignal): AsyncGenerator<string, void> {
    const session = path.basename(folder);
    const isOver = (): Promise<boolean> => Promise.resolve(!this.isRunning(session));
    const over = { isOver, end: /"type":"(?:answer|clarify|error)"/ };
    const wish = this.isRunning(session) ? { over } : { once: true as const };
    for await (const line of this.followers.lines(folder, { after, signal, ...wish }))
      if (typeof line !== "string") yield line.text;
  }

  /** Those lines as a client wants them: of each the texts that it is told. */
  stream({ folder, from }: BegunTurn, signal: AbortSignal, told: (line: string) => readonly string[]) {
    const lines = this.lines(folder, from, signal);
    const pieces = async function* (): AsyncGenerator<string, void> {
      for await (const line of lines) for (const text of told(line)) yield `${text}\n`;
    };
    return new Stream("application/x-ndjson", pieces());
  }

  isRunning(session: string): boolean {
    return this.#turns.has(session);
  }

  /** Resolves when no turn runs: the server's end stops them. */
  async settled(): Promise<void> {
    await Promise.all(this.#turns.values());
  }

  async #run(
    chapo: Chapo,
    { log, work, heard }: { log: SessionLog; work: TurnRequest["work"]; heard: Heard },
  ): Promise<void> {
    let seen = NEW_TURN;
    let end: SaidEvent | undefined;
    heard.take = (event) => {
      seen = seeEvent(seen, event);
      const said = toSaid(event, chapo.id, seen);
      if (said === undefined) return;
      // The end is told once the session is free for the next message.
      if (ENDS.has(said.type)) end = said;
      else log.add(said);
    };
    try {
      const outcome = await work(chapo, this.closing);
      const why = outcome.how === "error" ? outcome.error : "the turn ended without an answer";
      end ??= endWithout(chapo.id, why);
    } catch (error) {
      end = endWithout(chapo.id, error instanceof UserError ? error.message : "an internal error");
    }
    await chapo.close().catch((error: unknown) => {
      end = endWithout(chapo.id, errorMessage(error));
    });
    log.add(end);
    await log.close();
  }
}

function endWithout(sessionId: string, error: string): SaidEvent {
  return { type: "error", data: { error, message: error, recoverable: true, status: "error", sessionId } };
}

/** Where the sessions are stored. */
export async function sessionsAt({ context }: { context: CommandContext }) {
  return { ports: context.ports, folder: (await siteOf(context, { words: [] })).sessionsFolder };
}

/** The session with this id, and its folder; throws 404. */
export async function sessionOf(call: { context: CommandContext }, id: string) {
  const place = await sessionsAt(call);
  const found = /^[A-Za-z0-9][\w-]{0,79}$/.test(id) ? await readSession(place, id) : undefined;
  if (found === undefined) throw new ApiError(404, "no-session", "Session not found");
  return { ...found, folder: path.join(place.folder, id) };
}

/** The number of the last line of a session's log. */
export async function lastSeq(ports: Ports, folder: string): Promise<number> {
  const end = await readLastLines(ports, folder, { most: 1, wanted: () => true });
  return end?.lines[0]?.seq ?? 0;
}

type SessionLog = Awaited<ReturnType<typeof openLog>>;

/** The log of a session's events; `from`: the number of its last line so far. */
async function openLog(ports: Ports, folder: string) {
  const { clock, files } = ports;
  const from = await lastSeq(ports, folder);
  const file = path.join(folder, "events.jsonl");
  const open = await files.openAppend(file, { mode: 0o600 });
  const size = open.size();
  // A line that a killed server left half written stays alone.
  if (size > 0 && (await files.readRange(file, size - 1, 1))[0] !== LINE_END) await open.append("\n");
  let seq = from;
  return {
    from,
    add: ({ type, data }: SaidEvent): void => {
      // `seq` first: logs are followed by it.
      const line = { seq: ++seq, type, data, timestamp: new Date(clock.now()).toISOString() };
      // On a full disk the turn works on, and its clients see no more of it.
      open.append(`${JSON.stringify(line)}\n`).catch(() => undefined);
    },
    close: (): Promise<void> => open.close().catch(() => undefined),
  };
}
