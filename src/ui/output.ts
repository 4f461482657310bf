/** A destination of text: stdout, stderr, or a test's list. */
export interface Output {
  /** Resolves when the stream can take more. Text for a closed reader is dropped. */
  write(text: string): Promise<void>;
  /** A terminal that a person watches; false for a pipe or a file. */
  readonly isTerminal: boolean;
  /** Whether to use colour. */
  readonly colour: boolean;
  /** Columns of the terminal now; 80 where there is none. */
  columns(): number;
  /** Rows of the terminal now; 24 where there is none. */
  rows(): number;
}
