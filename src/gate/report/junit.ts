// Reads JUnit XML, as the many runners write it that nobody ever gave one schema. Pure.
// Leaves where it lies in a text to report.ts.
import { SaxesParser, type SaxesTagPlain } from "saxes";
import { errorMessage } from "../../system/errors.js";
import { nameIn, type CleanPart, type Report, type TestCase } from "./test-names.js";
import type { TestStatus } from "../verdict.js";

// Runners print what tests print: also characters that no XML may hold, bare or as references, which XML 1.1 allows.
const NOT_XML = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;
/** node writes `]]>` as tests print it. It means nothing there. */
const TOLERATED = 'the string "]]>" is disallowed in char data.';
const SAXES = { xmlns: false, defaultXMLVersion: "1.1", forceXMLVersion: true } as const;

/** Reads one document; XML of another kind is no report. */
export function readJUnit(xml: string, clean: CleanPart): Report {
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

/** The beginning of a control sequence is kept, so that all of it is known for one in a name. */
function asReference(character: string): string {
  return character === "\u001b" ? "&#27;" : "";
}

/** What is known of a test case while its element is open. */
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
  /** For each open element, the suite it is or lies in: its full name, and its own. */
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
      // A test that is still to be written may fail: node reports both.
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
    return { full: own === "" ? parent : nameIn(parent, own), own };
  }

  #openCase(suite: { full: string; own: string }, tag: SaxesTagPlain): OpenCase {
    const name = this.#clean(tag.attributes["name"] ?? "");
    const group = this.#clean(tag.attributes["classname"] ?? "");
    // `test` is what node says of every test; others repeat the suite or the name.
    const told = ["", "test", suite.own, name].includes(group);
    const stated = [tag.attributes["status"], tag.attributes["result"]].map(
      (word) => word?.toLowerCase() ?? "",
    );
    return {
      name: nameIn(told ? suite.full : nameIn(suite.full, group), name),
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
