// Packs the modules of the program into files. Node reads one mid-sized file faster than many small ones, and CommonJS
// faster than modules, whose loader alone takes 5 ms to wake: so each module becomes a function in one of a few files, and
// runs when something of it is first used. Where most of a file stays unused, its modules are compiled only then, too.
// Leaves finding modules to esbuild.
import path from "node:path";
import { transform } from "esbuild";

/**
 * A file, its path absolute.
 * @typedef {{ path: string, text: string }} File
 */

/**
 * Where a module lies: the number of its file, and its number there.
 * @typedef {{ pack: number, at: number }} Place
 */

/** The function that a module calls to use another; beside it, the folder of the program. */
const USE = "looperUse";
const ENTRY = `${USE}.entry`;
const EXPORT = "looperExport";
const WHOLE = "looperWhole";

/** The helpers at the top of every file. The second makes a namespace object of a module of Node's, as `import *` does. */
const HELPERS = `const ${EXPORT}=(to,all)=>{for(const name in all)Object.defineProperty(to,name,{get:all[name],enumerable:true})};
const ${WHOLE}=(module)=>Object.create(module,{default:{value:module}});`;

/** The names that the body of a module may use. */
const NAMES = ["exports", USE, EXPORT, WHOLE, "require", "__filename", "__dirname"];

/**
 * The head of an entry: how a module is found, and run once. A file of bodies begins with the bytes and the first line of each;
 * a body is compiled when its module is used, since V8 would skim all of them otherwise. A file that is gone is told as
 * `require` tells it: with the code ENOENT it would pass for a file of the user's. `files`: by their number, those of
 * bodies without `require`.
 * @param {readonly string[]} files
 */
function head(files) {
  return `const files=${JSON.stringify(files)},read=[],loaded=files.map(()=>[]);
const open=(file)=>{
  if(file==="")return own;
  if(!file.startsWith("="))return require(file);
  const path=require("node:path").join(__dirname,file.slice(1));
  let bytes;
  try{bytes=require("node:fs").readFileSync(path)}catch(cause){throw new Error("Cannot find module "+path,{cause})}
  let end=bytes.indexOf(10)+1;
  return JSON.parse(bytes.latin1Slice(2,end)).map(([length,lineOffset])=>{
    const from=end,to=end+=length;
    return (exports)=>require("node:vm").compileFunction(bytes.utf8Slice(from,to),${JSON.stringify(NAMES)},{filename:path,lineOffset})(
      exports,${USE},${EXPORT},${WHOLE},require,path,require("node:path").dirname(path));
  });
};
const ${USE}=(pack,at)=>{
  const there=loaded[pack];
  if(there[at]===undefined)(read[pack]??=open(files[pack]))[at](there[at]={},${USE});
  return there[at];
};
${ENTRY}=require("node:url").pathToFileURL(__filename).href;
`;
}

/**
 * The paths of the modules that each of these reaches without an `import()`, itself included. Modules imported only for their
 * effects are left out: they never run for that.
 * @param {readonly string[]} starts
 * @param {ReadonlyMap<string, File>} all
 */
export function reachedFrom(starts, all) {
  const reached = new Set(starts.filter((start) => all.has(start)));
  for (const at of reached) {
    const text = all.get(at)?.text ?? "";
    for (const [, to = ""] of text.matchAll(/\bfrom\s*"(\.[^"]+)"/g)) {
      const target = path.resolve(path.dirname(at), to);
      if (all.has(target)) reached.add(target);
    }
  }
  return reached;
}

/**
 * A file that other programs load: it hands out the names of one module.
 * @typedef {{ path: string, module: string, names: readonly string[] }} Door
 */

