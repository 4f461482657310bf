import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedact, maskKeyLines, redactValue, findSecretValues } from "./redact.js";

test("a secret is a value of 8 characters or more whose name has the word as a whole part", () => {
  const env = {
    API_KEY: "abcdefgh",
    MY_TOKEN_2: "tokentoken",
    token: "lowercase1",
    MONKEY: "bananabanana",
    KEYBOARD: "qwertzqwertz",
    SHORT_KEY: "abc",
    DB_PASSWORD: "hunter2hunter2",
    PGPASSWORD: "postgres-own",
    SMTP_PASS: "smtp-secret",
    PASSAGE: "a-long-passage",
    POSTGRES_PASSWORD: "postgres",
    ADMIN_PASSWORD: "Changeme",
  };
  expect(findSecretValues(env).sort()).toEqual([
    "abcdefgh",
    "hunter2hunter2",
    "lowercase1",
    "postgres-own",
    "smtp-secret",
    "tokentoken",
  ]);
});

test("nothing of a secret is left, also where one secret begins another and where JSON spells it", () => {
  const redact = createRedact(["secret00", "secret00longer", 'quo"te\\d-secret']);
  expect(redact("a secret00longer b secret00 c")).toBe("a [redacted] b [redacted] c");
  expect(redact(JSON.stringify({ a: 'quo"te\\d-secret' }))).toBe('{"a":"[redacted]"}');
});

test("a secret of several lines goes line by line too, its short ones stay", () => {
  const redact = createRedact(["-----BEGIN IT-----\nfirst-line-of-the-key\n}\nlast-line-of-the-key"]);
  expect(redact("x first-line-of-the-key y\n}\nlast-line-of-the-key")).toBe("x [redacted] y\n}\n[redacted]");
});

test("the password in a URL goes, and nothing else of it", () => {
  const redact = createRedact([]);
  expect(redact("postgres://app:s3cr3t-pw@db.example:5432/x")).toBe(
    "postgres://app:[redacted]@db.example:5432/x",
  );
  expect(redact("http://localhost:3000/@scope and git@host.example:a/b")).toBe(
    "http://localhost:3000/@scope and git@host.example:a/b",
  );
});

test("known key shapes go without being named", () => {
  const redact = createRedact([]);
  const keys = [
    "sk-ant-REDACTED",
    "ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "AKIAABCDEFGHIJKLMNOP",
    "ASIAABCDEFGHIJKLMNOP",
    `sk-${"a".repeat(20)}`,
    ...["gho_", "ghu_", "ghs_", "ghr_"].map((start) => `${start}${"a".repeat(30)}`),
    `github_pat_${"a".repeat(40)}`,
    `glpat-${"a".repeat(20)}`,
    ...Array.from("abeoprs", (kind) => `xox${kind}-${"1".repeat(10)}`),
    `AIza${"a".repeat(35)}`,
    `npm_${"a".repeat(36)}`,
    `sk_live_${"a1".repeat(12)}`,
    `hf_${"a".repeat(34)}`,
    `pypi-${"a".repeat(60)}`,
    `eyJ${"a".repeat(10)}.eyJ${"b".repeat(10)}.${"c".repeat(10)}`,
    "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----",
  ].filter((key) => !key.includes("REDACTED"));
  for (const key of keys) expect(redact(`x ${key} y`)).toBe("x [redacted] y");
  for (const word of ["Bearer", "bearer"])
    expect(redact(`authorization: ${word} ${"a".repeat(20)}`)).toBe(`authorization: ${word} [redacted]`);
  expect(redact("QUJD\nREVG\n-----END PRIVATE KEY-----\n")).toBe("[redacted]\n");
});

test("law: whatever surrounds it, a secret never survives, and redacting twice is redacting once", () => {
  const secret = fc.string({ minLength: 8, maxLength: 20 }).filter((text) => !"[redacted]".includes(text));
  fc.assert(
    fc.property(fc.string(), secret, fc.string(), (before, hidden, after) => {
      const redact = createRedact([hidden]);
      const once = redact(before + hidden + after);
      expect(once.includes(hidden)).toBe(false);
      expect(redact(once)).toBe(once);
    }),
    { examples: [["", "$&$&$&$&", ""]] },
  );
});

