import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { PLANS, type Tier } from '../../../platform/basics/contract.ts';
import { StartFault } from '../../../platform/basics/start-fault.ts';
import { perContext } from '../../../platform/context/per-context.ts';

const credits = z.int().min(0).max(1_000_000_000);
const planCredits = z.strictObject({
  window_credits: credits,
  window_s: z.int().min(60).max(31_536_000),
  monthly_credits: credits,
  /** Price of one more credit in US dollars; without it none can be bought. */
  credit_price_usd: z.number().min(0.000_001).max(10_000).optional(),
});
const plansFile = z.record(z.enum(PLANS), planCredits);

export type PlanCredits = z.output<typeof planCredits>;
type Plans = Readonly<Record<Tier, PlanCredits>>;

/** Reads the credits of each plan from the operator's file. Throws one readable error when the file is not usable. */
function readPlans(file: string): Plans {
  try {
    return plansFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String((error as Error).message);
    throw new StartFault(`PLANS_FILE (${file}) is not usable:\n${why}`);
  }
}

/** The credits of each plan. Throws when `PLANS_FILE` is not usable: a process that asks at its start does not start. */
export const plansOf = perContext((ctx): Plans => readPlans(ctx.config.plansFile));

/** The plans as the scripts read them (`read_plan` in `prelude.lua`). */
export const encodedPlansOf = perContext((ctx): string => encodePlans(plansOf(ctx)));

function encodePlans(plans: Plans): string {
  return PLANS.map((name) => {
    const { window_credits, window_s, monthly_credits } = plans[name];
    return `${name}=${window_credits},${window_s * 1_000},${monthly_credits};`;
  }).join('');
}
