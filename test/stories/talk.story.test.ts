// `looper chapo` at a terminal: what a person sees and types, read from the screen of tmux.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Conversation } from "../../src/chapo/engine/conversation.js";
import { call, playScript } from "../rig/chapo.js";
import { story, type Rig } from "../rig/rig.js";
import { inTmux, noTmux } from "../rig/tmux.js";

const WIDE = { columns: 80, rows: 24 };
const inTerminal = test.skipIf(noTmux !== undefined);

/** How often a text is on the screen or scrolled away. */
function count(screen: string, text: string): number {
  return screen.split(text).length - 1;
}

/** A session of the project, as it is stored: the only one, or the one that has a text. */
function conversation(rig: Rig, text = /^/): Conversation {
  const folder = path.join(rig.project, ".looper/sessions");
  const stored = readdirSync(folder)
    .filter((name) => /^\d{4}-/.test(name))
    .map((id) => readFileSync(path.join(folder, id, "session.json"), "utf8"));
  return JSON.parse(stored.find((one) => text.test(one)) ?? "") as Conversation;
}

function requests(rig: Rig): string[] {
  return conversation(rig).messages.flatMap((one) =>
    one.role === "user" && one.own !== true ? [one.text] : [],
  );
}

const SLOW =
  "This sentence is written slowly, piece by piece, so that a person can read along as it comes. The end.";

