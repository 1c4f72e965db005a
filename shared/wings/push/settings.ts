import { z } from 'zod';
import type { Settings } from '../../core/accounts/organizations/settings.ts';
import { FOCUS_CLOSE_DAY } from '../../platform/basics/contract.ts';
import { type Fields, optional } from '../../platform/mongo/fields.ts';
import { closeDayOf } from './closing/months.ts';

declare module '../../core/accounts/organizations/model.ts' {
  interface Organization {
    /** The day of the next month at which a month of FOCUS files closes; absent: the default. */
    focus_close_day?: number;
    /** Grows with each day that is kept, so that it conflicts with the record of a closed month. */
    focus_touches?: number;
  }
}

declare module '../../core/accounts/organizations/settings.ts' {
  interface OrganizationChange {
    focus_close_day?: number | undefined;
  }
  interface OrganizationView {
    focus_close_day: number;
  }
}

export const organizationFields: Fields = {
  focus_close_day: optional(Number),
  focus_touches: optional(Number),
};

export const settings: Settings = {
  focus_close_day: {
    view: z.int().describe('The day of the next month at which a month of exported FOCUS files closes'),
    change: z
      .int()
      .min(FOCUS_CLOSE_DAY.min)
      .max(FOCUS_CLOSE_DAY.max)
      .describe('The day of the next month, UTC, at which a month of exported FOCUS files closes'),
    show: closeDayOf,
  },
};
