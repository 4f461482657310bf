// The page of `looper serve` in a real Chromium: what a person sees and does, on a desk and on a phone.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { inBrowser, noBrowser, openWindow } from "../rig/browser.js";
import { call, playScript } from "../rig/chapo.js";
import { story, type Rig } from "../rig/rig.js";
import { startUnsigned } from "../rig/serve-client.js";
import { playStages, PLAN } from "../rig/stages.js";

const inChromium = test.skipIf(noBrowser !== undefined);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The faults that axe finds on a page that was just opened, in a line each. Only contrast depends on the theme. */
async function violations(page: Page): Promise<string[]> {
  // The page's policy forbids other scripts; the browser itself may run one.
  await page.evaluate(`${axe}; undefined`);
  const found: string[] = [];
  for (const [theme, rules] of [
    ["light", "{}"],
    ["dark", "{ runOnly: ['color-contrast', 'link-in-text-block'] }"],
  ] as const) {
    await page.emulateMedia({ colorScheme: theme });
    const faults = await page.evaluate(`axe.run(${rules}).then(({ violations }) => violations)`);
    for (const { id, nodes } of faults as { id: string; nodes: { html: string; failureSummary: string }[] }[])
      found.push(
        `${theme} ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`,
      );
  }
  return found;
}

const HEADING_CUT =
  "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('.question > header'))";
const FIRST_LETTER_SHOWN = `(() => {
  const title = document.querySelector(".row .cut .foreign");
  const range = document.createRange();
  range.setStart(title.firstChild, 0);
  range.setEnd(title.firstChild, 1);
  const [letter, cell] = [range, title.closest(".cut")].map((one) => one.getBoundingClientRect());
  return letter.left >= cell.left && letter.right <= cell.right;
})()`;
const SEND_SHOWN =
  "document.querySelector('.composer button').getBoundingClientRect().bottom < document.querySelector('.views').getBoundingClientRect().top";
const STRAYS =
  "[...document.querySelectorAll('.state > .hidden')].filter((e) => e.offsetParent !== e.parentElement).length";

/** The browser counts each refusal of the server as an error; the page shows those. */
const isUnexpected = (text: string): boolean => !/status of 4\d\d/.test(text);

/** A person changes a task while another, at a terminal, changes it too. */
async function twoEditAtOnce(rig: Rig, page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Edit T2" });
  const save = dialog.getByRole("button", { name: "Save" });
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await dialog.locator("input:focus").waitFor();
  await dialog.getByLabel("Title").fill("Make the file well");
  expect((await rig.run(["set", "T2", "title=Make it", "priority=2"])).code).toBe(0);
  await save.click();
  const told = dialog.getByRole("alert");
  await told.getByText("Make it").waitFor();
  expect(await told.textContent()).toContain("Priority (1 is first) is now: 2");
  expect(await dialog.getByLabel("Title").inputValue()).toBe("Make the file well");
  expect(await dialog.getByLabel("Priority").inputValue()).toBe("2");
  expect(rig.readBacklog().tasks[1]).toMatchObject({ title: "Make it", priority: 2 });
  await dialog.getByLabel("Title").press("Enter");
  await page.getByText("T2 is saved.").waitFor();
  await page.locator("button:focus", { hasText: "Edit" }).waitFor();
  expect(rig.readBacklog().tasks[1]).toMatchObject({ title: "Make the file well", priority: 2 });
}

/** A hidden tab in which notices are allowed: `noticed` has their texts. */
async function openHidden(context: BrowserContext, where: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(`
    globalThis.noticed = [];
    globalThis.Notification = class {
      static permission = "granted";
      constructor(_, { body }) {
        noticed.push(body);
      }
    };`);
  await page.goto(where);
  await page.locator(".strip").waitFor();
  await page.evaluate(`Object.defineProperty(document, "hidden", { get: () => true });
    document.dispatchEvent(new Event("visibilitychange"))`);
  return page;
}

/** Drags with the mouse, by the point of an element that is so far from its left edge. */
async function drag(page: Page, from: Locator, to: Locator, x = 20): Promise<void> {
  for (const [element, step] of [
    [from, "down"],
    [to, "up"],
  ] as const) {
    const box = await element.boundingBox();
    await page.mouse.move((box?.x ?? 0) + x, (box?.y ?? 0) + 12, { steps: 5 });
    await page.mouse[step]();
  }
}

