import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { checkpoint } from "../checkpoint/checkpoint.js";
import { test, type Scratch } from "../testing/scratch.js";
import type { CommitPolicy } from "../restore/settle-head.js";
import { leaveOutUnwanted } from "./leave-out.js";
import { snapshot, type Snapshot } from "./snapshot.js";

const KEY = `sk-${"a1".repeat(20)}`;

function write(scratch: Scratch, path: string, content = "x\n"): void {
  mkdirSync(dirname(join(scratch.top, path)), { recursive: true });
  writeFileSync(join(scratch.top, path), content);
}

/** Does this between a checkpoint and its snapshot, and leaves out what no commit should hold. */
async function during(
  scratch: Scratch,
  agent: () => unknown,
  mostUntracked?: number,
  policy: CommitPolicy = "runner",
): Promise<{ seen: Snapshot; paths: string[]; again: string[] }> {
  const repo = await scratch.open(mostUntracked === undefined ? {} : { mostUntracked });
  const order = { run: "run-1", reuse: false };
  const taken = await checkpoint(repo, { ...order, id: "T1" });
  await agent();
  const label = { run: "run-1", label: "T1-1", policy };
  const seen = await leaveOutUnwanted(repo, await snapshot(repo, { checkpoint: taken, ...label }));
  const next = await snapshot(repo, { checkpoint: taken, ...label });
  return { seen, paths: seen.changes.map(({ path }) => path), again: next.changes.map(({ path }) => path) };
}

test("new files that look like secrets are left out, by their name or a key in them; examples and code are not", async ({
  scratch,
}) => {
  const { seen, paths, again } = await during(scratch, () => {
    write(scratch, ".env", `TOKEN=${KEY}\n`);
    write(scratch, "deploy/id_ed25519");
    write(scratch, "src/client.ts", `const key = "${KEY}";\n`);
    write(scratch, "conf/credentials", "x\n");
    write(scratch, "notes.md", `-----BEGIN OPENSSH PRIVATE KEY-----\n${"b3BlbnNzaC1r".repeat(12)}\n`);
    write(scratch, "s3.ini", `aws_secret_access_key = ${"wJalrXUt".repeat(5)}\n`);
    write(scratch, "docs/tls.md", "-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n");
    write(scratch, ".env.example", "TOKEN=\n");
    write(scratch, "src/env.ts", "export {};\n");
    write(scratch, "compose.yml", "url: postgres://app:app@localhost/app\n");
  });
  expect(paths).toEqual([".env.example", "compose.yml", "docs/tls.md", "src/env.ts"]);
  expect(seen.leftOut).toEqual([
    ".env (by its name a secret)",
    "conf/credentials (by its name a secret)",
    "deploy/id_ed25519 (by its name a secret)",
    "notes.md (holds a key)",
    "s3.ini (holds a key)",
    "src/client.ts (holds a key)",
  ]);
  expect(again).toEqual(paths);
});

test("a secret that the agent staged is not staged any more, and a person's own one keeps its place in checkpoints", async ({
  scratch,
}) => {
  write(scratch, ".env", "MINE=1\n");
  const { paths } = await during(scratch, async () => {
    write(scratch, ".env", "MINE=1\nAGENT=2\n");
    write(scratch, "prod.pem");
    await scratch.git("add", "-f", ".env", "prod.pem");
  });
  expect(paths).toEqual([]);
  expect(await scratch.git("status", "--porcelain")).toBe("?? .env\n?? prod.pem");
  const next = await checkpoint(await scratch.open(), { id: "T2", run: "run-1", reuse: false });
  expect(await scratch.git("show", `${next.base}:.env`)).toBe("MINE=1\nAGENT=2");
});

test("a tracked file with such a name is committed as ever", async ({ scratch }) => {
  write(scratch, ".env", "A=1\n");
  await scratch.commitAll("settings");
  const { paths, seen } = await during(scratch, () => {
    write(scratch, ".env", "A=2\n");
  });
  expect(paths).toEqual([".env"]);
  expect(seen.leftOut).toBeUndefined();
});

test("a folder of dependencies is left out where it is beside its manifest, and git tracks nothing in it", async ({
  scratch,
}) => {
  write(scratch, "old/package.json", "{}");
  write(scratch, "old/node_modules/kept/index.js");
  await scratch.commitAll("vendored");
  const { seen, paths } = await during(scratch, () => {
    write(scratch, "web/package.json", "{}");
    write(scratch, "web/node_modules/a/index.js");
    write(scratch, "web/node_modules/a/node_modules/b/index.js");
    write(scratch, "old/node_modules/kept/more.js");
    write(scratch, "vendor/lib.php");
    write(scratch, "node_modules/no-manifest.js");
  });
  expect(paths).toEqual([
    "node_modules/no-manifest.js",
    "old/node_modules/kept/more.js",
    "vendor/lib.php",
    "web/package.json",
  ]);
  expect(seen.leftOut).toEqual(["web/node_modules (dependencies that nothing ignores)"]);
});

