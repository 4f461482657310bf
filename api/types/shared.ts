// Declarations that both entries share. Copied into the package as they are.

/** An `AbortSignal`. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * A problem that the caller can correct. `message` says what is wrong and where, `hint` what to do.
 * `usage`: options, settings or files. `environment`: no agent, no key, no permission, another run. `no`: the answer is no.
 */
export declare class UserError extends Error {
  readonly kind: "usage" | "environment" | "no";
  readonly hint: string | undefined;
}

/** Options of both entries. */
export interface CommonOptions {
  /** The folder to work in; the project is found from it. Default: the current folder. */
  folder?: string;
  /** Trusts the project's own settings, which can name programs and hosts. Without it, an untrusted project is refused. */
  trust?: boolean;
  /** The environment of agents and tools. Default: the process's own. */
  env?: { readonly [name: string]: string | undefined };
  /** Called with each warning, in plain text. */
  onWarning?: (text: string) => void;
}
