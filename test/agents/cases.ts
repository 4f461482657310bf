import type { Case } from "./case.js";
import { FAULT_CASES } from "./fault-cases.js";
import { KILL_CASES } from "./kill-cases.js";
import { MCP_CASES } from "./mcp-cases.js";
import { PAIR_CASES } from "./pair-cases.js";
import { WORK_CASES } from "./work-cases.js";
import { WORKFLOW_CASES } from "./workflow-cases.js";

/** The cases that every client goes through, in the order of the table. */
export const CASES: readonly Case[] = [
  ...WORK_CASES,
  ...WORKFLOW_CASES,
  ...FAULT_CASES,
  ...KILL_CASES,
  ...MCP_CASES,
  ...PAIR_CASES,
];
