import { z } from 'zod';
import { HOLD_ABOVE } from '../platform/basics/contract.ts';
import type { HoldAbove, Organization } from './model.ts';

const DEFAULTS: HoldAbove = { tokens: HOLD_ABOVE.tokens.default, cost_usd: HOLD_ABOVE.cost_usd.default };

/** The limits of an organization, with the default of each one that it never set. */
export function holdAboveOf({ hold_above }: Pick<Organization, 'hold_above'>): HoldAbove {
  return { ...DEFAULTS, ...hold_above };
}

export const holdAboveChange = z
  .strictObject({
    tokens: z
      .int()
      .min(HOLD_ABOVE.tokens.min)
      .max(HOLD_ABOVE.tokens.max)
      .nullable()
      .describe('Tokens of one signal, input and output together; null: no limit'),
    cost_usd: z
      .number()
      .min(HOLD_ABOVE.cost_usd.min)
      .max(HOLD_ABOVE.cost_usd.max)
      .nullable()
      .describe('Cost of one signal in US dollars; null: no limit'),
  })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'must change something')
  .describe('A signal above either is held until an admin decides; from the next signal on');

export const holdAboveView = z
  .strictObject({ tokens: z.int().nullable(), cost_usd: z.number().nullable() })
  .describe('Limits of one signal; one above either is held');
