import { mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../system/processes/node-ports.js";
import { createRedact } from "../system/text/secrets/redact.js";
import { redactFile } from "./redact-file.js";

const SECRET = "s3cr3t-value-0123456789";
const { files } = nodePorts();
const redact = createRedact([SECRET]);

async function redacted(content: string | Buffer): Promise<Buffer> {
  const folder = mkdtempSync(path.join(tmpdir(), "looper-redact-file-"));
  const file = path.join(folder, "printed.out");
  writeFileSync(file, content);
  await redactFile(files, file, redact);
  expect(readdirSync(folder)).toEqual(["printed.out"]);
  return readFileSync(file);
}

test("a secret is redacted at any place, also across two pieces", async () => {
  const piece = 1024 * 1024;
  // The places around each end of a piece and around each possible cut.
  for (const end of [piece, piece - 8 * 1024, 2 * piece - 8 * 1024])
    for (const before of process.env["EXHAUSTIVE"] === undefined ? [0, 10] : [0, 1, 10, SECRET.length - 1]) {
      const text = `${"x".repeat(end - before)}${SECRET}${"y".repeat(2 * piece)}`;
      const clean = (await redacted(text)).toString();
      expect(clean.length).toBe(text.length - SECRET.length + "[redacted]".length);
      expect(clean).toContain("x[redacted]y");
    }
});

test("a private key of many lines is redacted as a whole", async () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${"QUJD\n".repeat(800)}-----END PRIVATE KEY-----`;
  const text = `${"line\n".repeat(209_300)}${key}\n${"line\n".repeat(300_000)}`;
  expect((await redacted(text)).toString()).toBe(text.replace(key, "[redacted]"));
});

test("a file without secrets and a link stay unchanged", async () => {
  const bytes = Buffer.from([0, 255, 254, 10, 128, 65]);
  expect(await redacted(bytes)).toEqual(bytes);
  const folder = mkdtempSync(path.join(tmpdir(), "looper-redact-file-"));
  const [file, link] = [path.join(folder, "a"), path.join(folder, "b")];
  writeFileSync(file, SECRET);
  symlinkSync(file, link);
  await redactFile(files, link, redact);
  await redactFile(files, path.join(folder, "none"), redact);
  expect(readFileSync(file, "utf8")).toBe(SECRET);
});
