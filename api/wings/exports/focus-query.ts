import { z } from 'zod';
import type { timezone } from '../../../shared/platform/basics/text.ts';
import { BILLED, FOCUS_VERSIONS } from '../../../shared/wings/exports/focus/columns.ts';
import { type FocusQuestion, GRANULARITIES } from '../../../shared/wings/exports/focus/export-focus.ts';
import { rangeIn, type TimeOrDate } from '../../schemas/time.ts';

export const focusOptions = {
  focus_version: z.enum(FOCUS_VERSIONS).optional().describe('The version of FOCUS; default: 1.2'),
  granularity: z
    .enum(GRANULARITIES)
    .optional()
    .describe('The length of a charge period, in UTC; default: day'),
  billed: z
    .enum(BILLED)
    .optional()
    .describe('BilledCost: the computed cost (default), or 0, since no invoice bills these rows'),
};

interface AskedFocus extends Partial<Pick<FocusQuestion, 'granularity' | 'billed'>> {
  focus_version?: FocusQuestion['version'] | undefined;
  from?: TimeOrDate | undefined;
  to?: TimeOrDate | undefined;
  timezone?: z.output<typeof timezone> | undefined;
}

/** The question of a query about a FOCUS file. Dates are midnights in UTC. */
export function focusQuestion(
  query: {
    [Name in keyof AskedFocus]: AskedFocus[Name] | undefined;
  },
): Omit<FocusQuestion, 'filter'> {
  const { focus_version = '1.2', granularity = 'day', billed = 'computed', timezone } = query;
  const range = rangeIn([{ from: new Date(0), timezone: 'UTC' }], query);
  return { version: focus_version, granularity, billed, timezone, ...range };
}
