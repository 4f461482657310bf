// Replaces secrets before anything is written or thought about. Pure: the caller passes the environment and says which
// of its values are paths that exist.

import { escapeRegExp } from "../escape-reg-exp.js";
import { asItStands, ESCAPES, PERCENT, unfold, unfoldText, UNSHOWN, type Spelling } from "../../unfold.js";

/** Replaces a secret. */
export const REDACTED = "[redacted]";
const SECRET_NAME =
  /(?:^|_)(?:KEY|TOKEN|SECRET|PASS|PASSWD|PASSPHRASE|CREDENTIALS?)(?:_|$)|(?:^|_|^PG)PASSWORD(?:_|$)/i;
/** A line of a secret of several lines; what is shorter is as well a line of something else. */
const LINE_LENGTH = 16;

const BEARER = /[Bb][Ee][Aa][Rr][Ee][Rr]/;
const BASIC = /[Bb][Aa][Ss][Ii][Cc]/;
const TOKEN = "[A-Za-z0-9._~+/-]{20,}";
/** `user:password` in base64: long, and no word. */
const PAIR = "(?=[A-Za-z0-9+/]*(?:[0-9=]|[a-z][A-Z]))[A-Za-z0-9+/]{16,}={0,2}";
const HEADER = /[Uu][Tt][Hh][Oo][Rr][Ii][Zz][Aa][Tt][Ii][Oo][Nn]/;
const HEADED = String.raw`${HEADER.source}["']?\s{0,99}[:=]\s{0,99}["']?(?:${BEARER.source}|${BASIC.source}|[Tt][Oo][Kk][Ee][Nn])`;

/**
 * Shapes of well-known keys: OpenAI, Anthropic, GitHub, GitLab, Slack, AWS, Google, npm, Stripe, Hugging Face, PyPI, JWT, PEM
 * blocks, a bearer, a URL's password. Before each what every one of its kind holds: a text without any of that is told at once. Behind those that look
 * back, which is slow, what a text with one in it holds as well.
 */
