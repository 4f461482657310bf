// The lint rules of this house that a list of names cannot say: no clock and no part of Node that touches the world outside a
// port, in whichever form a file asks for them. Leaves where they hold to oxlint.config.mjs.
import { builtinModules } from "node:module";

/** Modules of Node that only compute. */
const THINKING = ["path", "url", "util"];

const builtins = builtinModules.filter((name) => !/^(_|node:)/.test(name)).join("|");
const touchingNode = new RegExp(`^(node:(?!(${THINKING.join("|")})$)|(${builtins})$)`);

const message =
  "outside src/system, cmd/looper.ts and api/silent-context.ts the world is reached through a port";

/**
 * The part of the linter's interface that is used here.
 * @typedef {{ report: (problem: { message: string, node: object }) => void }} Context
 * @typedef {{ callee: { type: string, name?: string }, arguments: readonly object[] }} Call
 */

/** Imports, in each form: of values and types, static and late, and what is handed on. */
const noNode = {
  /** @param {Context} context */
  create(context) {
    /** @param {{ source?: unknown }} node */
    const check = (node) => {
      const { source } = node;
      if (typeof source !== "object" || source === null || !("value" in source)) return;
      if (typeof source.value === "string" && touchingNode.test(source.value))
        context.report({ message, node });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    };
  },
};

/** The time of now: `new Date()` and `Date()`. */
const noNow = {
  /** @param {Context} context */
  create(context) {
    /** @param {Call} call */
    const isDate = ({ callee }) => callee.type === "Identifier" && callee.name === "Date";
    return {
      /** @param {Call} node */
      NewExpression(node) {
        if (isDate(node) && node.arguments.length === 0) context.report({ message, node });
      },
      /** @param {Call} node */
      CallExpression(node) {
        if (isDate(node)) context.report({ message, node });
      },
    };
  },
};

export default { meta: { name: "ports" }, rules: { "no-node": noNode, "no-now": noNow } };