inTerminal(
  "text streams with a spinner, each text is shown once and before the question, and one key answers",
  story(async (rig) => {
    const turns = [
      {
        ...call("bash_execute", { command: "echo ran > ran.txt" }),
        think: "A file is needed.",
        say: SLOW,
        piece_ms: 300,
      },
      { say: "It ran." },
      { say: "The second answer." },
    ];
    playScript(rig, { turns });
    await inTmux(rig, ["chapo"], WIDE, async (tmux) => {
      await tmux.shows("Ctrl-D ends");
      tmux.type("Run it");
      tmux.press("Enter");
      await tmux.shows(/This sentence(?![^]*The end\.)[^]* thinking · \d+s · Esc interrupts/);
      expect(tmux.screen({ styled: true })).toMatch(/\u001b\[(?:0;)?2m(?:\u001b\[\d+m)*┆ A file is needed\./);
      await tmux.shows("y yes · n no");
      expect(tmux.screen()).toMatch(/The end\.[^]*echo ran > ran\.txt/);
      tmux.press("y");
      await tmux.shows("It ran.");
      tmux.type("Again");
      tmux.press("Enter");
      await tmux.shows("The second answer.");
      const all = tmux.screen({ all: true });
      for (const text of ["The end.", "It ran.", "The second answer.", "> Run it"])
        expect(count(all, text)).toBe(1);
      expect(all).toMatch(/default · scripted\/\S+ · [\d.]+k? tokens · \d+% of window/);
      tmux.press("C-d");
      expect(await tmux.ended()).toBe(0);
    });
    expect(rig.read("ran.txt")).toBe("ran\n");
  }),
);

inTerminal(
  "Markdown is shown in styles while it streams, and raw without colours; an image that is sent is named; /exit ends",
  story(async (rig) => {
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    writeFileSync(path.join(rig.project, "shot.png"), Buffer.from(png, "base64"));
    const say = "## Seen\n- one **bold thing** and `code`\nThe end.";
    for (const [flags, shown] of [
      [[], /\nSeen\n• one bold thing and code\nThe end\./],
      [["--no-color"], /\n## Seen\n- one \*\*bold thing\*\* and `code`\nThe end\./],
    ] as const) {
      playScript(rig, { turns: [{ say, piece_ms: 20 }] });
      await inTmux(rig, ["chapo", ...flags], WIDE, async (tmux) => {
        await tmux.shows("Ctrl-D ends");
        tmux.type("What is in shot.png?");
        tmux.press("Enter");
        await tmux.shows(shown);
        expect(tmux.screen({ all: true })).toMatch(/sent with it: shot\.png/);
        tmux.type("/exit");
        tmux.press("Enter");
        expect(await tmux.ended()).toBe(0);
      });
    }
  }),
);

inTerminal(
  "lines typed while it works are queued and sent next; Esc and Ctrl-C interrupt, and what was said stays",
  story(async (rig) => {
    // An interrupted request is asked again as it was, with the next message.
    const turns = [
      { say: `${SLOW} ${SLOW}`, piece_ms: 300 },
      { say: `Third. ${SLOW}`, piece_ms: 300 },
    ];
    playScript(rig, { turns });
    await inTmux(rig, ["chapo"], WIDE, async (tmux) => {
      await tmux.shows("Ctrl-D ends");
      tmux.type("One");
      tmux.press("Enter");
      await tmux.shows("This sentence");
      tmux.type("Two");
      tmux.press("C-j");
      tmux.type("lines");
      await tmux.shows(/Two\n *lines/);
      tmux.press("Enter");
      await tmux.shows("queued: Two lines");
      tmux.press("Escape");
      await tmux.shows(/> Two[^]*The end\.[^]*The end\./);
      await tmux.rests();
      tmux.press("Up");
      await tmux.shows(/─\nTwo\nlines\n─/);
      tmux.press("C-c");
      await tmux.shows(/─\n\n─/);
      tmux.type("Three");
      tmux.press("Enter");
      await tmux.shows("Third.");
      tmux.press("C-c");
      await tmux.shows(/Third\.[^]*interrupted/);
      await tmux.rests();
      tmux.press("C-c");
      expect(await tmux.ended()).toBe(0);
    });
    expect(requests(rig)).toEqual(["One", "Two\nlines", "Three"]);
    const said = conversation(rig).messages.flatMap((one) => (one.role === "assistant" ? [one.text] : []));
    expect(said[0]).toMatch(/^This sentence/);
    expect(said[0]).not.toBe(`${SLOW} ${SLOW}`);
    expect(said.at(-1)).toMatch(/^Third\./);
  }),
);

inTerminal(
  "500 pasted lines arrive whole, at 60×20 and while the terminal is resized",
  story(async (rig) => {
    playScript(rig, { turns: [{ say: "Read.", times: 3 }] });
    const lines = Array.from({ length: 500 }, (_, n) => `line ${n + 1} of what is pasted`).join("\n");
    await inTmux(rig, ["chapo"], { columns: 60, rows: 20 }, async (tmux) => {
      await tmux.shows("Ctrl-D ends");
      tmux.paste(lines);
      await tmux.shows(/paste #1 \+500 lines/);
      tmux.resize(200, 50);
      await tmux.shows("─".repeat(200));
      tmux.resize(61, 20);
      await tmux.shows(/^─{61}\n\[paste #1 \+500 lines\]\n─{61}$/m);
      expect(count(tmux.screen(), "paste #1")).toBe(1);
      tmux.press("Enter");
      await tmux.shows("Read.");
      expect(tmux.screen({ all: true })).toContain("488 more lines");
      for (const line of tmux.screen().split("\n")) expect(line.length).toBeLessThanOrEqual(61);
      tmux.press("C-d");
      expect(await tmux.ended()).toBe(0);
    });
    expect(requests(rig)).toEqual([lines]);
  }),
);

inTerminal(
  "80×24 with wide characters and emoji, resized and typed in while text streams: each word stays once",
  story(async (rig) => {
    const words = Array.from({ length: 30 }, (_, n) => `w${n + 1} 日本語 🎉 naïve`).join(" ");
    playScript(rig, { turns: [{ say: `${words} Finished.`, piece_ms: 100 }, { say: "Next." }] });
    await inTmux(rig, ["chapo"], WIDE, async (tmux) => {
      await tmux.shows("Ctrl-D ends");
      tmux.type("Go");
      tmux.press("Enter");
      await tmux.shows("w3 ");
      tmux.type("a日b");
      for (const [columns, rows] of [
        [60, 20],
        [200, 50],
        [41, 24],
        [80, 24],
      ] as const) {
        const before = tmux.screen();
        tmux.resize(columns, rows);
        await tmux.shows(new RegExp(`^─{${columns}}\\na日b\\n─{${columns}}$`, "m"));
        await expect.poll(() => tmux.screen()).not.toBe(before);
      }
      await tmux.rests();
      await tmux.shows("Finished.");
      const all = tmux.screen();
      for (const word of [/\bw1\b/g, /\bw17\b/g, /\bw30\b/g, /Finished\./g, /^> Go$/gm, /a日b/g])
        expect(all.match(word)).toHaveLength(1);
      expect(all.match(/^─+$/gm)).toHaveLength(2);
      tmux.press("C-c");
      tmux.type("More");
      tmux.press("Enter");
      await tmux.shows("Next.");
      tmux.press("C-d");
      expect(await tmux.ended()).toBe(0);
    });
  }),
);

inTerminal(
  "NUL in a paste is left out, a paste that is too long is refused, and the session stays usable; without colour there is none",
  story(async (rig) => {
    playScript(rig, { turns: [{ say: "Read.", times: 3 }] });
    await inTmux(rig, ["chapo"], { ...WIDE, env: { NO_COLOR: "1" } }, async (tmux) => {
      await tmux.shows("Ctrl-D ends");
      tmux.paste(Buffer.from("a\u0000b\u0007c"));
      await tmux.shows("abc");
      tmux.paste("x".repeat(2_000_000));
      await tmux.shows("put it into a file");
      tmux.press("Enter");
      await tmux.shows("Read.");
      expect(tmux.screen({ styled: true, all: true })).not.toMatch(/\u001b\[[\d;]*m/);
      tmux.press("C-d");
      expect(await tmux.ended()).toBe(0);
    });
    expect(requests(rig)).toEqual(["abc"]);
  }),
);

inTerminal(
  "a file is completed after @, and a command after a slash",
  story(async (rig) => {
    rig.write("src/orders/cart.ts", "export {};\n");
    rig.write("src/other.ts", "export {};\n");
    rig.write(".looper/commands/review.md", "Review.\n");
    playScript(rig, { turns: [{ say: "Read.", times: 3 }] });
    await inTmux(rig, ["chapo"], { columns: 200, rows: 50 }, async (tmux) => {
      await tmux.shows("Ctrl-D ends");
      tmux.type("Look at @cart");
      await tmux.shows("→ src/orders/cart.ts");
      tmux.press("Tab");
      await tmux.shows("Look at @src/orders/cart.ts");
      tmux.press("Enter");
      await tmux.shows("Read.");
      tmux.type("/rev");
      await tmux.shows("/review");
      tmux.press("Tab", "Enter");
      await tmux.shows(/> \/review[^]*Read\./);
      tmux.press("C-d");
      expect(await tmux.ended()).toBe(0);
    });
    expect(requests(rig)).toEqual(["Look at @src/orders/cart.ts", "Review."]);
  }),
);

inTerminal(
  "a message typed during a call is in the next request of the same turn; the commands tell what there is",
  story(async (rig) => {
    const turns = [
      call("bash_execute", { command: "until [ -e go ]; do sleep 0.05; done" }),
      { say: "Both." },
    ];
    playScript(rig, { turns });
    await inTmux(rig, ["chapo"], WIDE, async (tmux) => {
      await tmux.shows("Ctrl-D ends");
      tmux.type("One");
      tmux.press("Enter");
      await tmux.shows("y yes");
      tmux.press("y");
      await tmux.shows(/bash_execute.* · \d+s/);
      tmux.type("And two");
      tmux.press("Enter");
      await tmux.shows("queued: And two");
      rig.write("go", "");
      await tmux.shows(/> And two[^]*Both\./);
      for (const [line, shown] of [
        ["/help", /\/permissions +show the mode/],
        ["/cost", /input tokens +\d+/],
        ["/model", "The model is scripted"],
        ["/effort hgih", "did you mean high?"],
        ["/effort high", "The effort is high"],
        ["/permissions", /mode +default/],
        ["/agents", "explore"],
        ["/hooks", /hooks/],
        ["/resume", "no other session"],
      ] as const) {
        tmux.type(line);
        tmux.press("Enter");
        await tmux.shows(shown);
      }
      tmux.press("C-d");
      expect(await tmux.ended()).toBe(0);
    });
    const roles = conversation(rig).messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "user", "assistant"]);
  }),
);

inTerminal(
  "every edit is shown as a coloured diff, and the list of todos as it changes",
  story(async (rig) => {
    rig.write("a.txt", "old line\n");
    const todo = (status: string) =>
      call("todo_write", { todos: [{ id: "1", content: "Edit a.txt", status }] });
    const turns = [
      todo("in_progress"),
      call("fs_edit", { path: "a.txt", old_string: "old", new_string: "new" }),
      call("fs_writeFile", { path: "b.txt", content: "whole\n" }),
      todo("completed"),
      { say: "Edited." },
    ];
    playScript(rig, { turns }, { mode: "trusted" });
    await inTmux(rig, ["chapo", "Edit"], { columns: 80, rows: 50 }, async (tmux) => {
      expect(await tmux.ended()).toBe(0);
      const shown = tmux.screen({ styled: true, all: true });
      expect(shown).toContain("\u001b[31m-old line");
      expect(shown).toContain("\u001b[32m+new line");
      expect(shown).toContain("\u001b[32m+whole");
      expect(tmux.screen({ all: true })).toMatch(/\[>\] Edit a\.txt[^]*\[x\] Edit a\.txt[^]*Edited\./);
    });
  }),
);

inTerminal(
  "r refuses a call with a remark for the model, e changes it before it runs, and Esc goes back to the keys",
  story(async (rig) => {
    const turns = [
      call("bash_execute", { command: "echo one > a.txt" }),
      call("bash_execute", { command: "echo two > b.txt" }),
      { say: "Both." },
    ];
    playScript(rig, { turns });
    await inTmux(rig, ["chapo"], WIDE, async (tmux) => {
      await tmux.shows("Ctrl-D ends");
      tmux.type("Write them");
      tmux.press("Enter");
      await tmux.shows("e edit · r remark");
      tmux.press("r");
      await tmux.shows("Say why not");
      tmux.press("Escape");
      await tmux.shows("y yes · n no");
      tmux.press("r");
      await tmux.shows("Say why not");
      tmux.type("not into a.txt");
      tmux.press("Enter");
      await tmux.shows(/refused: not into a\.txt[^]*y yes/);
      tmux.press("e");
      await tmux.shows("Change the call");
      tmux.type(".old");
      tmux.press("Enter");
      await tmux.shows(/allowed as edited[^]*Both\./);
      tmux.press("C-d");
      expect(await tmux.ended()).toBe(0);
    });
    expect(readdirSync(rig.project).filter((name) => name.includes(".txt"))).toEqual(["b.txt.old"]);
    expect(JSON.stringify(conversation(rig).messages)).toContain("not into a.txt");
  }),
);

inTerminal(
  "f allows every edit of the file, a command shows its exit code and output, and a resumed session where it is",
  story(async (rig) => {
    rig.write("a.txt", "one\ntwo\n");
    const edit = (old_string: string, new_string: string) =>
      call("fs_edit", { path: "a.txt", old_string, new_string });
    const turns = [
      { ...call("fs_readFile", { path: "a.txt" }) },
      edit("one", "eins"),
      edit("two", "zwei"),
      call("bash_execute", { command: "echo the tests fail; until test -f go; do sleep 0.1; done; exit 3" }),
      { say: "- a list whose first point is so long that it needs two lines of the terminal\n- an end" },
    ];
    playScript(rig, { turns });
    await inTmux(rig, ["chapo"], { columns: 60, rows: 20 }, async (tmux) => {
      await tmux.shows("Ctrl-D ends");
      tmux.type("Translate it");
      tmux.press("Enter");
      await tmux.shows("f: every edit of a.txt in this session");
      await tmux.shows("y yes · n no · a always · f file");
      tmux.press("f");
      await tmux.shows(/commander wants[^]*y yes/);
      expect(rig.read("a.txt")).toBe("eins\nzwei\n");
      tmux.press("y");
      await tmux.shows(/ bash_execute echo the tests fail.* · \d+s/);
      rig.write("go", "");
      await tmux.shows(/✗ exit code 3\n {4}the tests fail/);
      await tmux.shows(/• a list whose first point .*\n {2}\S/);
      tmux.press("C-d");
      expect(await tmux.ended()).toBe(0);
    });
    await inTmux(rig, ["chapo", "--session", "last"], WIDE, async (tmux) => {
      await tmux.shows(/Ctrl-D ends[^]*> Translate it[^]*• a list whose[^]*• an end/);
      tmux.press("C-d");
      expect(await tmux.ended()).toBe(0);
    });
  }),
);

inTerminal(
  "Shift-Tab changes the mode, Ctrl-O shows a whole output, ! runs a command for the model to see, /resume N goes to a session",
  story(async (rig) => {
    const turns = [
      { say: "First." },
      call("bash_execute", { command: "seq 101 130" }),
      { say: "Second." },
      { say: "Third." },
    ];
    playScript(rig, { turns }, { fallback: ["scripted/other"] });
    expect(await rig.run(["chapo", "The former one"])).toMatchObject({ code: 0 });
    playScript(rig, { turns: turns.slice(1) }, { fallback: ["scripted/other"] });
    await inTmux(rig, ["chapo"], { columns: 80, rows: 50 }, async (tmux) => {
      await tmux.shows(/\ndefault \(Shift-Tab\) · scripted/);
      const say = (text: string): void => {
        tmux.type(text);
        tmux.press("Enter");
      };
      for (const mode of ["acceptEdits", "auto", "plan", "default"]) {
        tmux.press("BTab");
        await tmux.shows(new RegExp(`\\n${mode} \\(Shift-Tab\\) · scripted`));
      }
      say("Count");
      await tmux.shows("y yes");
      tmux.press("y");
      await tmux.shows(/30 lines[^]*130[^]*Second\./);
      expect(tmux.screen()).not.toMatch(/^ *101$/m);
      tmux.press("C-o");
      await tmux.shows(/• bash_execute seq 101 130\n[^]* 101\n[^]* 130\n/);
      tmux.press("C-o");
      await tmux.shows("no call before it");
      say("!echo by-hand > made.txt; echo $((40 + 2)) printed");
      await tmux.shows("42 printed");
      expect(rig.read("made.txt")).toBe("by-hand\n");
      say("![image](x) seen?");
      await tmux.shows("Third.");
      // The screen shows an answer before the session's file has it.
      await expect
        .poll(() => conversation(rig, /Count/).messages.slice(-3))
        .toMatchObject([
          { role: "user", own: true, text: expect.stringContaining("42 printed") as string },
          { role: "user", text: "![image](x) seen?" },
          { role: "assistant" },
        ]);
      say("/model");
      await tmux.shows(/1\. scripted\S*\n2\. scripted\/other\n/);
      say("/resume");
      await tmux.shows(/1\. \S+ +The former one/);
      say("/resume 9");
      await tmux.shows("there is no session 9");
      say("/resume 1");
      await tmux.shows(/session \S+ · \/help[^]*> The former one[^]*First\./);
      tmux.press("C-d");
      expect(await tmux.ended()).toBe(0);
    });
  }),
);