test("values are redacted at any depth, kept keys are not, and a __proto__ key stays a key", () => {
  const redact = createRedact(["secret00"]);
  const value: unknown = JSON.parse(
    '{"id":"secret00","a":[{"b":"x secret00"}],"__proto__":{"c":"secret00"}}',
  );
  const clean = redactValue(redact, value, new Set(["id"]));
  expect(JSON.stringify(clean)).toBe(
    '{"id":"secret00","a":[{"b":"x [redacted]"}],"__proto__":{"c":"[redacted]"}}',
  );
});

const BODY = ["MIICXAIBAAKBgQC7", "cz1q/9+Zk0aa==", "b"];
const KEY = ["-----BEGIN RSA PRIVATE KEY-----", ...BODY, "-----END RSA PRIVATE KEY-----"];

test("of a private key that comes line by line nothing stays, and nothing around it goes", () => {
  const mask = maskKeyLines();
  const lines = ["Done", ...KEY, "Done", "-----BEGIN PRIVATE KEY-----", "{", "Done"];
  const hidden = BODY.map(() => "[redacted]");
  expect(lines.map(mask)).toEqual(["Done", KEY[0], ...hidden, KEY.at(-1), ...lines.slice(-4)]);
});

test("one key in one line, and one that says its END in the same, hide no later line", () => {
  const mask = maskKeyLines();
  const whole = `{"text":"${KEY.join("\\n")}"}`;
  expect([whole, "Done"].map(mask)).toEqual([whole, "Done"]);
});

test("a key whose beginning was cut off, and a bearer", () => {
  const redact = createRedact([]);
  expect(redact(`${KEY.slice(2).join("\n")}\nok`)).toBe("[redacted]\nok");
  expect(redact("Authorization: Bearer 0123456789abcdef0123456789abcdef x")).toBe(
    "Authorization: Bearer [redacted] x",
  );
  expect(redact("the bearer understood everything that was said")).toBe(
    "the bearer understood everything that was said",
  );
});

test("a value without secrets is not copied", () => {
  const redact = createRedact(["secret00"]);
  const value = { type: "x", list: [{ a: "b" }, 1, null], text: "https://example.com/task-1" };
  expect(redactValue(redact, value, new Set())).toBe(value);
  const other = { ...value, text: "secret00" };
  expect(redactValue(redact, other, new Set())).toEqual({ ...value, text: "[redacted]" });
  expect(redactValue(redact, { id: "secret00", secret00: 1 }, new Set(["id"]))).toEqual({
    id: "secret00",
    "[redacted]": 1,
  });
});

const HIDDEN = 'Zq8<vT1m/Yw4ä"LrX7';

