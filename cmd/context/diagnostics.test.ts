import { expect, test } from "vitest";
import { diagnosticsOf, guessDiagnostics } from "./stderr.js";

test("the flag, else the environment, else the usual", () => {
  expect(diagnosticsOf({}, {})).toEqual({ level: "info", format: "text" });
  const env = { LOOPER_LOG_LEVEL: "debug", LOOPER_LOG_FORMAT: "json" };
  expect(diagnosticsOf({}, env)).toEqual({ level: "debug", format: "json" });
  expect(diagnosticsOf({ logLevel: "warn" }, env)).toEqual({ level: "warn", format: "json" });
  expect(diagnosticsOf({ logFormat: "text" }, env)).toEqual({ level: "debug", format: "text" });
  for (const empty of ["", " "])
    expect(diagnosticsOf({}, { LOOPER_LOG_LEVEL: empty })).toEqual({ level: "info", format: "text" });
  expect(diagnosticsOf({}, { LOOPER_LOG_LEVEL: " WARN " })).toEqual({ level: "warn", format: "text" });
});

test.each<[Record<string, string>, Record<string, string>, string, string]>([
  [{ logLevel: "wran" }, {}, '--log-level is "wran", which is not error', "did you mean warn?"],
  [{ logLevel: "" }, {}, '--log-level is "", which', "use error, warn, info or debug"],
  [{}, { LOOPER_LOG_LEVEL: "INFOS" }, 'LOOPER_LOG_LEVEL is "INFOS"', "did you mean info?"],
  [{}, { LOOPER_LOG_FORMAT: "jsno" }, 'LOOPER_LOG_FORMAT is "jsno"', "did you mean json?"],
  [{ logFormat: "xml" }, {}, '--log-format is "xml", which is not text or json', "use text or json"],
])("%j %j is a usage error", (flags, env, message, hint) => {
  expect(() => diagnosticsOf(flags, env)).toThrow(
    expect.objectContaining({ kind: "usage", hint, message: expect.stringContaining(message) as string }),
  );
});

test.each<[string[], Record<string, string>, string]>([
  [["lss", "--log-format", "json"], {}, "json"],
  [["lss", "--log-format=json"], {}, "json"],
  [["lss"], { LOOPER_LOG_FORMAT: "json" }, "json"],
  [["lss", "--log-format", "text"], { LOOPER_LOG_FORMAT: "json" }, "text"],
  [["lss", "--log-format"], {}, "text"],
  [["lss", "--", "--log-format=json"], {}, "text"],
])("how the error of %j %j is told: %s", (argv, env, format) => {
  expect(guessDiagnostics(argv, env).format).toBe(format);
});
