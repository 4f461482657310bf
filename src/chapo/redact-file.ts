// Redacts a file that a command printed, piece by piece, because it may be large. src/system/text/secrets/redact.ts finds secrets.
import type { Files } from "../system/ports.js";
import type { Redact } from "../system/text/secrets/redact.js";

const PIECE = 1024 * 1024;
/** The longest secret. */
const WINDOW = 8 * 1024;

/** Replaces the file with a redacted copy if it contains secrets. No process may still write to it. */
export async function redactFile(files: Files, file: string, redact: Redact): Promise<void> {
  const stat = await files.stat(file, { link: true });
  if (stat?.kind !== "file") return;
  const source = { files, file, size: stat.size, redact };
  if (!(await holdsSecrets(source))) return;
  const beside = `${file}.clean`;
  await files.remove(beside);
  const out = await files.openAppend(beside, { mode: 0o600 });
  try {
    for await (const { clean } of readPieces(source)) await out.append(clean);
  } finally {
    await out.close();
  }
  await files.rename(beside, file);
}

interface Source {
  files: Files;
  file: string;
  size: number;
  redact: Redact;
}

async function holdsSecrets(source: Source): Promise<boolean> {
  for await (const { raw, clean } of readPieces(source)) if (raw !== clean) return true;
  return false;
}

async function* readPieces({
  files,
  file,
  size,
  redact,
}: Source): AsyncGenerator<{ raw: string; clean: string }> {
  const decoder = new TextDecoder();
  let rest = "";
  for (let at = 0; at < size; at += PIECE) {
    const isLast = at + PIECE >= size;
    const bytes = await files.readRange(file, at, Math.min(PIECE, size - at));
    const text = rest + decoder.decode(bytes, { stream: !isLast });
    const end = isLast ? text.length : findCut(text, redact);
    const raw = text.slice(0, end);
    rest = text.slice(end);
    yield { raw, clean: redact(raw) };
  }
}

/** Finds a place to cut that is far enough from the end and not inside a secret. */
function findCut(text: string, redact: Redact): number {
  for (let end = text.length - WINDOW; end > 0; end -= WINDOW) {
    const [left, right] = [text.slice(Math.max(0, end - WINDOW), end), text.slice(end, end + WINDOW)];
    if (redact(left + right) === redact(left) + redact(right)) return end;
  }
  return text.length;
}