/** The keys count for a row that was chosen by a click, and not for one that the filter hides. */
async function choose(page: Page): Promise<void> {
  const chosen = page.locator(".chosen");
  await page.getByLabel("Select T2").click();
  await page.getByLabel("Filter").fill("gnp");
  await chosen.waitFor({ state: "detached" });
  await page.getByLabel("Filter").fill("");
  await chosen.waitFor();
  await page.getByLabel("Select T1").click();
  await page.getByLabel("Select T1").click();
  await page.keyboard.press("4");
  await page.getByText("T2: priority 4.").waitFor();
  await page.keyboard.press("Escape");
  await chosen.waitFor({ state: "detached" });
}

/** A row that was let go elsewhere is forgotten; one that is dropped on another takes its priority. */
async function dropRows(rig: Rig, page: Page): Promise<void> {
  const [first, second] = [1, 2].map((n) => page.getByRole("row").filter({ hasText: `T${n}` }));
  const heading = page.getByRole("heading", { name: "Backlog" });
  if (first === undefined || second === undefined) throw new Error("no rows");
  await drag(page, second, page.locator("header.top"), 700);
  await page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))");
  await drag(page, heading, first);
  await drag(page, first, second, 700);
  await page.getByText("T1: priority 4.").waitFor();
  expect(rig.readBacklog().tasks.map(({ priority }) => priority)).toEqual([4, 4]);
}

inChromium(
  "a plan is approved on a phone in two taps, and its task is carried out",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["true"] }, loop: { review: false } });
    puppet.play(playStages());
    const title = "سبد خرید را بازنویسی کن: می‌خواهم مجموع دیده شود، پیش از آنکه سفارش دهم";
    rig.writeBacklog([{ id: "T1", title, workflow: "plan-approve-execute" }]);
    rig.gitInit();
    expect((await rig.run(["run", "--trust"])).code).not.toBe(2);
    const { base, key, program } = await startUnsigned(rig, ["--start-on-answer"]);
    await inBrowser(async (browser) => {
      const { page, troubles, origins } = await openWindow(browser, { width: 390, height: 844 });
      await page.goto(`${base}/#key=${key}`);
      await page.getByRole("link", { name: /T1.*Carry out this plan/ }).click();
      await page.getByText(PLAN.summary).waitFor();
      expect(new URL(page.url()).hash).toBe("");
      // On a low screen the plan scrolls below its heading, which keeps its room.
      await page.setViewportSize({ width: 1024, height: 420 });
      await expect.poll(() => page.evaluate(HEADING_CUT)).toBe(0);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByText("T1: approve.").waitFor();
      await page.getByText("Nothing is asked.").waitFor();
      await page.getByRole("link", { name: "Backlog", exact: true }).click();
      await expect.poll(() => rig.statuses()).toEqual({ T1: "done" });
      await page.getByRole("button", { name: "1 done" }).waitFor();
      expect(rig.read("hello.txt")).toBe("hello\n");
      // A long title is cut at its end, which of Persian is on the left.
      expect(await page.evaluate(FIRST_LETTER_SHOWN)).toBe(true);
      await page.getByRole("link", { name: "Chat", exact: true }).click();
      await page.getByRole("button", { name: "Send" }).waitFor();
      expect(await page.evaluate(SEND_SHOWN)).toBe(true);
      await page.getByRole("link", { name: "Now", exact: true }).click();
      await page.getByRole("heading", { name: "Last run" }).waitFor();
      // A link that is opened a second time leaves the browser signed in.
      await page.goto("about:blank");
      await page.goto(`${base}/#key=${key}`);
      await page.getByRole("heading", { name: "Last run" }).waitFor();
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      expect(wide).toBe(390);
      expect(troubles.filter(isUnexpected)).toEqual([]);
      expect([...origins].filter((origin) => origin !== base && origin !== "null")).toEqual([]);
    });
    program.signal("SIGTERM");
    await program.ended;
  }),
);

