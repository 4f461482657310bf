// The countable rules of plain English (CONTRIBUTING.md, "Prose"), and the sentences of a file that they apply to.
// Pure: leaves reading files and printing to prose.mjs, and the limits to test/promises/prose.test.ts.

/** @typedef {"document" | "comment" | "test" | "string"} Kind */
/** @typedef {{ line: number, kind: Kind, text: string, opens: boolean }} Sentence `opens`: a sentence begins with the text. */
/** @typedef {{ line: number, rule: string, text: string }} Slip */

const LONGEST_LINE = 120;
const OPENING = "(?:What|Whoever|Who|Whom|Whose|Of what|That which|As what|Where nobody)";
/** A mark of a list or a quotation, or the number of a step. */
const LIST_MARK = /^\s*(?:[-*>]|\d+\.)\s+(?:\[.\] )?/;

/**
 * Each rule: its name, and whether a sentence breaks it.
 * @type {readonly { name: string, breaks: (sentence: Sentence) => boolean }[]}
 */
export const RULES = [
  {
    name: '"is no X" (write "is not a X")',
    breaks: ({ text }) =>
      /(?<!\bthere )\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|one\b|doubt\b)[a-z]/i.test(text),
  },
  {
    name: '"goes on" (write continues, is running, resumes)',
    breaks: ({ text }) => /\b(?:goes|going|gone|went|go) on\b/i.test(text),
  },
  { name: "a bare What, Who or Of what at the start (name the subject)", breaks: opensBare },
  {
    name: "nobody, somebody or whoever (name who acts)",
    breaks: ({ text }) => /\b(?:nobody|somebody|whoever|who(?:ever)? wants)\b/i.test(text),
  },
  {
    name: "things that lie or stand (write is, are)",
    breaks: ({ text }) =>
      /\b(?:lies|lie|lay|stands) (?:in|at|beside|there|under|below|outside|inside|behind)\b/i.test(text),
  },
  {
    name: "surroundings, a bug of, told of, of ours (write environment, bug in, reported, our)",
    breaks: ({ text }) => /\b(?:surroundings|a bug of|(?:is|are) told of|of (?:ours|theirs))\b/i.test(text),
  },
  {
    name: `a document's line over ${LONGEST_LINE} characters`,
    breaks: ({ kind, text }) =>
      kind === "document" && text.length > LONGEST_LINE && !/^\s*[|<]|https?:\/\//.test(text),
  },
];

/**
 * A question may begin with What; so may a line in the middle of a sentence.
 * @param {Sentence} sentence
 */
function opensBare({ kind, text, opens }) {
  const plain = text.replace(LIST_MARK, "").trim();
  const first = new RegExp(`^${OPENING}\\b(?!.*\\?)`, kind === "test" ? "i" : "");
  const later = new RegExp(`[a-z\`)][.;] ${OPENING}\\b(?![^.]*\\?)`);
  return (opens && first.test(plain)) || (kind !== "string" && later.test(plain));
}

/**
 * The places where a file breaks a rule, in order.
 * @param {string} file
 * @param {string} text
 * @returns {Slip[]}
 */
export function slipsIn(file, text) {
  return sentencesIn(file, text).flatMap((sentence) =>
    RULES.filter(({ breaks }) => breaks(sentence)).map(({ name }) => ({
      line: sentence.line,
      rule: name,
      text: sentence.text.trim(),
    })),
  );
}

/**
 * The lines of a file that people read: a document without its code; the comments, test names and messages of a source file.
 * @param {string} file
 * @param {string} text
 * @returns {Sentence[]}
 */
export function sentencesIn(file, text) {
  const lines = text.split("\n");
  if (file.endsWith(".md")) return documentLines(lines, FREE_LINES.test(file) ? "string" : "document");
  if (/\.(?:ts|mjs|cjs|js)$/.test(file)) return lines.flatMap((line, at) => sourceLine(line, at, lines));
  return lines.flatMap((line, at) => {
    // A patch quotes the name of its test, which is counted where the test is.
    const comment = /^\s*#(?!!)(?! test: )\s?(.*)$/.exec(line)?.[1];
    const opens = !/^\s*#/.test(lines[at - 1] ?? "");
    return comment === undefined ? [] : [{ line: at + 1, kind: "comment", text: comment, opens }];
  });
}

/**
 * @param {string[]} lines
 * @param {"document" | "string"} kind
 * @returns {Sentence[]}
 */
function documentLines(lines, kind) {
  /** @type {Sentence[]} */
  const found = [];
  let fenced = false;
  for (const [at, line] of lines.entries()) {
    if (/^\s*```/.test(line)) fenced = !fenced;
    else if (!fenced) found.push({ line: at + 1, kind, text: line, opens: !line.startsWith("#") });
  }
  return found;
}

/**
 * @param {string} line
 * @param {number} at
 * @param {string[]} lines
 * @returns {Sentence[]}
 */
function sourceLine(line, at, lines) {
  const before = lines[at - 1] ?? "";
  const comment = /^\s*(?:\/\/|\/\*\*?|\*)\s?(.*?)(?:\*\/)?\s*$/.exec(line)?.[1];
  if (comment !== undefined)
    return [{ line: at + 1, kind: "comment", text: comment, opens: !/^\s*(?:\/\/|\*)/.test(before) }];
  const name = testNameIn(line, before);
  if (name !== undefined) return [{ line: at + 1, kind: "test", text: name, opens: true }];
  const strings = line.matchAll(/(["'`])((?:(?!\1)[^\\]|\\.){12,})\1/g);
  return [...strings]
    .map(([, , text = ""]) => text)
    .filter((text) => text.includes(" "))
    .map((text) => ({ line: at + 1, kind: "string", text, opens: true }));
}

/**
 * The name of a test: beside its call, after a table of cases, or alone on the line below.
 * @param {string} line
 * @param {string} before
 * @returns {string | undefined}
 */
function testNameIn(line, before) {
  const call = /^\s*(?:test|it|describe)(?:\.\w+)*\(\s*(["'`])(.*?)\1/;
  const afterTable = /\)\(\s*(["'`])(.*?)\1, /;
  const below =
    /^\s*(?:(?:test|it|describe)(?:\.\w+)*|.*\))\($/.test(before) && /^\s*(["'`])(.*?)\1,$/.exec(line);
  return (call.exec(line) ?? afterTable.exec(line) ?? (below || undefined))?.[2];
}

/** A prompt is read by a model, and each entry of the changelog is one line: they may be of any length. */
const FREE_LINES = /^prompts\/|^CHANGELOG\.md$/;

/** Texts of other programs, recorded answers, and the rules themselves, which must quote what they forbid. */
const QUOTED = /(?:^|\/)(?:testdata|recorded)\/|limit-words|replies|^scripts\/prose|^test\/promises\/prose\./;
const READ = /\.(?:md|ts|mjs|cjs|js|patch|yml|sh)$|(?:^|\/)Makefile$/;

/** Whether the rules apply to a file. @param {string} file */
export function isRead(file) {
  return READ.test(file) && !QUOTED.test(file);
}

/**
 * The area a file is counted in: a floor of src, a folder of docs or test, else the top folder; files at the top by name.
 * @param {string} file
 */
export function areaOf(file) {
  const [top = "", second = "", third] = file.split("/");
  if (second === "") return top;
  return third !== undefined && ["src", "docs", "test"].includes(top) ? `${top}/${second}` : top;
}