/**
 * The files. `packs`: the path of each, and the modules in it, in an order that stays; where it is an `entry`, that is the
 * first. `atOnce`: nearly all of it runs whenever it is read. `doors` need a single entry.
 * @param {ReadonlyMap<string, File>} modules
 * @param {readonly { path: string, members: readonly string[], entry?: boolean, atOnce?: boolean }[]} packs
 * @param {{ minify: boolean, doors?: readonly Door[] }} options
 * @returns {Promise<File[]>}
 */
export async function pack(modules, packs, { minify, doors = [] }) {
  /** @type {Map<string, Place>} */
  const places = new Map();
  for (const [number, { members }] of packs.entries())
    for (const [at, member] of members.entries()) places.set(member, { pack: number, at });
  /** @param {string} text */
  const written = async (text) =>
    (await transform(text, { minify, target: "node20", legalComments: "none" })).code.trimEnd();
  const files = await Promise.all(
    packs.map(async ({ path: file, members, entry = false, atOnce = false }, number) => {
      const parts = await Promise.all(
        members.map(async (member) => {
          const whole = await written(`module.exports=${await toFunction(modules.get(member), places)};`);
          // In brackets V8 compiles it while it reads the file; without, it would skim it then, and read it again to run it.
          return `(${whole.slice(whole.indexOf("function"), -1)})`;
        }),
      );
      if (!atOnce) {
        for (const part of parts) await refuseImport(file, part);
        return { path: file, text: listBodies(parts) };
      }
      const files = packs.map((other) => {
        const there = `./${path.relative(path.dirname(file), other.path)}`;
        if (other.path === file) return "";
        return other.atOnce ? there : `=${there}`;
      });
      const before = await written(`"use strict";${HELPERS}${entry ? head(files) : ""}`);
      const list = `[\n${parts.join(",\n")}\n]`;
      const text = entry
        ? `${before}const own=${list};\n${start(number)}\n`
        : `${before}module.exports=${list};\n`;
      return { path: file, text };
    }),
  );
  const entry = packs.find((one) => one.entry)?.path ?? "";
  return [...files, ...doors.map((door) => ({ path: door.path, text: doorText(door, entry, places) }))];
}

/**
 * A file of bodies, which the head of an entry reads.
 * @param {readonly string[]} functions
 */
function listBodies(functions) {
  const bodies = functions.map((text) => `"use strict";return ${text}(exports,${USE});\n`);
  let line = 0;
  const index = bodies.map((body) => {
    const first = ++line;
    line += body.split("\n").length - 2;
    return [Buffer.byteLength(body), first];
  });
  return `//${JSON.stringify(index)}\n${bodies.join("")}`;
}

/** Imports that are never reached: cosmiconfig is given loaders for JSON and YAML alone, and Node 20 has `crypto` at hand. */
const NEVER_IMPORTS = ["typescript", "node:crypto"];

/**
 * Throws when the module has an `import()`: Node allows it only in files that it has read itself.
 * @param {string} file
 * @param {string} text
 */
