// A terminal for stories: the real program in tmux, its screen read back. Waits for the screen, never for a time.
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { Rig } from "./rig.js";
import { BIN } from "./program.js";

/** A quiet machine needs a tenth of it. */
const PATIENCE_MS = 300_000;

/** Why stories cannot use tmux here; `undefined`: they can. */
export const noTmux =
  spawnSync("tmux", ["-V"]).error === undefined ? undefined : "tmux is not installed: apt-get install tmux";
if (noTmux !== undefined) process.stderr.write(`skipped: ${noTmux}\n`);

export interface TmuxOptions {
  columns: number;
  rows: number;
  env?: Record<string, string>;
}

/** The program in a terminal of a size. */
export class Tmux {
  readonly #rig: Rig;
  readonly #socket: string;

  constructor(rig: Rig, args: readonly string[], { columns, rows, env = {} }: TmuxOptions) {
    this.#rig = rig;
    this.#socket = path.join(rig.root, "tmux");
    const settings = path.join(rig.root, "tmux.conf");
    writeFileSync(
      settings,
      "set -g remain-on-exit on\nset -g escape-time 0\nset -g history-limit 50000\nset -g default-terminal screen-256color\n",
    );
    const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const size = ["-x", String(columns), "-y", String(rows)];
    this.#tmux(
      ["-f", settings, "new-session", "-d", ...size, ...variables, "-c", rig.project],
      [process.execPath, BIN, ...args],
    );
  }

  /** The screen as it is now, line by line; `styled`: with its colours. `all`: with what scrolled away. */
  screen({ styled = false, all = false } = {}): string {
    return this.#tmux(["capture-pane", "-p", ...(styled ? ["-e"] : []), ...(all ? ["-S", "-"] : [])]);
  }

  /** Waits until the screen has the text or matches. */
  async shows(wanted: string | RegExp): Promise<void> {
    const found = expect.poll(() => this.screen(), { timeout: PATIENCE_MS, interval: 30 });
    await (typeof wanted === "string" ? found.toContain(wanted) : found.toMatch(wanted));
  }

  /** Waits until nothing runs: the spinner is gone. */
  async rests(): Promise<void> {
    await expect
      .poll(() => this.screen(), { timeout: PATIENCE_MS, interval: 30 })
      .not.toContain("Esc interrupts");
  }

  /** Presses keys, as tmux names them: `Enter`, `C-j`, `Escape`, `Up`. */
  press(...keys: string[]): void {
    this.#tmux(["send-keys", ...keys]);
  }

  /** Types a text. */
  type(text: string): void {
    this.#tmux(["send-keys", "-l", text]);
  }

  /** Pastes as a terminal does, with the marks of a paste. */
  paste(bytes: Buffer | string): void {
    execFileSync("tmux", ["-S", this.#socket, "load-buffer", "-"], { env: this.#rig.env, input: bytes });
    this.#tmux(["paste-buffer", "-p", "-r", "-d"]);
  }

  resize(columns: number, rows: number): void {
    this.#tmux(["resize-window", "-x", String(columns), "-y", String(rows)]);
  }

  /** The exit code, once the program has ended. */
  async ended(): Promise<number> {
    const status = (): string => {
      const said = this.#tmux(["display", "-p", "#{pane_dead}:#{pane_dead_status}"]).trim();
      // tmux can miss that its child has ended, and then knows no code: the end of another child makes it look again.
      if (said === "1:") this.#tmux(["run-shell", "true"]);
      return said;
    };
    await expect.poll(status, { timeout: PATIENCE_MS, interval: 30 }).toMatch(/^1:\d/);
    return Number(status().slice(2));
  }

  close(): void {
    spawnSync("tmux", ["-S", this.#socket, "kill-server"], { env: this.#rig.env });
  }

  #tmux(args: readonly string[], command: readonly string[] = []): string {
    return execFileSync("tmux", ["-S", this.#socket, ...args, ...command], {
      env: this.#rig.env,
      encoding: "utf8",
    });
  }
}

/** Plays in a terminal, and closes it however that ends. */
export async function inTmux(
  rig: Rig,
  args: readonly string[],
  options: TmuxOptions,
  play: (tmux: Tmux) => Promise<void>,
): Promise<void> {
  const tmux = new Tmux(rig, args, options);
  try {
    await play(tmux);
  } finally {
    tmux.close();
  }
  // The server of tmux ends after the command that ends it.
  await expect.poll(() => rig.leftovers(), { timeout: PATIENCE_MS }).toEqual([]);
}
