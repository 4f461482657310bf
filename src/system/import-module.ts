// `import()` of what is found only while the program runs. It is in a file of its own, since the built program compiles most of its
// modules itself, and Node allows `import()` only in files that it has read (scripts/pack.mjs).

/** The module of this name, or at this URL. Rejects as `import()` does. */
export function importModule(name: string): Promise<unknown> {
  return import(name);
}