inChromium(
  "a task is added, run, watched, its diff read and undone; foreign text stays text",
  story(async (rig) => {
    const evil = '<img src=x onerror="alert(1)"> \u202egnp.exe [x](javascript:alert(2))';
    const puppet = await rig.agent(
      {},
      { verify: { commands: ["test -s made.js"] }, loop: { review: false } },
    );
    let finish = (): void => undefined;
    const mayEnd = new Promise<void>((resolve) => (finish = resolve));
    puppet.play(async (turn) => {
      await turn.say(evil);
      await turn.write("made.js", "// made <b>bold</b>\n");
      await mayEnd;
      await turn.report();
    });
    rig.writeBacklog([{ id: "T1", title: evil, status: "done", priority: 5 }]);
    rig.write("a.js", "1;\n");
    rig.gitInit();
    expect((await rig.run(["validate", "--trust"])).code).not.toBe(3);
    const { base, key, program } = await startUnsigned(rig);
    await inBrowser(async (browser) => {
      const { page, context, troubles } = await openWindow(browser);
      await page.goto(`${base}/tasks#key=${key}`);
      await page.getByText("\\u202egnp.exe").waitFor();
      await page.keyboard.press("a");
      await page.getByLabel("Title").fill("Make the file");
      await page.getByLabel("Depends on").fill("T1");
      await page.getByLabel("Depends on").press("Enter");
      await page.getByText("T2 is added.").waitFor();
      expect(rig.statuses()).toEqual({ T1: "done", T2: "todo" });
      await choose(page);
      await dropRows(rig, page);
      const tab = context.waitForEvent("page");
      await page.getByRole("link", { name: "Make the file" }).click({ modifiers: ["ControlOrMeta"] });
      await (await tab).close();
      expect(new URL(page.url()).pathname).toBe("/tasks");

      await page.getByRole("row", { name: /Make the file/ }).click();
      await expect.poll(() => page.title()).toMatch(/^T2 · .* · Looper$/);
      await page.goBack();
      await page.locator(".row.at", { hasText: "T2" }).click();
      await page.getByText("A run that starts now takes it first.").waitFor();
      await twoEditAtOnce(rig, page);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("log").getByText('<img src=x onerror="alert(1)">').waitFor();
      await page.getByRole("heading", { name: "T2 in progress" }).waitFor();

      // Another tab, opened meanwhile, sees the same.
      const other = await context.newPage();
      await other.route("**/attempts", (route) => route.abort());
      await other.goto(`${base}/tasks/T2`);
      await other.getByRole("region", { name: "Attempts" }).getByRole("alert").waitFor();
      expect(await other.getByText("No agent has worked").count()).toBe(0);
      await other.unroute("**/attempts");
      await other.goto(`${base}/tasks/T2`);
      await other.getByText("in progress", { exact: true }).first().waitFor();
      await other.getByText("A run works at it.").waitFor();
      const hidden = await openHidden(context, `${base}/tasks`);
      finish();
      await other.getByText("verified", { exact: true }).first().waitFor();
      await other.close();
      await expect.poll(() => hidden.evaluate("noticed")).toEqual(["The run has ended: complete"]);
      await hidden.close();

      await page.getByText("Last run").waitFor();
      await page.goto(`${base}/tasks/T2`);
      await page.getByText("// made <b>bold</b>").waitFor();
      await page.getByText("Because of the work this turned from red to green:").waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      const dialog = page.getByRole("dialog", { name: "Undo T2" });
      await dialog.getByText("made.js").waitFor();
      await dialog.getByRole("button", { name: "Undo" }).click();
      await page.getByText("T2 is undone, and to do again.").waitFor();
      expect(rig.statuses()).toEqual({ T1: "done", T2: "todo" });

      // A task that was done by hand has no commit.
      await page.goto(`${base}/tasks/T1`);
      await page.getByText("no check of it is known").waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("dialog", { name: "Undo T1" }).getByText("No file changes.").waitFor();

      await page.goto(`${base}/runs`);
      await page.setViewportSize({ width: 1440, height: 420 });
      await page.getByRole("link", { name: /^\d{4}-\d\d-\d\d_/ }).click();
      await page.getByRole("heading", { name: "Timeline" }).waitFor();
      await page.getByRole("link", { name: "Log", exact: true }).click();
      await page.getByText("run_ended").first().waitFor();
      await expect.poll(() => page.evaluate("document.querySelector('.log').scrollTop")).toBeGreaterThan(0);
      await page.goto(`${base}/tasks/no%2Fsuch`);
      await page.getByText("there is no task no/such").waitFor();
      expect(troubles.filter(isUnexpected)).toEqual([]);
    });
    program.signal("SIGTERM");
    await program.ended;
  }),
);

