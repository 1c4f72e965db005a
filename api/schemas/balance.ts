import { z } from 'zod';

const credits = z.int().min(0);
const time = z.int().nullable().describe('Unix seconds');
const period = z.strictObject({ credits, resets_at: time });
const lots = z.strictObject({
  credits,
  lots: z.array(z.strictObject({ credits, expires_at: time })).describe('Next to be spent first'),
});

/** The credits of one account, by bucket and in all. */
export const balance = {
  balances: z.strictObject({ window: period, monthly: period, paid: lots, granted: lots }),
  total: credits,
};
