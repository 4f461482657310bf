// The test's side of socket-agent.mjs: every start of the agent becomes a Turn, and the Turn does what the test says.
// Leaves the program and its project to rig.ts.
import { type Server, type Socket, createServer } from "node:net";
import { createInterface } from "node:readline";
import { z } from "zod";

/** Orders for the agent; it answers each with one line of JSON, except `exit` and `die`. */
export type Order =
  | { do: "write"; path: string; text: string }
  | { do: "remove"; path: string }
  | { do: "print"; to: 1 | 2; text: string }
  | { do: "shell"; command: string; heard?: true }
  | { do: "leave-behind"; command: string }
  | { do: "ignore"; signals: ("SIGINT" | "SIGTERM" | "SIGHUP")[] }
  | { do: "exit"; code: number; text: string }
  | { do: "die"; signal: "SIGKILL" | "SIGTERM" | "SIGSEGV" };

const Hello = z.object({
  name: z.string(),
  args: z.array(z.string()),
  pid: z.int(),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  prompt: z.string(),
});

/** The arguments and environment that the agent was started with. */
export type Hello = z.infer<typeof Hello>;

const Shell = z.object({ code: z.int().nullable(), stdout: z.string(), stderr: z.string() });

/** One start of the agent. Each step resolves when the agent has done it, and rejects when the agent is gone. */
export class Turn {
  readonly hello: Hello;
  /** Resolves once the agent's process has ended. */
  readonly gone: Promise<void>;
  readonly #socket: Socket;
  readonly #answers: AsyncIterator<string, undefined>;

  constructor(hello: Hello, socket: Socket, answers: AsyncIterator<string, undefined>) {
    this.hello = hello;
    this.#socket = socket;
    this.#answers = answers;
    this.gone = new Promise((resolve) =>
      socket.once("close", () => {
        resolve();
      }),
    );
  }

  /** The task it was started for; "" outside an iteration. */
  get task(): string {
    return this.hello.env["LOOPER_TASK_ID"] ?? "";
  }

  get phase(): string {
    return this.hello.env["LOOPER_PHASE"] ?? "";
  }

  write(path: string, text: string): Promise<unknown> {
    return this.#tell({ do: "write", path, text });
  }

  remove(path: string): Promise<unknown> {
    return this.#tell({ do: "remove", path });
  }

  /** A line on stdout. */
  say(line: string): Promise<unknown> {
    return this.#tell({ do: "print", to: 1, text: `${line}\n` });
  }

  complain(line: string): Promise<unknown> {
    return this.#tell({ do: "print", to: 2, text: `${line}\n` });
  }

  async shell(command: string): Promise<z.infer<typeof Shell>> {
    return Shell.parse(await this.#tell({ do: "shell", command }));
  }

  /** As `shell`, with the agent's own stdout and stderr; answers with the exit code. */
  async shellAloud(command: string): Promise<number | null> {
    return Shell.parse(await this.#tell({ do: "shell", command, heard: true })).code;
  }

  /** Starts a process in a session of its own that outlives the agent; returns its pid. */
  async leaveBehind(command: string): Promise<number> {
    return z.object({ pid: z.int() }).parse(await this.#tell({ do: "leave-behind", command })).pid;
  }

  ignore(...signals: ("SIGINT" | "SIGTERM" | "SIGHUP")[]): Promise<unknown> {
    return this.#tell({ do: "ignore", signals });
  }

  /** Prints the text and ends in the same breath. */
  async exit(code: number, text = ""): Promise<void> {
    this.#send({ do: "exit", code, text });
    await this.gone;
  }

  async die(signal: "SIGKILL" | "SIGTERM" | "SIGSEGV"): Promise<void> {
    this.#send({ do: "die", signal });
    await this.gone;
  }

  /** Reports and ends well: `done` for the task it was started for, `reviewed` outside an iteration, unless told otherwise. */
  report(summary: Record<string, unknown> = {}): Promise<void> {
    const usual =
      this.task === "" ? { task_id: null, status: "reviewed" } : { task_id: this.task, status: "done" };
    return this.exit(0, `\n\`\`\`json\n${JSON.stringify({ ...usual, ...summary })}\n\`\`\`\n`);
  }

  /** Closes the line: an agent that waits for orders ends with code 90. */
  letGo(): void {
    this.#socket.destroy();
  }

  #send(order: Order): void {
    this.#socket.write(`${JSON.stringify(order)}\n`);
  }

  async #tell(order: Order): Promise<unknown> {
    this.#send(order);
    // A killed agent ends the line with an error rather than an end.
    const answer = await this.#answers.next().catch(() => undefined);
    if (answer?.done !== false) throw new AgentGone(this.hello);
    return JSON.parse(answer.value);
  }
}

/** The agent ended before it did what it was told: killed, as a rule. */
export class AgentGone extends Error {
  constructor({ name, pid }: Hello) {
    super(`agent ${name} (pid ${pid}) is gone`);
  }
}

/** Waits for agents at a socket and passes each to its player. */
export class Puppet {
  readonly socket: string;
  /** Errors that the players threw, except an agent's death. */
  readonly failures: unknown[] = [];
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #waiting: ((turn: Turn) => void)[] = [];
  readonly #arrived: Turn[] = [];
  #player: ((turn: Turn) => Promise<void>) | undefined;

  private constructor(socket: string) {
    this.socket = socket;
    this.#server = createServer((connection) => {
      this.#open.add(connection);
      // An agent that is killed resets its end; the player sees that as AgentGone.
      connection.on("error", () => connection.destroy());
      connection.once("close", () => this.#open.delete(connection));
      void this.#greet(connection);
    });
  }

  static async listen(socket: string): Promise<Puppet> {
    const puppet = new Puppet(socket);
    await new Promise<void>((resolve) => puppet.#server.listen(socket, resolve));
    return puppet;
  }

  /** From now on every agent that starts is played by this. */
  play(player: (turn: Turn) => Promise<void>): void {
    this.#player = player;
    for (const turn of this.#arrived.splice(0)) void this.#perform(player, turn);
  }

  /** The next agent that starts and has no player yet. */
  next(): Promise<Turn> {
    const turn = this.#arrived.shift();
    return turn ? Promise.resolve(turn) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    for (const connection of this.#open) connection.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #greet(connection: Socket): Promise<void> {
    const lines = createInterface({ input: connection })[Symbol.asyncIterator]();
    const first = await lines.next().catch(() => undefined);
    if (first?.done !== false) return;
    const turn = new Turn(Hello.parse(JSON.parse(first.value)), connection, lines);
    const waiting = this.#waiting.shift();
    if (waiting) waiting(turn);
    else if (this.#player) await this.#perform(this.#player, turn);
    else this.#arrived.push(turn);
  }

  async #perform(player: (turn: Turn) => Promise<void>, turn: Turn): Promise<void> {
    try {
      await player(turn);
    } catch (error) {
      if (!(error instanceof AgentGone)) this.failures.push(error);
      turn.letGo();
    }
  }
}
