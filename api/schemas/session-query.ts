import { z } from 'zod';
import type { SessionMatch } from '../../shared/core/calls/sessions/match-sessions.ts';
import { nusdFromUsd } from '../../shared/core/pricing/money.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { flag } from './params.ts';

/** US dollars that a session may be asked to have cost. */
const MOST_USD = 1_000_000;

export const teamFilter = text(128)
  .optional()
  .describe(
    'Filter by team: its members now. Team and Enterprise plans; not for keys that are bound to one user',
  );

export const sessionFilters = {
  errors: flag.optional().describe('Filter by errors: sessions with any, or without'),
  anomalous: flag.optional().describe('Filter by anomalies: sessions with any, or without'),
  state: z.enum(['open', 'ended']).optional().describe('Filter by state'),
  min_cost_usd: z
    .string()
    .regex(/^[0-9]{1,7}(\.[0-9]{1,9})?$/, 'must be US dollars with at most 9 decimals')
    .transform(Number)
    .refine((usd) => usd <= MOST_USD, `must be 0..${MOST_USD}`)
    .optional()
    .meta({
      description: 'Filter by cost: sessions that cost as much or more, in US dollars',
      documentedAs: { type: 'number', minimum: 0, maximum: MOST_USD },
    }),
};

type AskedFilters = z.output<z.ZodObject<typeof sessionFilters>>;

/** The filters as a list of sessions takes them. */
export function sessionMatch({ errors, anomalous, state, min_cost_usd }: AskedFilters): SessionMatch {
  const least = min_cost_usd === undefined ? 0 : (nusdFromUsd(min_cost_usd) ?? 0);
  // Every session costs at least 0.
  return { errors, anomalous, state, minCostNusd: least > 0 ? least : undefined };
}
