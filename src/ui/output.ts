/** A place that text goes to: stdout, stderr, or a test's list. */
export interface Output {
  /** Resolves when there is room for more. What goes to a reader that is gone is dropped. */
  write(text: string): Promise<void>;
  /** A person's terminal, not a pipe or a file. */
  readonly isTerminal: boolean;
  /** Whether colour is wanted there. */
  readonly colour: boolean;
  /** Columns of the terminal now; 80 where there is none. */
  columns(): number;
  /** Rows of the terminal now; 24 where there is none. */
  rows(): number;
}
