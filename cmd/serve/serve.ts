// `looper serve`: answers the API of this project on this machine, until it is stopped. It serves the files of
// the page.
import path from "node:path";
import { Option } from "commander";
import { findStateFolder } from "../../src/config/read/places.js";
import { usageError } from "../../src/system/errors.js";
import { digest } from "../../src/system/text/digest.js";
import type { CommandContext, CommandOutcome } from "../context/command-context.js";
import type { WorkingCommand } from "../context/command.js";
import { SILENT } from "../context/silent.js";
import { nameOfUser } from "../lookup/caller.js";
import { printLines, projectOf, readNamedFile } from "../lookup/project.js";
import { openAccessLog } from "./access-log.js";
import { makeApp } from "./app.js";
import { Changes } from "./changes.js";
import { ChapoTurns } from "./documents/turns.js";
import { LogFollowers } from "./follow.js";
import { inUrl, namesOf } from "./guards.js";
import { listen, makeServer, PORT } from "./listen.js";
import { Keys, type Role } from "./keys.js";
import type { SocketSite } from "./documents/socket.js";
import type { PageFiles, Site } from "./route.js";

const LOOPBACK = "127.0.0.1";
/** How long those who look on may still read the last lines of the run that the server was for. */
const LAST_WORDS_MS = { least: 500, most: 5_000 };
/** Every address of the machine: no browser asks for it by that name. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

interface Request {
  port?: string;
  host?: string;
  publicUrl?: string;
  tlsCert?: string;
  tlsKey?: string;
  readOnly?: true;
  share?: string;
  as?: string;
  startOnAnswer?: true;
  beside?: true;
}

export const command: WorkingCommand<Request> = {
  options: [
    new Option("--port <n>", `this port (default: ${PORT}, or the next free one; 0: any)`),
    new Option("--host <address>", "also listen on this address of the machine; needs TLS or --public-url"),
    new Option("--public-url <url>", "the https address of a proxy in front of it"),
    new Option("--tls-cert <file>", "the certificate, with --tls-key"),
    new Option("--tls-key <file>", "the key of the certificate"),
    new Option("--read-only", "change nothing, whatever the role"),
    new Option("--share <role>", "print a second link, for another person: read or answer"),
    new Option("--as <name>", "the name of that person"),
    new Option("--start-on-answer", "an answer starts a run when none is in progress"),
    new Option("--beside", "until stdin ends: for looper run --serve").hideHelp(),
  ],
  examples: [
    ["looper serve", "print a link that signs in; Enter prints a new one"],
    ["looper serve --share answer --as ann", "a second link, for someone who answers questions"],
  ],
  refused: ["serve the project", "report it in the summary"],
  work: serve,
};

async function serve(context: CommandContext, request: Request): Promise<CommandOutcome> {
  const place = await readPlace(context, request);
  const project = await projectOf(context);
  // In the user's own folder: a project that is served for the first time may name any other.
  const state = path.join(findStateFolder(context.env, context.home), "serve", digest([project.folder]));
  const keys = new Keys(context.ports, path.join(state, "sessions.json"));
  const silent: CommandContext = { ...context, ...SILENT, cwd: project.folder };
  const open = () => projectOf(silent);
  const closing = new AbortController();
  const followers = new LogFollowers(context.ports);
  let port = 0;
  const site: Site = {
    context: silent,
    project: open,
    followers,
    changes: new Changes(silent, open),
    turns: new ChapoTurns(context.ports, followers, closing.signal),
    keys,
    startOnAnswer: request.startOnAnswer === true,
    readOnly: request.readOnly === true,
    closing: closing.signal,
    names: () => namesOf(port, { ...place, secure: place.tls !== undefined }),
    log: await openAccessLog(context, state),
    page: await readPage(context),
  };
  const app = makeApp(site);
  const { host = LOOPBACK, tls, publicUrl } = place;
  // This machine reaches it by 127.0.0.1 too.
  const isBoth = ANY_ADDRESS.has(host) || host === LOOPBACK || host === "localhost";
  const servers: ReturnType<typeof makeServer>[] = [];
  for (const one of isBoth ? [host] : [LOOPBACK, host]) {
    const server = makeServer(app, tls);
    takeSockets(server, { ...site, app });
    port = await listen(server, one, servers.length === 0 ? request.port : String(port));
    servers.push(server);
  }
  const name = nameOfUser(context.env);
  const base = publicUrl ?? `${tls === undefined ? "http" : "https"}://${inUrl(host)}:${port}`;
  const own: Role = request.readOnly === true ? "read" : "admin";
  const linkFor = (who: string, role: Role): string =>
    `${base.replace(/\/$/, "")}/#key=${keys.link(who, role)}`;
  await printLines(context.out, [`${project.folder} at ${linkFor(name, own)}`]);
  const { share, as = "guest" } = request;
  if (share !== undefined) {
    const role = share === "answer" ? "answer" : "read";
    await printLines(context.out, [`${as} (${role}): ${linkFor(as, role)}`]);
  }
  if (context.stdin.isTerminal) void printLinks(context, () => linkFor(name, own));
  const outcome = await untilStopped(context, request.beside === true ? followers : undefined);
  closing.abort();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await site.turns.settled();
  return outcome;
}

/** At a signal, or, beside a run, when that ends and is read. A second signal ends the program. */
function untilStopped(context: CommandContext, beside?: LogFollowers): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    let stopped = false;
    context.onSignal((signal) => {
      if (stopped) return false;
      stopped = true;
      resolve({ ending: "interrupted", signal });
      return true;
    });
    if (beside === undefined) return;
    void context.stdin.readAll().then(async () => {
      const { clock } = context.ports;
      const end = clock.monotonic() + LAST_WORDS_MS.most;
      await clock.sleep(LAST_WORDS_MS.least);
      while (beside.reading > 0 && clock.monotonic() < end) await clock.sleep(50);
      resolve("ok");
    });
  });
}

