import { z } from 'zod';
import type { Organization } from '../../core/accounts/organizations/model.ts';
import type { Settings } from '../../core/accounts/organizations/settings.ts';
import { HOLD_ABOVE } from '../../platform/basics/contract.ts';
import { SOME_CHANGE } from '../../platform/basics/text.ts';
import { type Fields, nullable, object, optional } from '../../platform/mongo/fields.ts';

/** The limits above which a signal is held. Null: no amount is too large. */
export interface HoldAbove {
  tokens: number | null;
  cost_usd: number | null;
}

declare module '../../core/accounts/organizations/model.ts' {
  interface Organization {
    /** Limits above which a signal is held (`holdAboveOf`); what was never set has its default. */
    hold_above?: Partial<HoldAbove>;
    /** Until when a signal that comes may be one that was held; absent when none ever was (`hold-signals.ts`). */
    held_until?: Date;
  }
}

declare module '../../core/accounts/organizations/settings.ts' {
  interface OrganizationChange {
    hold_above?: z.output<typeof holdAboveChange> | undefined;
  }
  interface OrganizationView {
    hold_above: HoldAbove;
  }
}

const DEFAULTS: HoldAbove = { tokens: HOLD_ABOVE.tokens.default, cost_usd: HOLD_ABOVE.cost_usd.default };

/** The limits of an organization, with the default of each one that it never set. */
export function holdAboveOf({ hold_above }: Pick<Organization, 'hold_above'>): HoldAbove {
  return { ...DEFAULTS, ...hold_above };
}

const holdAboveChange = z
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
  .refine(...SOME_CHANGE)
  .describe('A signal above either is held until an admin decides; from the next signal on');

export const holdAboveView = z
  .strictObject({ tokens: z.int().nullable(), cost_usd: z.number().nullable() })
  .describe('Limits of one signal; one above either is held');

export const organizationFields: Fields = {
  hold_above: optional(object({ tokens: optional(nullable(Number)), cost_usd: optional(nullable(Number)) })),
  held_until: optional(Date),
};

export const settings: Settings = {
  hold_above: {
    view: holdAboveView,
    change: holdAboveChange,
    before: 'hash_names',
    show: holdAboveOf,
    store: (organization, { hold_above = {} }) => {
      const { tokens, cost_usd } = hold_above;
      return {
        ...holdAboveOf(organization),
        ...(tokens === undefined ? {} : { tokens }),
        ...(cost_usd === undefined ? {} : { cost_usd }),
      };
    },
    action: 'signals.hold_above',
  },
};
