// The base of a generated case: the two functions, their tests, and the case that shows the truth. Pure.

/** @typedef {import("./types.js").Color} Color */
/** @typedef {import("./types.js").Ecosystem} Ecosystem */
/** @typedef {import("./types.js").On} On */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").TestCase} TestCase */
/** @typedef {import("./types.js").Tree} Tree */
/** @typedef {import("./types.js").Way} Way */

/** @type {readonly Part[]} */
export const PARTS = ["area", "edge"];

/** @type {Record<Part, Partial<Record<State, string>>>} */
const EXPRESSIONS = {
  area: { base: "w * h", broken: "2 * w * h" },
  edge: { base: "w + h", done: "2 * (w + h)" },
};

/** The results for 2 and 3: as they must be, and as they are without the work. */
export const RIGHT = { area: 6, edge: 10 };
export const WRONG = { area: 12, edge: 5 };

/** @param {Ecosystem} eco @param {Part} part @param {State} state */
export const source = (eco, part, state) =>
  eco.sourceText(part, EXPRESSIONS[part][state] ?? EXPRESSIONS[part].base ?? "");

/** One tree of many; later ones win. @param {readonly Tree[]} trees @returns {Tree} */
export const merged = (trees) => Object.fromEntries(trees.flatMap((tree) => Object.entries(tree)));

/** The work that the task asks for. @param {Ecosystem} eco @returns {Tree} */
export const solution = (eco) => ({ [eco.source.edge]: source(eco, "edge", "done") });

/** @param {Part} part @param {Way | "gone"} way @returns {TestCase[]} */
function casesOf(part, way) {
  const truth = {
    name: `the ${part} of 2 by 3`,
    args: /** @type {const} */ ([2, 3]),
    expected: way === "expect" ? WRONG[part] : RIGHT[part],
    way: way === "gone" ? "plain" : way,
  };
  const zero = {
    name: `the ${part} of nothing`,
    args: /** @type {const} */ ([0, 0]),
    expected: 0,
    way: /** @type {const} */ ("plain"),
  };
  return way === "gone" ? [zero] : [zero, truth];
}

/**
 * A test file; on a green base the edge has only the case that passes anyway.
 * @param {Ecosystem} eco
 * @param {Part} part
 * @param {{ way?: Way | "gone", at?: string, source?: string, helper?: string, more?: readonly TestCase[] }} [how]
 */
export function testFile(eco, part, how = {}) {
  return eco.testText({
    part,
    at: how.at ?? eco.test[part],
    source: how.source ?? eco.source[part],
    helper: how.helper ?? eco.helper?.file ?? "",
    cases: [...casesOf(part, how.way ?? "plain"), ...(how.more ?? [])],
  });
}

/** The case that shows the truth about the edge is there on a red base alone. @param {Color} color @param {Part} part */
const usualWay = (color, part) => (part === "edge" && color === "green" ? "gone" : "plain");

/** A test file as it is at the base. @param {Pick<On, "eco" | "color">} on @param {Part} part @param {Parameters<typeof testFile>[2]} [how] */
export const onTests = ({ eco, color }, part, how = {}) =>
  testFile(eco, part, { way: usualWay(color, part), ...how }) ?? "";

/**
 * The files of an ecosystem at its base.
 * @param {Ecosystem} eco
 * @param {Color} color
 * @returns {Tree}
 */
export function baseOf(eco, color) {
  const parts = PARTS.map((part) => ({
    [eco.source[part]]: source(eco, part, "base"),
    [eco.test[part]]: onTests({ eco, color }, part),
  }));
  const helper = eco.helper === undefined ? {} : { [eco.helper.file]: eco.helper.text };
  return merged([eco.files, helper, ...parts]);
}

/**
 * Where an operator acts in a project.
 * @param {Ecosystem} eco
 * @param {Color} color
 * @param {Tree} base
 * @returns {On}
 */
export function makeOn(eco, color, base) {
  const part = color === "red" ? "edge" : "area";
  return {
    eco,
    color,
    part,
    base,
    bent: (way) => testFile(eco, part, { way }),
    read: (file) => {
      const content = base[file];
      if (typeof content === "string") return content;
      if (content !== null && content !== undefined && "program" in content) return content.program;
      throw new Error(`${eco.name}: no such file: ${file}`);
    },
  };
}