inChromium(
  "a chat asks for an approval, gets it, and continues; every view is accessible in both themes",
  story(async (rig) => {
    const turns = [
      call("fs_writeFile", { path: "made.txt", content: "made\n" }),
      call("bash_execute", { command: "echo > begun; until [ -e go ]; do sleep 0.1; done" }),
      { say: "The file is **made**:\n\n```txt\nmade\n```" },
    ];
    playScript(rig, { turns }, { mode: "default" });
    rig.writeBacklog([
      { id: "T1" },
      { id: "T2", depends_on: ["T1"] },
      { id: "T3", status: "blocked", blockers: ["no way"] },
    ]);
    rig.gitInit();
    const { base, key, program } = await startUnsigned(rig);
    await inBrowser(async (browser) => {
      const { page, context, troubles } = await openWindow(browser);
      await page.goto(`${base}/chat#key=${key}`);
      await page.getByLabel("Message", { exact: true }).fill("Make a file");
      await page.keyboard.press("Enter");
      await page.getByLabel("Message", { exact: true }).fill("And then");
      await page.getByRole("button", { name: "Approve" }).click();
      // The conversation has got its address: what was typed meanwhile is still there.
      await page.getByRole("link", { name: "New chat" }).waitFor();
      expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("And then");
      await page.getByText("Approved").waitFor();
      // Another tab, where nothing is done, shows what is said here.
      const other = await context.newPage();
      await other.goto(page.url());
      await expect.poll(() => other.getByRole("button", { name: "Approve" }).count()).toBe(1);
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByText("Chapo works").waitFor();
      expect(rig.read("made.txt")).toBe("made\n");
      await expect.poll(() => existsSync(path.join(rig.project, "begun"))).toBe(true);
      // In the middle of a turn too, the page that is loaded anew shows all of it, and shows it once.
      await page.reload();
      await page.getByText("Chapo works").waitFor();
      await page.locator(".call", { hasText: "bash_execute" }).waitFor();
      expect(await page.locator("strong", { hasText: "made" }).count()).toBe(0);
      rig.write("go", "");
      await page.locator("strong", { hasText: "made" }).waitFor();
      await page.getByText("Chapo works").waitFor({ state: "detached" });
      for (const again of [false, true]) {
        if (again) await page.reload();
        await page.locator("strong", { hasText: "made" }).waitFor();
        expect(await page.locator(".own", { hasText: "Make a file" }).count()).toBe(1);
        expect(await page.locator(".call").count()).toBe(2);
      }
      await other.locator("strong", { hasText: "made" }).waitFor();
      await expect.poll(() => other.getByRole("button", { name: "Approve" }).count()).toBe(0);
      await other.close();
      // The language of code is told beside it: what is copied is the code alone.
      expect(await page.getByLabel("Code").textContent()).toBe("made");
      const chat = new URL(page.url()).pathname;
      const views = ["/", "/tasks", "/tasks?shape=board", "/tasks/T3", "/runs", "/questions", chat];
      for (const view of views) {
        await page.goto(base + view);
        await page.locator("main h1").first().waitFor({ state: "attached" });
        await expect.poll(() => page.locator(".loading").count()).toBe(0);
        expect(await violations(page), view).toEqual([]);
        // A hidden word is inside its sign, so it does not lengthen the page below a list.
        expect(await page.evaluate(STRAYS), view).toBe(0);
      }
      expect(troubles.filter(isUnexpected)).toEqual([]);

      // Without a session the page says what to do, and shows nothing.
      await page.evaluate("localStorage.clear()");
      await page.goto(`${base}/tasks`);
      await page.getByText("Open the link that").waitFor();
      expect(await page.getByText("Do T1").count()).toBe(0);
      await context.close();
    });
    program.signal("SIGTERM");
    await program.ended;
  }),
);