test.each([
  ["an encoder that escapes <", JSON.stringify(HIDDEN).replaceAll("<", "\\u003c")],
  ["in capitals", JSON.stringify(HIDDEN).replaceAll("<", "\\u003C")],
  ["an encoder that escapes /", JSON.stringify(HIDDEN).replaceAll("/", "\\/")],
  ["an encoder that knows ASCII only", JSON.stringify(HIDDEN).replaceAll("ä", "\\u00e4")],
  ["JSON in JSON", JSON.stringify(JSON.stringify(HIDDEN).replaceAll("ä", "\\u00e4"))],
  ["JSON in JSON in JSON", JSON.stringify(JSON.stringify(JSON.stringify(HIDDEN).replaceAll("/", "\\/")))],
  ["a URL", `https://h.example/?k=${encodeURIComponent(HIDDEN)}`],
  ["a colour code", `${HIDDEN.slice(0, 5)}\u001b[31m${HIDDEN.slice(5)}`],
  [
    "a colour code that JSON spells",
    `"${JSON.stringify(`${HIDDEN.slice(0, 5)}\u001b[1;31m${HIDDEN.slice(5)}`)}"`,
  ],
  ["a character without width", `${HIDDEN.slice(0, 5)}\u200b${HIDDEN.slice(5)}`],
  ["a lone carriage return", `${HIDDEN.slice(0, 5)}\r${HIDDEN.slice(5)}`],
  ["overstruck characters", HIDDEN.replaceAll("T", "T\bT")],
  ["a title of the window", `${HIDDEN.slice(0, 5)}\u001b]0;x\u0007${HIDDEN.slice(5)}`],
])("a secret goes whole as %s spells it, and nothing beside it", (_how, spelled) => {
  const redact = createRedact([HIDDEN]);
  const line = `{"before":"a\\u003cb\\/c","is":${spelled},"after":1}`;
  const clean = redact(line);
  expect(clean).toContain("[redacted]");
  expect(clean.startsWith('{"before":"a\\u003cb\\/c","is":')).toBe(true);
  expect(clean.endsWith(',"after":1}')).toBe(true);
  for (const part of [HIDDEN.slice(0, 3), HIDDEN.slice(4, 8), HIDDEN.slice(-4)])
    expect(clean).not.toContain(part);
  expect(redact(clean)).toBe(clean);
});

test("a text with every spelling, and with passwords of URLs, keeps no secret in any", () => {
  const redact = createRedact([HIDDEN]);
  const json = JSON.stringify(HIDDEN).replaceAll("<", "\\u003c").replaceAll("/", "\\/");
  const once = [
    HIDDEN,
    json,
    encodeURIComponent(HIDDEN),
    `${HIDDEN.slice(0, 5)}\u001b[31m${HIDDEN.slice(5)}`,
  ];
  const all = [...once, ...once.map((text) => JSON.stringify(text).replaceAll("/", "\\/"))];
  const urls = ["postgres://user:hunter2-pw@host/db", "Authorization: Basic dXNlcjpwYXNz"];
  const clean = redact([...urls, ...all, ...all.map((text) => JSON.stringify(text)), ...urls].join("\n"));
  for (const part of [HIDDEN.slice(0, 3), HIDDEN.slice(-4)]) expect(clean).not.toContain(part);
  expect(clean.split("\n")).toHaveLength(2 * urls.length + 2 * all.length);
});

test("a text that only looks alike keeps its spelling", () => {
  const redact = createRedact([HIDDEN]);
  for (const line of ["a\\u003cb", "C:\\users\\x", "100%25", "\u001b[31mred\u001b[0m", "\\\\", "%zz%4"]) {
    expect(redact(line)).toBe(line);
  }
});

test("a password in a URL goes without a user too, and a scheme's value in any case", () => {
  const redact = createRedact([]);
  expect(redact("redis://:hunter2-pw@cache.example:6379/0")).toBe("redis://:[redacted]@cache.example:6379/0");
  expect(redact('{"u":"http://:8080","mail":"a@b.example"}')).toBe(
    '{"u":"http://:8080","mail":"a@b.example"}',
  );
  expect(redact("amqp://user:p@ss@host,amqp://user:hunter2@other")).toBe(
    "amqp://user:[redacted]@host,amqp://user:[redacted]@other",
  );
  expect(redact("redis:\\/\\/:hunter2-pw@cache")).toBe("redis:\\/\\/:[redacted]@cache");
  for (const word of ["BEARER", "bearer", "BeArEr"]) {
    expect(redact(`x ${word} ${"a1".repeat(10)}`)).toBe(`x ${word} [redacted]`);
  }
  for (const word of ["Basic", "BASIC", "basic"]) {
    expect(redact(`AUTHORIZATION: ${word} dXNlcjpwYXNz`)).toBe(`AUTHORIZATION: ${word} [redacted]`);
    expect(redact(`${word} dXNlcjpsb25nLXBhc3N3b3Jk`)).toBe(`${word} [redacted]`);
  }
  expect(redact("basic understanding of BASIC and basic authentication")).toBe(
    "basic understanding of BASIC and basic authentication",
  );
});
