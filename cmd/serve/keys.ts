// The keys of people: a link's key is traded once for a session's. Only digests are kept, in the user's state
// folder, so that browsers stay signed in when the server starts again.
import path from "node:path";
import { z } from "zod";
import { environmentError } from "../../src/system/errors.js";
import { acquireLock } from "../../src/system/files/lock.js";
import type { Clock, Ports } from "../../src/system/ports.js";
import { parseJson } from "../../src/system/text/json.js";
import { sha256Hex } from "../../src/system/text/sha256.js";
import { ApiError } from "./api-error.js";

/** `read`: reads alone. `answer`: also answers questions. `admin`: all. */
export const ROLES = ["read", "answer", "admin"] as const;
export type Role = (typeof ROLES)[number];

const Kept = z.object({
  digest: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  /** Milliseconds since the epoch. */
  until: z.number(),
});

/** The session of a person who signed in. */
export type SignedIn = z.infer<typeof Kept>;

/** Of a key: 256 bits. */
const BYTES = 32;
const DAY_MS = 86_400_000;
const SESSION_MS = 30 * DAY_MS;
const LINK_MS = DAY_MS;
/** How much of its time may pass before a used session is written down anew. */
const RENEW_MS = DAY_MS;

const LOCK_WAIT_MS = 5_000;

const MOST_WRONG = 10;

/** Counts what was done by a name within the last minute. */
export class Rate {
  readonly #times = new Map<string, readonly number[]>();

  constructor(private readonly clock: Pick<Clock, "now">) {}

  /** False where it was done as often as it may be; else this time counts too. */
  take(name: string, most: number): boolean {
    const now = this.clock.now();
    const lately = (this.#times.get(name) ?? []).filter((at) => at > now - 60_000);
    if (lately.length < most) this.#times.set(name, [...lately, now]);
    return lately.length < most;
  }
}

type KeyPorts = Pick<Ports, "clock" | "files" | "processes" | "random">;

export class Keys {
  readonly #links = new Map<string, Pick<SignedIn, "name" | "role" | "until">>();
  /** As the file was last read. Other servers of the project write it too. */
  #known = { mark: "", sessions: [] as readonly SignedIn[] };
  readonly #wrong: Rate;
  readonly #signedOut = new Map<string, AbortController>();

  constructor(
    private readonly ports: KeyPorts,
    private readonly file: string,
  ) {
    this.#wrong = new Rate(ports.clock);
  }

  /** A new key that signs in once, within a day. */
  link(name: string, role: Role): string {
    const key = this.ports.random.hex(BYTES);
    this.#links.set(sha256Hex(key), { name, role, until: this.ports.clock.now() + LINK_MS });
    return key;
  }

  /** Trades a link's key for a session's. */
  async signIn(key: string, name: string | undefined): Promise<{ key: string; session: SignedIn }> {
    const now = this.ports.clock.now();
    const digest = sha256Hex(key);
    const link = this.#links.get(digest);
    if (link === undefined || link.until < now) throw this.#refuse();
    this.#links.delete(digest);
    const own = this.ports.random.hex(BYTES);
    const session: SignedIn = {
      digest: sha256Hex(own),
      // Only the owner of the server may choose a name: answers are recorded under it.
      name: link.role === "admin" ? (name ?? link.name) : link.name,
      role: link.role,
      until: now + SESSION_MS,
    };
    await this.#change((all) => [...all, session]);
    return { key: own, session };
  }

  /** The session of an `Authorization` header; a session lives on from its last use. */
  async check(header: string | undefined): Promise<SignedIn> {
    const now = this.ports.clock.now();
    const key = /^Bearer ([\w-]{20,200})$/.exec(header ?? "")?.[1];
    if (key === undefined) throw new ApiError(401, "key", "sign in with the link that looper serve printed");
    // The keys are random: how long it takes to compare their digests tells nothing.
    const digest = sha256Hex(key);
    const found = (await this.#sessions()).find((one) => one.digest === digest);
    if (found === undefined || found.until < now) throw this.#refuse();
    if (found.until < now + SESSION_MS - RENEW_MS) {
      const until = now + SESSION_MS;
      // On a full disk the session ends as it was written down.
      await this.#change((all) => all.map((one) => (one.digest === digest ? { ...one, until } : one))).catch(
        () => undefined,
      );
    }
    return found;
  }

  async signOut(session: SignedIn): Promise<void> {
    await this.#change((all) => all.filter(({ digest }) => digest !== session.digest));
    this.#signedOut.get(session.digest)?.abort();
    this.#signedOut.delete(session.digest);
  }

  /** Aborted when the session signs out here: its streams end with it. */
  signedOut({ digest }: SignedIn): AbortSignal {
    const known = this.#signedOut.get(digest) ?? new AbortController();
    this.#signedOut.set(digest, known);
    return known.signal;
  }

  /** Counts wrong keys. A right one is taken whatever others tried. */
  #refuse(): ApiError {
    if (!this.#wrong.take("", MOST_WRONG))
      return new ApiError(429, "rate", "too many wrong keys: try again in a minute");
    return new ApiError(401, "key", "the key is not valid, or no longer", {
      hint: "open a new link: press Enter where looper serve runs",
    });
  }

  async #sessions(): Promise<readonly SignedIn[]> {
    const { files } = this.ports;
    const { mtimeMs = 0, size = 0, inode = 0 } = (await files.stat(this.file)) ?? {};
    const mark = [mtimeMs, size, inode].join(" ");
    if (mark === this.#known.mark) return this.#known.sessions;
    const bytes = await files.read(this.file);
    const read = z.array(Kept).safeParse(bytes === undefined ? [] : parseJson(bytes));
    this.#known = { mark, sessions: read.success ? read.data : [] };
    return this.#known.sessions;
  }

  /** Changes the newest sessions, whichever server of the project wrote them. */
  async #change(act: (sessions: readonly SignedIn[]) => readonly SignedIn[]): Promise<void> {
    const { clock, files } = this.ports;
    await files.makeFolder(path.dirname(this.file), 0o700);
    const lock = await acquireLock(this.ports, `${this.file}.lock`, {}, { waitMs: LOCK_WAIT_MS });
    if ("heldBy" in lock) throw environmentError(`${this.file} is kept locked by pid ${lock.heldBy.pid}`);
    try {
      await lock.held.forgetDead();
      const now = clock.now();
      const all = act(await this.#sessions()).filter(({ until }) => until > now);
      await files.writeAtomic(this.file, `${JSON.stringify(all)}\n`, { mode: 0o600 });
    } finally {
      await lock.held.release();
    }
  }
}
