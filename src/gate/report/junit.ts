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
  const reading = new Reading(clean);
  const parser = new SaxesParser(SAXES);
  parser.on("error", (error) => {
    if (!error.message.endsWith(TOLERATED)) throw error;
  });
  parser.on("opentag", (tag) => {
    reading.open(tag);
  });
  parser.on("closetag", () => {
    reading.close();
  });
  try {
    parser.write(xml.replaceAll(NOT_XML, asReference)).close();
  } catch (error) {
    if (reading.foreign) return { how: "none" };
    return { how: "broken", why: `not well-formed XML, ${errorMessage(error)}` };
  }
  return reading.foreign ? { how: "none" } : { how: "read", cases: reading.cases };
}

/** Keeps the escape character, so that a control sequence in a name can be removed whole. */
function asReference(character: string): string {
  return character === "\u001b" ? "&#27;" : "";
}

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

class Reading {
  readonly cases: TestCase[] = [];
  foreign = false;
  readonly #clean: CleanPart;
  /** For each open element, the suite that it is or is in: its full name, and its own. */
  readonly #suites: { full: string; own: string }[] = [];
  #case: OpenCase | undefined;

  constructor(clean: CleanPart) {
    this.#clean = clean;
  }

  open(tag: SaxesTagPlain): void {
    const kind = tag.name.slice(tag.name.indexOf(":") + 1);
    if (this.#suites.length === 0) this.foreign = kind !== "testsuites" && kind !== "testsuite";
    const suite = this.#suites.at(-1) ?? { full: "", own: "" };
    this.#suites.push(kind === "testsuite" ? this.#suiteIn(suite.full, tag) : suite);
    const depth = this.#suites.length;
    if (this.#case === undefined) {
      if (kind === "testcase") this.#case = this.#openCase(suite, tag);
    } else if (depth === this.#case.depth + 1) {
      if (FAILED.has(kind)) this.#case.failed = true;
      if (SKIPPED.has(kind)) this.#case.skipped = true;
      // A failing test that is marked as todo is not a failure; node reports both.
      if (kind === "skipped" && tag.attributes["type"] === "todo") this.#case.todo = true;
    }
  }

  close(): void {
    if (this.#case?.depth === this.#suites.length) {
      this.cases.push({ name: this.#case.name, status: statusOf(this.#case) });
      this.#case = undefined;
    }
    this.#suites.pop();
  }

  #suiteIn(parent: string, tag: SaxesTagPlain): { full: string; own: string } {
    const own = this.#clean(tag.attributes["name"] ?? "");
    return { full: own === "" ? parent : joinName(parent, own), own };
  }

  #openCase(suite: { full: string; own: string }, tag: SaxesTagPlain): OpenCase {
    const name = this.#clean(tag.attributes["name"] ?? "");
    const group = this.#clean(tag.attributes["classname"] ?? "");
    // node gives every test the class `test`; other runners repeat the suite or the name.
    const told = ["", "test", suite.own, name].includes(group);
    const stated = [tag.attributes["status"], tag.attributes["result"]].map(
      (word) => word?.toLowerCase() ?? "",
    );
    return {
      name: joinName(told ? suite.full : joinName(suite.full, group), name),
      depth: this.#suites.length,
      failed: stated.some((word) => FAILED.has(word)),
      skipped: stated.some((word) => SKIPPED.has(word)),
      todo: false,
    };
  }
}

function statusOf({ failed, skipped, todo }: OpenCase): TestStatus {
  if (todo) return "skipped";
  if (failed) return "failed";
  return skipped ? "skipped" : "passed";
}
