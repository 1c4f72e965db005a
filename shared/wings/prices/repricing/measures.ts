import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { dateIn, floorToQuarter } from '../../../core/calls/usage/calendar.ts';
import type { StoredMeasures } from './model.ts';

/** Sums over the calls of a repricing. Costs are nano-USD. */
interface Sums {
  signals: number;
  changed: number;
  before: bigint;
  after: bigint;
  unpricedBefore: number;
  unpricedAfter: number;
}

/** A call with its cost before and after, nano-USD. */
export interface Measured {
  ts: Date;
  model: string | null;
  before: number | null;
  after: number | null;
  isChanged: boolean;
}

/** Sums calls: all of them, by day of the organization, and by model. Each is added to all three, so that rows sum to the whole. */
export function openMeasures(organization: Pick<Organization, 'timezones'>) {
  const whole = noSums();
  const days = new Map<string, Sums>();
  const models = new Map<string, Sums>();
  const dayOf = openDays(organization);
  return {
    add: (call: Measured): void => {
      const day = days.getOrInsertComputed(dayOf(call.ts), noSums);
      const model = models.getOrInsertComputed(call.model ?? 'unknown', noSums);
      for (const sums of [whole, day, model]) addCall(sums, call);
    },
    count: () => whole.signals,
    end: () => ({
      ...stored(whole),
      days: inOrder(days).map(([day, sums]) => ({ day, ...stored(sums) })),
      models: inOrder(models).map(([model, sums]) => ({ model, ...stored(sums) })),
    }),
  };
}

function noSums(): Sums {
  return { signals: 0, changed: 0, before: 0n, after: 0n, unpricedBefore: 0, unpricedAfter: 0 };
}

function addCall(sums: Sums, { before, after, isChanged }: Measured): void {
  sums.signals += 1;
  if (isChanged) sums.changed += 1;
  if (before === null) sums.unpricedBefore += 1;
  else sums.before += BigInt(before);
  if (after === null) sums.unpricedAfter += 1;
  else sums.after += BigInt(after);
}

function stored({ signals, changed, before, after, unpricedBefore, unpricedAfter }: Sums): StoredMeasures {
  return {
    signals,
    changed,
    cost_before: String(before),
    cost_after: String(after),
    unpriced_before: unpricedBefore,
    unpriced_after: unpricedAfter,
  };
}

function inOrder(rows: ReadonlyMap<string, Sums>): [string, Sums][] {
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The dates of moments in the timezones that held then, each quarter hour computed once. */
function openDays({ timezones }: Pick<Organization, 'timezones'>): (at: Date) => string {
  const known = new Map<number, string>();
  return (at) => {
    const quarterMs = floorToQuarter(at.getTime());
    return known.getOrInsertComputed(quarterMs, () => dateIn(timezones, quarterMs).toString());
  };
}
