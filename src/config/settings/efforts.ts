// How much a model can be asked to think. Pure.

/** The levels, from the least to the most. Each provider takes the nearest that it has. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];