test("a new file above git.max_untracked_bytes is left out", async ({ scratch }) => {
  const { seen, paths } = await during(
    scratch,
    () => {
      write(scratch, "model.bin", "x".repeat(3000));
    },
    2048,
  );
  expect(paths).toEqual([]);
  expect(seen.leftOut).toEqual(["model.bin (2.9 KB, above git.max_untracked_bytes)"]);
});

test("without such files nothing is asked", async ({ scratch }) => {
  const { seen } = await during(scratch, () => {
    write(scratch, "src/a.ts");
  });
  expect(seen.leftOut).toBeUndefined();
});

const PEM = Array.from({ length: 20 }, () => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${"b3Bl".repeat(8)}`).join(
  "\n",
);
const WHOLE = `-----BEGIN RSA PRIVATE KEY-----\n${PEM}\n-----END RSA PRIVATE KEY-----\n`;

test("a key is found however it is spelled, and in large files and binaries", async ({ scratch }) => {
  const json = JSON.stringify(WHOLE);
  const parts = WHOLE.split("\n").map((line) => JSON.stringify(`${line}\n`));
  const short = `MC4CAQAwBQYDK2VwBCIEI${"Ab3+".repeat(10)}A1=`;
  const keys: Record<string, string | Buffer> = {
    "a.json": `{"private_key": ${json}}`,
    "b.js": `export const KEY = ${json};\n`,
    "c.js": `const KEY =\n  ${parts.join(" +\n  ")};\n`,
    "d.js": `const KEY = [\n  ${parts.join(",\n  ")}];\n`,
    "e.txt": JSON.stringify({ body: JSON.stringify({ key: WHOLE.replaceAll("\n", "\r\n") }) }),
    "f.yml": `key: |\n${WHOLE.replaceAll(/^/gm, "    ")}`,
    "g.conf": `KEY="${WHOLE.replaceAll("\n", " ")}"\n`,
    "h.txt": WHOLE.replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C\n\n"),
    "i.asc": WHOLE.replaceAll("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK").replace("\n", "\n\n"),
    "j.txt": `-----BEGIN PRIVATE KEY-----\n${short}\n-----END PRIVATE KEY-----\n`,
    "k.log": `${"x".repeat(200_000)}\ntoken=${KEY}\n`,
    "l.bin": Buffer.concat([Buffer.alloc(3_000_000), Buffer.from([255, 254]), Buffer.from(WHOLE)]),
    "m.txt": Buffer.from(`token ${KEY}\n`, "utf16le"),
  };
  const others = {
    "n.ts": 'export const HEAD = "-----BEGIN PRIVATE KEY-----", END = "-----END PRIVATE KEY-----";\n',
    "o.md": `"-----BEGIN PRIVATE KEY-----\\nMIIE...\\n-----END PRIVATE KEY-----\\n"\n${"word ".repeat(50_000)}`,
    "p.pub": `-----BEGIN PUBLIC KEY-----\n${PEM}\n-----END PUBLIC KEY-----\n`,
  };
  const { seen, paths } = await during(scratch, () => {
    for (const [path, content] of Object.entries({ ...keys, ...others }))
      writeFileSync(join(scratch.top, path), content);
  });
  expect(paths).toEqual(Object.keys(others));
  expect(seen.leftOut).toEqual(Object.keys(keys).map((path) => `${path} (holds a key)`));
});

test("a value of the environment is found as JSON spells it, and with letters beyond ASCII", async ({
  scratch,
}) => {
  const secret = 'zx81"sëcret-0001';
  Object.assign(scratch.env, { MY_SERVICE_TOKEN: secret });
  const { paths } = await during(scratch, () => {
    write(scratch, "a.har", `${"x".repeat(70_000)}${JSON.stringify(secret)}`);
    write(scratch, "b.txt", secret);
    write(scratch, "c.txt", "zx81");
  });
  expect(paths).toEqual(["c.txt"]);
});

test("a secret that the agent committed is named as such, and the branch of HEAD is not a side branch", async ({
  scratch,
}) => {
  const agent = async (): Promise<void> => {
    write(scratch, ".env", `TOKEN=${KEY}\n`);
    write(scratch, "a.txt", "agent\n");
    await scratch.commitAll("agent");
    write(scratch, "prod.pem");
  };
  const { seen } = await during(scratch, agent, undefined, "agent");
  expect(seen.leftOut).toEqual(["prod.pem (by its name a secret)"]);
  expect(seen.warnings).toEqual([expect.stringMatching(/^\.env \(by its name a secret\) is in a commit/)]);
  expect(await scratch.git("status", "--porcelain")).toBe("?? prod.pem");
});
