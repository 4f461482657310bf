// Reads JUnit XML in the dialects of many runners; the format never had a schema. Pure.
// report.ts finds the document in a text.
import { SaxesParser, type SaxesTagPlain } from "saxes";
import { errorMessage } from "../../system/errors.js";
import { joinName, type CleanPart, type TestReport, type TestCase } from "./test-names.js";
import type { TestStatus } from "../verdict.js";

// Runners copy the output of tests, with characters that XML does not allow, or only as references in XML 1.1.
const NOT_XML = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;
/** node writes a `]]>` that a test printed without escaping it; it is harmless there. */
const TOLERATED = 'the string "]]>" is disallowed in char data.';
const SAXES = { xmlns: false, defaultXMLVersion: "1.1", forceXMLVersion: true } as const;

/** Reads one document; XML of another kind is not a report. */
export function readJUnit(xml: string, clean: CleanPart): TestReport {
  const cases: TestCase[] = [];
  /** For each open element, the suite that it is or is in: its full name, and its own. */
  const suites: Suite[] = [];
  const now: { isForeign: boolean; open?: OpenCase | undefined } = { isForeign: false };
  const parser = new SaxesParser(SAXES);
  parser.on("error", (error) => {
    if (!error.message.endsWith(TOLERATED)) throw error;
  });
  parser.on("opentag", (tag) => {
    const kind = tag.name.slice(tag.name.indexOf(":") + 1);
    if (suites.length === 0) now.isForeign = kind !== "testsuites" && kind !== "testsuite";
    const suite = suites.at(-1) ?? { full: "", own: "" };
    const name = clean(tag.attributes["name"] ?? "");
    suites.push(
      kind === "testsuite"
        ? { full: name === "" ? suite.full : joinName(suite.full, name), own: name }
        : suite,
    );
    const { open } = now;
    if (open === undefined) {
      if (kind === "testcase") now.open = { ...openCase(suite, tag, clean), depth: suites.length };
    } else if (suites.length === open.depth + 1) {
      if (FAILED.has(kind)) open.failed = true;
      if (SKIPPED.has(kind)) open.skipped = true;
      // A failing test that is marked as todo is not a failure; node reports both.
      if (kind === "skipped" && tag.attributes["type"] === "todo") open.todo = true;
    }
  });
  parser.on("closetag", () => {
    if (now.open?.depth === suites.length) {
      cases.push({ name: now.open.name, status: statusOf(now.open) });
      now.open = undefined;
    }
    suites.pop();
  });
  try {
    parser.write(xml.replaceAll(NOT_XML, asReference)).close();
  } catch (error) {
    if (!now.isForeign) return { how: "broken", why: `not well-formed XML, ${errorMessage(error)}` };
  }
  return now.isForeign ? { how: "none" } : { how: "read", cases };
}

/** Keeps the escape character, so that a control sequence in a name can be removed whole. */
function asReference(character: string): string {
  return character === "\u001b" ? "&#27;" : "";
}

type Suite = Readonly<Record<"full" | "own", string>>;

/** A test case whose element is still open. */
interface OpenCase {
  name: string;
  depth: number;
  failed: boolean;
  skipped: boolean;
  todo: boolean;
}

const FAILED = new Set(["failure", "error", "failed", "fail"]);
const SKIPPED = new Set(["skipped", "disabled", "notrun", "ignored", "suppressed"]);

function openCase(
  { full, own }: Suite,
  { attributes }: SaxesTagPlain,
  clean: CleanPart,
): Omit<OpenCase, "depth"> {
  const [name = "", group = ""] = ["name", "classname"].map((one) => clean(attributes[one] ?? ""));
  // node gives every test the class `test`; other runners repeat the suite or the name.
  const told = ["", "test", own, name].includes(group);
  const stated = [attributes["status"], attributes["result"]].map((word) => word?.toLowerCase() ?? "");
  return {
    name: joinName(told ? full : joinName(full, group), name),
    failed: stated.some((word) => FAILED.has(word)),
    skipped: stated.some((word) => SKIPPED.has(word)),
    todo: false,
  };
}

function statusOf({ failed, skipped, todo }: OpenCase): TestStatus {
  if (todo) return "skipped";
  if (failed) return "failed";
  return skipped ? "skipped" : "passed";
}