async function refuseImport(file, text) {
  if (!/\bimport\(/.test(text)) return;
  const [as, without] = await Promise.all(
    [true, false].map((can) =>
      transform(`module.exports=${text}`, { minify: true, supported: { "dynamic-import": can } }),
    ),
  );
  if (as?.code === without?.code || NEVER_IMPORTS.some((name) => text.includes(`import("${name}")`))) return;
  throw new Error(`${file}: a module has an import(); use src/system/import-module.ts`);
}

/**
 * The end of an entry: as a program it starts; loaded by a door it only hands out how a module is found.
 * @param {number} number
 */
function start(number) {
  return `if(require.main===module)${USE}(${String(number)},0);else module.exports=${USE};`;
}

/**
 * Node finds the names in this text for `import`, so each has a line of its own.
 * @param {Door} door
 * @param {string} entry
 * @param {ReadonlyMap<string, Place>} places
 */
function doorText({ path: file, module, names }, entry, places) {
  const place = places.get(module);
  if (place === undefined) throw new Error(`${file} hands out a module that is not there`);
  const beside = path.relative(path.dirname(file), entry);
  const lines = names.map((name) => `exports.${name} = api.${name};\n`);
  const call = `require("./${beside}")(${String(place.pack)}, ${String(place.at)})`;
  return `"use strict";\nconst api = ${call};\n${lines.join("")}`;
}

/**
 * A module as a function that fills in what it exports.
 * @param {File | undefined} module
 * @param {ReadonlyMap<string, Place>} places
 */
async function toFunction(module, places) {
  if (module === undefined) throw new Error("a file wants a module that is not there");
  /** @param {string} to */
  const use = (to) => {
    const place = places.get(path.resolve(path.dirname(module.path), to));
    return place && `${USE}(${String(place.pack)},${String(place.at)})`;
  };
  const waiting = module.text.replace(
    /\bimport\(\s*"(\.[^"]+)"\s*\)/g,
    (whole, /** @type {string} */ to) => `Promise.resolve().then(()=>${use(to) ?? whole})`,
  );
  const { code } = await transform(waiting, {
    format: "cjs",
    platform: "node",
    target: "node20",
    define: { "import.meta.url": ENTRY },
    legalComments: "none",
  });
  return `function(exports,${USE}){\n${lazily(exported(code), use)}\n}`;
}

/**
 * Puts the exports on the object that is passed in; without the helpers esbuild writes before it.
 * @param {string} code
 */
function exported(code) {
  const [before = "", after] = code.split(/^module\.exports = __toCommonJS\d*\(stdin_exports\);\n/m);
  const [, exports = ""] = /^__export\d*\(stdin_exports, (\{.*?^\})\);$/ms.exec(before) ?? [];
  const [own = ""] = (after ?? code).split("\n// Annotate the CommonJS export names");
  if (after !== undefined) return `${EXPORT}(exports,${exports});\n${own}`;
  const helper = "  mod\n));\n";
  return /^var __toESM\d* = /m.test(own) ? own.slice(own.indexOf(helper) + helper.length) : own;
}

/**
 * Moves every import to the first use of its names. An import for effects alone is left out: none of our modules has any.
 * @param {string} code
 * @param {(to: string) => string | undefined} use
 */
function lazily(code, use) {
  const names = new Set();
  const declared = code.replace(
    /^var ([\w$]+) = (__toESM\d*\()?require\("([^"]+)"\)(?:, 1)?\)?;$/gm,
    (
      /** @type {string} */ _whole,
      /** @type {string} */ name,
      /** @type {string | undefined} */ wrapped,
      /** @type {string} */ to,
    ) => {
      const bring = use(to) ?? (wrapped === undefined ? `require("${to}")` : `${WHOLE}(require("${to}"))`);
      // The name of a whole namespace may stand anywhere; the others only before a dot.
      if (!name.startsWith("import_")) return `const ${name}=${bring};`;
      names.add(name);
      return `let ${name}_;const ${name}=()=>${name}_??=${bring};`;
    },
  );
  // The wrapper of a library in CommonJS.
  const wrapped = declared.replace(
    /^var (import_\w+) = (\(0, import_\w+\.__toESM\)\(.*\));$/gm,
    (_whole, /** @type {string} */ name, /** @type {string} */ bring) => {
      names.add(name);
      return `let ${name}_;const ${name}=()=>${name}_??=${bring};`;
    },
  );
  const [left] = /(?<![.\w$])__toESM\d*\(.{0,40}/.exec(wrapped) ?? [];
  if (left !== undefined && !/^var __toESM\d* = /m.test(wrapped))
    throw new Error(`an import that is not understood: ${left}`);
  return wrapped.replace(
    /\b(new )?(import_\w+)\b(?=\.)/g,
    (whole, /** @type {string | undefined} */ make, /** @type {string} */ name) => {
      if (!names.has(name)) return whole;
      return make === undefined ? `${name}()` : `new (${name}())`;
    },
  );
}
