// The laws try the same cases each time, so that a red run can be repeated; LOOPER_SEED tries others. Without EXHAUSTIVE a property
// ends well after its first cases, however many it asks for.
import fc from "fast-check";

const MOST_CASES = 150;

fc.configureGlobal({ seed: Number(process.env["LOOPER_SEED"] ?? 20_261_120) });

if (process.env["EXHAUSTIVE"] === undefined)
  fc.installGlobalPlugin(() => {
    let cases = 0;
    return { decorateRun: (run) => (value) => (++cases <= MOST_CASES ? run(value) : null) };
  });
