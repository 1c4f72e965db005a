import type { mongo } from 'mongoose';
import type { Config } from '../basics/config.ts';
import { DAY_MS } from '../basics/interval.ts';
import type { DeclaredCollection, Row } from './collection.ts';
import type { Db } from './connect.ts';

/** Rows of one collection that are not kept for ever. A noun declares it; `shared/tables/retention.ts` lists all. */
export interface RetentionRule {
  /** The label of its metric. */
  readonly kind: string;
  readonly collectionName: string;
  /** How long, in words. */
  readonly kept: string;
  /** True when it runs for each organization by itself, because the index begins with the organization. */
  readonly isPerOrganization: boolean;
  /** Deletes what is older than its retention and returns how many rows went. */
  readonly purge: (ctx: { db: Db; config: Config }, nowMs: number, orgId?: string) => Promise<number>;
}

/** Settings that are a number of days. */
const DAYS = {
  signalRetentionDays: 'SIGNAL_RETENTION_DAYS',
  eventRetentionDays: 'EVENT_RETENTION_DAYS',
  auditRetentionDays: 'AUDIT_RETENTION_DAYS',
  refusalRetentionDays: 'REFUSAL_RETENTION_DAYS',
} as const satisfies { [Name in keyof Config]?: string };
type Days = number | keyof typeof DAYS;

/** Says so many days in words. */
export const daysText = (days: Days) => `${typeof days === 'number' ? days : `\`${DAYS[days]}\``} days`;

/** Rows of one delete: few enough that nothing waits for it. */
const BATCH_ROWS = 1_000;
/** Batches of one run, rule and organization: ten million rows per hour. The rest waits for the next run. */
const MOST_BATCHES = 10_000;

/** Rows that stay whatever their age: what goes fulfils this filter as well. */
interface Exception<T extends Row> {
  /** The rows that stay, in words. */
  words: string;
  filter: (ctx: { db: Db }, orgId: string) => Promise<mongo.Filter<T>>;
}

interface RetentionOptions<T extends Row> {
  isPerOrganization?: boolean;
  except?: Exception<T>;
}

/**
 * Declares that rows are kept for so many days after the time in `ageField`, which is a field of an index: the oldest go
 * first. With `isPerOrganization` the organization is added to the filter.
 */
export function keptForDays<T extends Row>(
  kind: string,
  rows: DeclaredCollection<T>,
  ageField: keyof T & string,
  days: Days,
  options: RetentionOptions<T> = {},
): RetentionRule {
  const exception = options.except ? `, ${options.except.words}` : '';
  return retentionRule(kind, rows, {
    ...options,
    kept: `${daysText(days)} after \`${ageField}\`${exception}`,
    old: (config, nowMs) => {
      const filter = {
        [ageField]: { $lt: daysBefore(nowMs, typeof days === 'number' ? days : config[days]) },
      } as mongo.Filter<T>;
      return { filter, ageField };
    },
  });
}

/** Declares a rule of another age: `old` gives the filter of what goes, and the field of its index that tells age. */
export function retentionRule<T extends Row>(
  kind: string,
  rows: DeclaredCollection<T>,
  {
    isPerOrganization = false,
    except,
    kept,
    old,
  }: RetentionOptions<T> & {
    kept: string;
    old: (config: Config, nowMs: number) => { filter: mongo.Filter<T>; ageField: keyof T & string };
  },
): RetentionRule {
  return {
    kind,
    collectionName: rows.collectionName,
    kept,
    isPerOrganization,
    purge: async (ctx, nowMs, orgId) => {
      const { filter, ageField } = old(ctx.config, nowMs);
      const shard = orgId === undefined ? {} : { org_id: orgId };
      const going = orgId === undefined ? {} : await except?.filter(ctx, orgId);
      const own = { ...shard, ...filter, ...going } as mongo.Filter<T>;
      return deleteOldest(rows(ctx), own, ageField, shard);
    },
  };
}

async function deleteOldest<T extends Row>(
  rows: mongo.Collection<T>,
  filter: mongo.Filter<T>,
  ageField: keyof T & string,
  shard: object,
): Promise<number> {
  let gone = 0;
  // Older rows that are still there stay: nothing reads them again.
  let left = filter;
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const oldest = await rows
      .find<mongo.Document>(left, { projection: { _id: 1, [ageField]: 1 } })
      .sort({ [ageField]: 1 })
      .limit(BATCH_ROWS)
      .toArray();
    if (oldest.length === 0) return gone;
    const named = { ...shard, _id: { $in: oldest.map(({ _id }) => _id) } } as mongo.Filter<T>;
    gone += (await rows.deleteMany(named)).deletedCount;
    if (oldest.length < BATCH_ROWS) return gone;
    const from = { ...filter[ageField], $gte: oldest.at(-1)?.[ageField] };
    left = { ...filter, [ageField]: from } as mongo.Filter<T>;
  }
  return gone;
}

/** The moment before which rows of so many days are too old. */
export function daysBefore(nowMs: number, days: number): Date {
  return new Date(nowMs - days * DAY_MS);
}
