// The calls of node:fs/promises, done at once where the page cache answers: handing a call to a thread and hearing of it costs
// ten times what it does. What waits for the disk itself, or is long, is handed over. Leaves what they are for to files.ts.
import * as fs from "node:fs";
import { promisify } from "node:util";

/** More bytes than this are handed over. */
const MOST_AT_ONCE = 1 << 20;

const fsync = promisify(fs.fsync);
const fdatasync = promisify(fs.fdatasync);
const readFile = promisify(fs.readFile);
const read = promisify(fs.read);
const write = promisify(fs.write);

/** Runs an action at once; the promise rejects with the error it throws. */
function atOnce<T>(act: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(act());
  });
}

/** An open file. */
export class OpenFile {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** How many bytes there were; 0 at the end. */
  read(into: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    if (length <= MOST_AT_ONCE) return atOnce(() => fs.readSync(this.#fd, into, offset, length, position));
    return read(this.#fd, into, offset, length, position).then(({ bytesRead }) => bytesRead);
  }

  /** From where it stands to its end. */
  async readFile(): Promise<Uint8Array> {
    const { size } = await this.stat();
    return size <= MOST_AT_ONCE ? fs.readFileSync(this.#fd) : readFile(this.#fd);
  }

  /** How many bytes were taken. `position` null: where it stands. */
  write(from: Uint8Array, offset: number, length: number, position: number | null): Promise<number> {
    if (length <= MOST_AT_ONCE) return atOnce(() => fs.writeSync(this.#fd, from, offset, length, position));
    return write(this.#fd, from, offset, length, position).then(({ bytesWritten }) => bytesWritten);
  }

  stat(): Promise<fs.Stats> {
    return atOnce(() => fs.fstatSync(this.#fd));
  }

  chmod(mode: number): Promise<void> {
    return atOnce(() => {
      fs.fchmodSync(this.#fd, mode);
    });
  }

  sync(): Promise<void> {
    return fsync(this.#fd);
  }

  datasync(): Promise<void> {
    return fdatasync(this.#fd);
  }

  close(): Promise<void> {
    return atOnce(() => {
      fs.closeSync(this.#fd);
    });
  }
}

export const open = (path: string, flags: string | number, mode?: number): Promise<OpenFile> =>
  atOnce(() => new OpenFile(fs.openSync(path, flags, mode)));
export const stat = (path: string): Promise<fs.Stats> => atOnce(() => fs.statSync(path));
export const lstat = (path: string): Promise<fs.Stats> => atOnce(() => fs.lstatSync(path));
export const list = (folder: string): Promise<string[]> => atOnce(() => fs.readdirSync(folder));
export const readLink = (path: string): Promise<string> => atOnce(() => fs.readlinkSync(path));
export const realPath = (path: string): Promise<string> => atOnce(() => fs.realpathSync.native(path));
export const rename = (from: string, to: string): Promise<void> =>
  atOnce(() => {
    fs.renameSync(from, to);
  });
export const link = (existing: string, path: string): Promise<void> =>
  atOnce(() => {
    fs.linkSync(existing, path);
  });
export const unlink = (path: string): Promise<void> =>
  atOnce(() => {
    fs.unlinkSync(path);
  });
