// The prices of models, from the file the settings name (`prices_file`).
import { z } from "zod";
import { usageError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { parseJson } from "../../system/text/json.js";

const amount = z.number().min(0);

/**
 * Dollars per million tokens. `cached_input` are tokens read from a cache, `cache_write` those written to it; each costs as much
 * as other input if it has no price.
 */
const Price = z.strictObject({
  input: amount,
  output: amount,
  cached_input: amount.optional(),
  cache_write: amount.optional(),
});
export type Price = z.infer<typeof Price>;

const Prices = z.record(z.string(), Price);
export type Prices = z.infer<typeof Prices>;

/** Reads the prices by model, as `agents.<name>.model` names it. A `usage` error where the file has none. */
export async function readPrices(files: Files, file: string): Promise<Prices> {
  const bytes = await files.read(file);
  const hint =
    'an object by model: {"gpt-5": {"input": 1.25, "cached_input": 0.125, "output": 10}}, in dollars per million tokens';
  if (bytes === undefined)
    throw usageError(`prices_file ${file} is not there`, "create it, or remove the setting");
  const parsed = Prices.safeParse(parseJson(bytes));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where =
    issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}: ${issue.message}`;
  throw usageError(`cannot read the prices_file ${file}: not a valid price list${where}`, hint);
}
