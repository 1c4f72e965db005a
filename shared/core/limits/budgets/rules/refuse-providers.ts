import type { ClientSession } from 'mongoose';
import { SIGNAL_AGE_MS } from '../../../../platform/basics/contract.ts';
import { invalid } from '../../../../platform/basics/errors.ts';
import { DAY_MS } from '../../../../platform/basics/interval.ts';
import type { Context } from '../../../../platform/context/context.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { periodEnd, periodStarts } from '../../../calls/usage/calendar.ts';
import { exactParts } from '../../../calls/usage/range.ts';
import { sumRollups } from '../../../calls/usage/sum-rollups.ts';
import { isKnownProvider, oneProviderName } from '../../../pricing/providers.ts';
import type { BudgetFilter } from './filter.ts';

/** Usage that is searched for a name: signals are kept for 396 days unless the operator says otherwise. */
const LOOKED_AT_DAYS = 400;

/**
 * Refuses a filter whose providers include a name that neither the price list nor any call of the organization has: it would
 * count nothing, in silence. Usage is read only for a name that is not in the list. Throws `invalid_request`.
 */
export async function refuseUnknownProviders(
  ctx: Context,
  organization: Organization,
  filter: BudgetFilter | null | undefined,
  transaction: ClientSession,
): Promise<void> {
  const asked = (filter?.providers ?? []).filter((name) => !isKnownProvider(name));
  if (asked.length === 0) return;
  const nowMs = ctx.clock.now();
  const fromMs = periodStarts(organization, nowMs - LOOKED_AT_DAYS * DAY_MS).day;
  const toMs = periodEnd(organization.timezones, 'day', nowMs + SIGNAL_AGE_MS.ahead);
  const parts = exactParts(organization, [fromMs, toMs], nowMs);
  const columns = ['provider'] as const;
  const rows = await sumRollups(ctx, organization, { parts, match: {}, columns }, transaction);
  const seen = new Set(rows.map(({ key }) => key.provider));
  const unknown = asked.find((name) => !seen.has(oneProviderName(name)));
  if (unknown === undefined) return;
  const detail = `has "${unknown}", which is in no price list and was named by no call`;
  throw invalid(`The budget is not valid: filter.providers ${detail}.`, '/filter/providers', detail);
}
