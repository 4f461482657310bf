// The terminal key by key: raw mode and bracketed paste on, and both off again however the program ends. Leaves what a key
// means to cmd/commands/chapo/talk.ts.
import { writeSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

/** The events that the holder of the terminal gets. */
export interface TerminalListener {
  /** Text as it was typed or pasted; bytes that are not UTF-8 are U+FFFD. */
  onInput(text: string): void;
  /** The size changed. */
  onResize(): void;
  /** No more input comes. */
  onClosed(): void;
}

/** A terminal in raw mode. */
export interface RawTerminal {
  write(text: string): void;
  /** Starts the delivery of keys. */
  listen(listener: TerminalListener): void;
  /** Puts the terminal back as it was. May be called again. */
  close(): void;
}

/** Bracketed paste on. */
const BEGIN = "\u001b[?2004h";
/** Bracketed paste off, cursor shown. */
const END = "\u001b[?2004l\u001b[?25h";

/** Opens the terminal; both streams must be terminals. */
export function openRawTerminal(input: NodeJS.ReadStream, output: NodeJS.WriteStream): RawTerminal {
  const decoder = new StringDecoder("utf8");
  let listener: TerminalListener | undefined;
  const onData = (bytes: Buffer): void => listener?.onInput(decoder.write(bytes));
  const onResize = (): void => listener?.onResize();
  const onEnd = (): void => listener?.onClosed();
  const onExit = (): void => {
    writeSync(1, END);
  };
  let isOpen = true;
  input.setRawMode(true);
  output.write(BEGIN);
  process.once("exit", onExit);
  return {
    write: (text) => {
      output.write(text);
    },
    listen: (given) => {
      listener = given;
      input.on("data", onData).on("end", onEnd).on("close", onEnd).resume();
      output.on("resize", onResize);
    },
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      process.off("exit", onExit);
      input.off("data", onData).off("end", onEnd).off("close", onEnd);
      output.off("resize", onResize);
      output.write(END);
      input.setRawMode(false);
      input.pause();
    },
  };
}
