import { expect, test } from "vitest";
import type { ProcessResult } from "../ports.js";
import { buildSandboxArgs, findSandbox, type SandboxView } from "./bubblewrap.js";

const view: SandboxView = {
  cwd: "/home/u/p",
  writable: ["/home/u/p", "/home/u/p/.looper/sessions/s/outputs"],
  readOnly: ["/home/u/p/.looper/sessions"],
  hiddenFolders: ["/home/u/.ssh"],
  hiddenFiles: { paths: ["/home/u/.netrc"], empty: "/tmp/e" },
  temp: "/tmp/t",
  network: false,
  isRoot: true,
};
const text = (more: Partial<SandboxView> = {}): string =>
  buildSandboxArgs({ ...view, ...more }, ["sh", "-c", "x y"]).join(" ");

test("the sandbox has no network and no privileges, and ends with its parent", () => {
  expect(text()).toContain("--die-with-parent --unshare-pid --unshare-ipc --new-session --unshare-net");
  expect(text()).toContain("--cap-drop ALL --cap-add");
  expect(text({ network: true, isRoot: false })).not.toMatch(/unshare-net|cap-/);
});

test("everything is read-only but what is writable, and a deeper mount comes after the one around it", () => {
  const order = [
    "--ro-bind / / ",
    "--bind /tmp/t /tmp ",
    "--bind /home/u/p /home/u/p ",
    "--tmpfs /home/u/.ssh ",
    "--ro-bind /tmp/e /home/u/.netrc ",
    "--ro-bind /home/u/p/.looper/sessions /home/u/p/.looper/sessions ",
    "--bind /home/u/p/.looper/sessions/s/outputs ",
    "--remount-ro /home/u/.ssh ",
    "--chdir /home/u/p -- sh -c x y",
  ];
  const places = order.map((words) => text().indexOf(words));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
});

const ending = (code: number, stderr = ""): ProcessResult => ({
  end: { how: "exited", code },
  stdout: new Uint8Array(),
  stderr,
  timedOut: false,
});

test("bubblewrap that is missing, or does not work here, is named with what to do", async () => {
  const env = { PATH: "/bin" };
  const which = (): Promise<string> => Promise.resolve("/bin/bwrap");
  const broken = "bwrap: No permissions to create new namespace\nmore";
  expect(
    await findSandbox(
      { which: () => Promise.resolve(undefined), run: () => Promise.resolve(ending(0)) },
      env,
    ),
  ).toMatchObject({
    missing: "bubblewrap (bwrap) is not on PATH",
    hint: expect.stringContaining("apt-get") as string,
  });
  expect(await findSandbox({ which, run: () => Promise.resolve(ending(1, broken)) }, env)).toMatchObject({
    missing: "bubblewrap (/bin/bwrap) does not work here: bwrap: No permissions to create new namespace",
  });
  expect(await findSandbox({ which, run: () => Promise.resolve(ending(0)) }, env)).toEqual({
    found: "/bin/bwrap",
  });
});
