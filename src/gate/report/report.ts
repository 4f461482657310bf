// Recognises test reports in a command's output or files: JUnit XML or TAP, with any other output around
// them. Pure. junit.ts and tap.ts read them.
import { readJUnit } from "./junit.js";
import { readTap } from "./tap.js";
import type { CleanPart, TestReport, TestCase } from "./test-names.js";

const XML_START = /^\ufeff?[ \t]*(?:<\?xml\b|<testsuites?\b)/m;
const XML_DOCUMENT = /^\ufeff?[ \t]*(?=<\?xml\b)/m;
const TAP_VERSION = /^TAP version \d+\s*$/m;
const TAP_PLAN = /^1\.\.\d+\b/m;
const TAP_POINT = /^(?:not )?ok\b/m;
const LAST_TAG = "</testsuite";

/** Reads the cases of a report; `none`: the text has no report, `broken`: one that cannot be read. */
export function readReport(bytes: Uint8Array, clean: CleanPart): TestReport {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const xml = text.search(XML_START);
  const tap = text.search(TAP_VERSION);
  if (xml !== -1 && (tap === -1 || xml < tap)) return readDocuments(text.slice(xml).trimStart(), clean);
  if (tap !== -1) return readTap(text.slice(tap), clean);
  return TAP_PLAN.test(text) && TAP_POINT.test(text) ? readTap(text, clean) : { how: "none" };
}

/** Reads XML documents one after the other, each up to its last end tag; other output may follow it. */
function readDocuments(text: string, clean: CleanPart): TestReport {
  const cases: TestCase[] = [];
  let found = false;
  for (const document of documentsIn(text)) {
    const end = document.lastIndexOf(LAST_TAG);
    const report = readJUnit(
      end === -1 ? document : document.slice(0, document.indexOf(">", end) + 1),
      clean,
    );
    if (report.how === "broken") return report;
    if (report.how === "none") continue;
    found = true;
    for (const one of report.cases) cases.push(one);
  }
  return found ? { how: "read", cases } : { how: "none" };
}

/** Splits a text into XML documents. A document's start inside CDATA does not count: a test printed it. */
function documentsIn(text: string): string[] {
  const documents: string[] = [];
  let printed = "";
  let isPrinted = false;
  for (const part of text.split(XML_DOCUMENT)) {
    const [begin, end] = [part.lastIndexOf("<![CDATA["), part.lastIndexOf("]]>")];
    if (begin !== end) isPrinted = begin > end;
    printed += part;
    if (isPrinted) continue;
    documents.push(printed);
    printed = "";
  }
  return printed === "" ? documents : [...documents, printed];
}
