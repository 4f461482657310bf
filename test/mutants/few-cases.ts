// A mutant is found by the first case that fails: looking for the smallest one would only take time, as would thousands of
// cases where hundreds pass. A property that is cut short can miss a mutant, never find one that is not there.
import fc from "fast-check";

const MOST_CASES = 100;

fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

fc.installGlobalPlugin(() => {
  let cases = 0;
  return {
    decorateRun: (run) => (value) => {
      if (++cases <= MOST_CASES) return run(value);
      return null;
    },
  };
});