/** Answers requests to upgrade. The library is loaded for the first client that wants it. */
function takeSockets(server: ReturnType<typeof makeServer>, site: SocketSite): void {
  server.on("upgrade", (incoming, socket, head: Buffer) => {
    // Node listens no longer: a client that resets it would end the program.
    socket.on("error", () => socket.destroy());
    import("./documents/socket.js").then(
      ({ upgrade }) => {
        upgrade(site, incoming, socket, head);
      },
      () => socket.destroy(),
    );
  });
}

/** Refuses an address that others reach, unless what is sent there is encrypted. */
async function readPlace(context: CommandContext, request: Request) {
  const { host, publicUrl, tlsCert, tlsKey, share, as } = request;
  if (as !== undefined && share === undefined)
    throw usageError("--as names the person of --share", "add --share read, or --share answer");
  if (share !== undefined && share !== "read" && share !== "answer")
    throw usageError(
      `--share ${share}: a link is for reading or answering`,
      "--share read, or --share answer",
    );
  if (publicUrl !== undefined && !(URL.canParse(publicUrl) && publicUrl.startsWith("https://")))
    throw usageError(
      `--public-url ${publicUrl}: expected an https address`,
      "--public-url https://looper.example.org",
    );
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw usageError("--tls-cert and --tls-key belong together", "name both files");
  if (host !== undefined && tlsCert === undefined && publicUrl === undefined)
    throw usageError(
      `--host ${host}: the network would read the key`,
      "use ssh -L 4747:127.0.0.1:4747, or --tls-cert and --tls-key, or --public-url of a proxy with TLS",
    );
  if (host !== undefined && ANY_ADDRESS.has(host) && publicUrl === undefined)
    throw usageError(
      `--host ${host}: by which name it is reached is not known`,
      "name one address, or add --public-url",
    );
  if (tlsCert === undefined || tlsKey === undefined) return { host, publicUrl };
  const read = async (file: string): Promise<Buffer> =>
    Buffer.from(await readNamedFile(context, path.resolve(context.cwd, file), "file"));
  return { host, publicUrl, tls: { cert: await read(tlsCert), key: await read(tlsKey) } };
}

/** Each Enter prints a new link. */
async function printLinks(context: CommandContext, link: () => string): Promise<void> {
  for await (const chunk of context.stdin.chunks())
    if (Buffer.from(chunk).includes(10)) await printLines(context.out, [link()]);
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** The files of the page are all at the top. */
const FILE = /^\/[^/]+\.(?:html|css|js)$/;

type Context = Pick<CommandContext, "ports" | "promptsFolder">;

/** Reads the page once. Every other address gets index.html: the page knows which view it names. */
async function readPage({ ports: { files }, promptsFolder }: Context): Promise<PageFiles> {
  const folder = path.join(path.dirname(promptsFolder), "page");
  const held = new Map<string, { bytes: Uint8Array<ArrayBuffer>; type: string }>();
  for (const name of await files.list(folder)) {
    const type = TYPES[path.extname(name)];
    const bytes = type === undefined ? undefined : await files.read(path.join(folder, name));
    if (type !== undefined && bytes !== undefined)
      held.set(`/${name}`, { bytes: Uint8Array.from(bytes), type });
  }
  return (asked) => {
    const found = held.get(asked) ?? (FILE.test(asked) ? undefined : held.get("/index.html"));
    if (found === undefined) return undefined;
    const headers = { "content-type": found.type, "cache-control": "no-cache" };
    return new Response(found.bytes, { headers });
  };
}
