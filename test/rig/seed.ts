// The laws try the same cases each time, so that a red run can be repeated; LOOPER_SEED tries others.
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["LOOPER_SEED"] ?? 20_261_120) });
