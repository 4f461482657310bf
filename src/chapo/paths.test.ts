import { mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../system/processes/node-ports.js";
import { checkSubjects, resolvePath, type ProjectFolder } from "./paths.js";

const { files } = nodePorts();

/** Creates a project with a folder and links, and a file beside it. */
async function project(): Promise<ProjectFolder & { outside: string }> {
  const top = await realpath(await mkdtemp(path.join(tmpdir(), "looper-paths-")));
  const root = path.join(top, "project");
  await mkdir(path.join(root, "sub"), { recursive: true });
  await writeFile(path.join(root, "sub", "in.txt"), "in");
  await writeFile(path.join(root, ".env"), "KEY=1");
  await writeFile(path.join(top, "secret.txt"), "out");
  const link = (target: string, name: string) => symlink(target, path.join(root, name));
  await link(top, "up");
  await link(path.join(top, "secret.txt"), "leak.txt");
  await link(path.join(top, "new.txt"), "dangling.txt");
  await link("sub", "here");
  await link(".env", "plain.txt");
  await link("sub/in.txt", ".env.linked");
  await link("ring-b", "ring-a");
  await link("ring-a", "ring-b");
  return { files, root, outside: top };
}

test("a path inside the project is resolved, also if the file does not exist", async () => {
  const place = await project();
  const at = (name: string) => path.join(place.root, name);
  expect(await resolvePath(place, "sub/in.txt", "read")).toEqual({
    path: at("sub/in.txt"),
    shown: "sub/in.txt",
  });
  expect(await resolvePath(place, at("sub/in.txt"), "write")).toEqual({
    path: at("sub/in.txt"),
    shown: "sub/in.txt",
  });
  expect(await resolvePath(place, "a/b/c.txt", "write")).toEqual({
    path: at("a/b/c.txt"),
    shown: "a/b/c.txt",
  });
  expect(await resolvePath(place, "here/new/x.ts", "write")).toEqual({
    path: at("sub/new/x.ts"),
    shown: "here/new/x.ts",
  });
  expect(await resolvePath(place, ".", "read")).toEqual({ path: place.root, shown: "." });
  expect(await resolvePath(place, "..x/y", "read")).toMatchObject({ shown: "..x/y" });
});

test("a root behind a link is the same project", async () => {
  const place = await project();
  const link = path.join(place.outside, "alias");
  await symlink(place.root, link);
  const found = await resolvePath({ files, root: link }, path.join(place.root, "sub/in.txt"), "read");
  expect(found).toEqual({ path: path.join(place.root, "sub/in.txt"), shown: "sub/in.txt" });
});

test.each([
  ["..", "outside"],
  ["../secret.txt", "outside"],
  ["sub/../../secret.txt", "outside"],
  ["/etc/passwd", "outside"],
  ["leak.txt", "outside"],
  ["up/secret.txt", "outside"],
  ["up/not/yet.txt", "outside"],
  ["dangling.txt", "outside"],
  ["dangling.txt/deeper", "outside"],
  ["ring-a", "too many symbolic links"],
  ["", "empty"],
  ["a\0b", "NUL"],
  ["x".repeat(5000), "longer"],
])("the path %j is refused", async (spelled, why) => {
  const found = await resolvePath(await project(), spelled, "read");
  expect(found).toEqual({ refusal: expect.stringContaining(why) as string });
});

test.each([
  ".git/config",
  "sub/.git",
  ".GIT/hooks/pre-commit",
  ".env",
  ".env.local",
  "sub/.env.production",
  "certs/server.pem",
  "server.KEY",
  "id_rsa",
  "deploy/id_ed25519.pub",
  ".ssh/config",
  ".npmrc",
  ".netrc",
  ".aws/credentials",
  ".looper/sessions/2026-01-01_00-00-00-abcdef/session.json",
  "plain.txt",
  ".env.linked",
])("the protected file %s may be read but not written", async (spelled) => {
  const place = await project();
  expect(await resolvePath(place, spelled, "write")).toEqual({
    refusal: expect.stringContaining("protected") as string,
  });
  expect(await resolvePath(place, spelled, "read")).not.toHaveProperty("refusal");
});

test.each([".gitignore", ".github/workflows/ci.yml", "environment.ts", "monkey.ts", "src/keys.ts"])(
  "the file %s may be written",
  async (spelled) => {
    expect(await resolvePath(await project(), spelled, "write")).not.toHaveProperty("refusal");
  },
);

test("checkSubjects checks only paths and returns the first refusal", async () => {
  const place = await project();
  expect(
    await checkSubjects(place, [
      { kind: "command", text: "cat /etc/passwd" },
      { kind: "path", path: "sub/in.txt", use: "write" },
    ]),
  ).toBeUndefined();
  expect(
    await checkSubjects(place, [
      { kind: "path", path: "sub/in.txt", use: "read" },
      { kind: "path", path: "../x", use: "read" },
      { kind: "path", path: ".env", use: "write" },
    ]),
  ).toContain("../x: outside the project");
});
