// Limits the long outputs that a session keeps after it is closed; while it is open they are whole. Of an output that is cut
// both ends stay, with a note between them.
import path from "node:path";
import type { AppendFile, Files } from "../../../system/ports.js";
import { characterEnd, characterStart } from "../../../system/text/utf8.js";

const MIB = 1024 * 1024;
/** The most bytes of outputs that a closed session keeps. */
const MOST = 32 * MIB;
/** The bytes that are left after a cut: less, so that not every close of a session cuts again. */
const LEFT = 24 * MIB;
const PIECE = MIB;

/** Cuts the longest outputs of the folder if all together are too long. No process may still write to them. */
export async function limitOutputs(files: Files, folder: string): Promise<void> {
  const found: { file: string; size: number }[] = [];
  for (const name of await files.list(folder)) {
    const file = path.join(folder, name);
    const stat = await files.stat(file, { link: true });
    if (stat?.kind === "file") found.push({ file, size: stat.size });
  }
  const sizes = found.map(({ size }) => size);
  if (sizes.reduce((sum, size) => sum + size, 0) <= MOST) return;
  const most = shareOut(sizes, LEFT);
  for (const { file, size } of found) if (size > most) await cutFile(files, { file, size, most });
}

/** The most bytes that each may have, so that all together have `room`: short ones stay whole. */
export function shareOut(sizes: readonly number[], room: number): number {
  let left = room;
  const sorted = [...sizes].sort((a, b) => a - b);
  for (const [at, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - at));
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

/** Replaces a file with its first and its last bytes, and a note of what was cut between them. */
async function cutFile(
  files: Files,
  { file, size, most }: { file: string; size: number; most: number },
): Promise<void> {
  const half = Math.floor(most / 2);
  const before = await files.readRange(file, 0, half);
  const head = characterEnd(before, before.length);
  const near = await files.readRange(file, size - half, Math.min(half, 4));
  const tail = size - half + (near.length < 4 ? 0 : characterStart(near, 0));
  const beside = `${file}.short`;
  await files.remove(beside);
  const out = await files.openAppend(beside, { mode: 0o600 });
  try {
    await copy({ files, file, out }, 0, head);
    await out.append(
      `\n[… ${tail - head} of ${size} bytes were cut here when the session was closed: it keeps ${MOST / MIB} MiB of outputs …]\n`,
    );
    await copy({ files, file, out }, tail, size);
  } finally {
    await out.close();
  }
  await files.rename(beside, file);
}

async function copy(
  { files, file, out }: { files: Files; file: string; out: AppendFile },
  from: number,
  to: number,
): Promise<void> {
  for (let at = from; at < to; at += PIECE)
    await out.append(await files.readRange(file, at, Math.min(PIECE, to - at)));
}
