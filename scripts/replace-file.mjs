// A source file that the built program replaces with text made at build time. Leaves the text to the script that names the file.

/**
 * A plugin that replaces one source file; the build fails where the program does not contain that file.
 * @param {string} source from the root, e.g. src/a.ts
 * @param {() => string | Promise<string>} codeOf the JavaScript to put there
 * @returns {import("esbuild").Plugin}
 */
export function replaceFile(source, codeOf) {
  let found = false;
  const literal = source.replaceAll(/[/.]/g, "\\$&");
  return {
    name: `replace ${source}`,
    setup: (build) => {
      build.onLoad({ filter: new RegExp(`/${literal}$`) }, async () => {
        found = true;
        return { contents: await codeOf(), loader: "js" };
      });
      build.onEnd(() =>
        found ? undefined : { errors: [{ text: `${source} is not in the program: name its new place` }] },
      );
    },
  };
}