const KEYS: readonly (readonly [sign: RegExp, shape: RegExp])[] = [
  [/sk-/, /\bsk-[A-Za-z0-9_-]{20,}/],
  [/gh[pousr]_/, /\bgh[pousr]_[A-Za-z0-9]{30,}/],
  [/github_pat_/, /\bgithub_pat_[A-Za-z0-9_]{40,}/],
  [/glpat-/, /\bglpat-[A-Za-z0-9_-]{20,}/],
  [/xox[abeoprs]-/, /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/],
  [/AKIA|ASIA/, /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  [/AIza/, /\bAIza[A-Za-z0-9_-]{35}/],
  [/npm_/, /\bnpm_[A-Za-z0-9]{36}\b/],
  [/[rs]k_live_/, /\b[rs]k_live_[A-Za-z0-9]{16,}/],
  [/hf_/, /\bhf_[A-Za-z0-9]{30,}/],
  [/pypi-/, /\bpypi-[A-Za-z0-9_-]{50,}/],
  [
    /(?:SECRET_ACCESS_KEY|secret_access_key)/,
    /(?<=(?:SECRET_ACCESS_KEY|secret_access_key)["']?[ \t]{0,9}[:=][ \t]{0,9}["']?)[A-Za-z0-9+/]{40}\b/,
  ],
];

/** A private key with its text: a heading alone is an example's. Line breaks may be spelled as in JSON or code. */
function holdsPrivateKey(text: string): boolean {
  return [...text.matchAll(/-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----/g)].some(
    ({ 0: { length }, index }) => {
      const behind = text.slice(index + length, index + length + 600).replaceAll(/\\[nr]?/g, "\n");
      // Lines in front of the text may say how it is encrypted.
      const key = behind.replaceAll(/^[A-Z][A-Za-z-]{1,20}: .*$/gm, "");
      return /^[\s"'+,]{1,40}(?:[A-Za-z0-9+/]{60}|[A-Za-z0-9+/=\s]{100})/.test(key);
    },
  );
}

/** A part of every key that `findKeys` finds: a large text is looked through once. */
const SIGNS = [/PRIVATE KEY/, ...KEYS.map(([sign]) => sign)].map(({ source }) => source);

const SHAPES: readonly (readonly [sign: RegExp, shape: RegExp, near?: RegExp])[] = [
  ...KEYS,
  [/eyJ/, /\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/],
  [/PRIVATE KEY-----/, /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/],
  // A key whose first line was cut off.
  [
    /PRIVATE KEY-----/,
    /^[A-Za-z0-9+/=]{0,76}\r?\n(?:[A-Za-z0-9+/=]{1,76}\r?\n)*-----END [A-Z ]*PRIVATE KEY-----/,
  ],
  [
    BEARER,
    new RegExp(`(?<=\\b${BEARER.source}[ \\t]{1,99})${TOKEN}=*`),
    new RegExp(`${BEARER.source}[ \\t]{1,99}${TOKEN}`),
  ],
  [
    BASIC,
    new RegExp(`(?<=\\b${BASIC.source}[ \\t]{1,99})${PAIR}`),
    new RegExp(`${BASIC.source}[ \\t]{1,99}[A-Za-z0-9+/]{16}`),
  ],
  // Behind the header's name any value counts, but no placeholder.
  [
    HEADER,
    new RegExp(`(?<=${HEADED}[ \\t]{1,99})[A-Za-z0-9._~+/-]{6,}=*`),
    new RegExp(`${HEADED}[ \\t]{1,99}[A-Za-z0-9._~+/-]{6}`),
  ],
  // A password may have an @ of its own: the last one before the host's end counts.
  [
    /:\/\//,
    /(?<=:\/\/[^\s:@/"]{0,64}:)(?:[^\s@/"]+(?:@[^\s@/"?#,;]+)+|[^\s@/"]{3,})(?=@)/,
    /:\/\/[^\s:@/"]{0,64}:[^\s/"]{3,}@/,
  ],
];

/** Values that keep no secret: redacting them would only make texts wrong. */
const ORDINARY: ReadonlySet<string> = new Set(
  "postgres postgresql password passwort changeme change-me change_me localhost username database development production testing example disabled undefined required optional anonymous administrator placeholder".split(
    " ",
  ),
);

/** Turns a text into one without secrets. */
export type Redact = (text: string) => string;

/** The values of an environment that are secret by their name: 8 characters or more, KEY, TOKEN, SECRET, PASSWORD and the like a whole part. */
export function findSecretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value.length < 8 || ORDINARY.has(value.toLowerCase())) continue;
    if (SECRET_NAME.test(name)) values.add(value);
  }
  return [...values];
}

/** Whether a text holds one of these secrets, a private key, or a key of a well-known provider. */
export function findKeys(secrets: readonly string[]): (text: string) => boolean {
  const literal = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const signs = new RegExp([...literal.map(escapeRegExp), ...SIGNS].join("|"));
  return (text) =>
    signs.test(text) &&
    (literal.some((secret) => text.includes(secret)) ||
      holdsPrivateKey(text) ||
      KEYS.some(([sign, shape]) => sign.test(text) && shape.test(text)));
}

/**
 * A redactor for these secrets and every known key shape. A secret is also found as JSON would spell it, and one of several
 * lines line by line.
 */
export function createRedact(secrets: readonly string[]): Redact {
  const spellings = new Set<string>();
  const lines = secrets.flatMap((secret) =>
    secret.split(/\r?\n/).filter((line) => line.length >= LINE_LENGTH),
  );
  for (const secret of [...secrets, ...lines]) {
    spellings.add(secret);
    spellings.add(JSON.stringify(secret).slice(1, -1));
  }
  // The longest first: of two secrets, one the beginning of the other, nothing of the longer may stay.
  const literal = [...spellings].sort((a, b) => b.length - a.length).map(escapeRegExp);
  const pattern = new RegExp([...literal, ...SHAPES.map(([, shape]) => shape.source)].join("|"), "g");
  const signs = new RegExp([...literal, ...new Set(SHAPES.map(([sign]) => sign.source))].join("|"));
  const named = new RegExp(literal.length === 0 ? "(?!)" : literal.join("|"));
  // URLs and `task-…` are in every other text, and to replace what is not there takes ten times as long as to see that.
  const isThere = (text: string): boolean =>
    named.test(text) || SHAPES.some(([sign, shape, near = shape]) => sign.test(text) && near.test(text));
  const isIn = (text: string): boolean => signs.test(text) && isThere(text);
  return (text) => {
    const plain = isIn(text) ? text.replace(pattern, REDACTED) : text;
    return HIDES.test(plain) ? redactHidden(plain, pattern, isIn) : plain;
  };
}

/** Encodings that may hide a secret: escapes beyond those of `JSON.stringify`, percent-encoding, invisible characters. */
const HIDES = new RegExp(String.raw`\\[ux/\\]|%[0-9a-fA-F]{2}|${UNSHOWN.signs.source}`);
const NESTED = /\\[ux/\\]/;
/** JSON in JSON in JSON. */
const DEEPEST = 3;
/** One reading may uncover what another one hides; there are sixteen. */
const MOST_READINGS = 32;

/** Takes out what is a secret only as it reads; the rest keeps its spelling. */
function redactHidden(text: string, pattern: RegExp, isIn: (text: string) => boolean): string {
  let clean = text;
  for (let i = 0; i < MOST_READINGS; i++) {
    const next = redactOneReading(clean, pattern, isIn);
    if (next === clean) return clean;
    clean = next;
  }
  return clean;
}

/** Redacts the first reading that shows a secret. One that only looks so, as a redacted URL does, must not hide the others. */
function redactOneReading(text: string, pattern: RegExp, isIn: (text: string) => boolean): string {
  for (const { spellings, read } of listReadings(text)) {
    const clean = isIn(read) ? redactAs(text, spellings, pattern) : text;
    if (clean !== text) return clean;
  }
  return text;
}

function redactAs(text: string, spellings: readonly Spelling[], pattern: RegExp): string {
  const { text: whole, from, to } = spellings.reduce(unfold, asItStands(text));
  let kept = "";
  let at = 0;
  for (const { 0: found, index } of whole.matchAll(pattern)) {
    if (found === "") continue;
    kept += text.slice(at, from[index]) + REDACTED;
    at = to[index + found.length - 1] ?? text.length;
  }
  return kept + text.slice(at);
}

/** The ways to read a text other than as it stands, the plainest first. */
function* listReadings(text: string): Generator<{ spellings: readonly Spelling[]; read: string }> {
  let read = text;
  for (let depth = 0; ; depth++) {
    const escapes = Array.from({ length: depth }, () => ESCAPES);
    if (depth > 0) yield { spellings: escapes, read };
    for (const more of [[UNSHOWN], [PERCENT], [PERCENT, UNSHOWN]]) {
      if (!more.some(({ signs }) => signs.test(read))) continue;
      const shown = more.reduce(unfoldText, read);
      if (shown !== read) yield { spellings: [...escapes, ...more], read: shown };
    }
    if (depth === DEEPEST || !NESTED.test(read)) return;
    read = unfoldText(read, ESCAPES);
  }
}

/**
 * Redacts every string inside a JSON value, except under the keys of `keep`: those are ids, and must stay valid. A value
 * without secrets, as nearly all are, is returned as it is, without a copy.
 */
export function redactValue<T>(redact: Redact, value: T, keep: ReadonlySet<string>): T;
export function redactValue(redact: Redact, value: unknown, keep: ReadonlySet<string>): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null || isClean(redact, value, keep)) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => redactValue(redact, item, keep));
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const clean = redact(key);
    Object.defineProperty(result, clean, {
      value: keep.has(key) ? item : redactValue(redact, item, keep),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return result;
}

function isClean(redact: Redact, value: unknown, keep: ReadonlySet<string>): boolean {
  if (typeof value === "string") return redact(value) === value;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isClean(redact, item, keep));
  return Object.entries(value).every(
    ([key, item]) => redact(key) === key && (keep.has(key) || isClean(redact, item, keep)),
  );
}

const KEY_BEGINS = /-----BEGIN [A-Z ]*PRIVATE KEY-----(?!.*-----END )/;
const KEY_ENDS = /-----END [A-Z ]*PRIVATE KEY-----/;
/** A line of a key's text, or of what stands above it. */
const KEY_LINE = /^(?:[A-Za-z0-9+/=]{1,76}|(?:Proc-Type|DEK-Info): .{1,100})?$/;

/** For a text that comes line by line: of a private key no line between the first and the last stays. Called with each line in turn. */
export function maskKeyLines(): (line: string) => string {
  let inside = false;
  return (line) => {
    const isOfKey: boolean = inside && !KEY_ENDS.test(line) && KEY_LINE.test(line.trim());
    inside = isOfKey || KEY_BEGINS.test(line);
    return isOfKey ? REDACTED : line;
  };
}
