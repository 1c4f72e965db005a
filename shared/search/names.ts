import type { Organization } from '../organizations/model.ts';
import type { Reader } from '../organizations/reader.ts';
import { SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import { DAY_MS } from '../platform/basics/interval.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import type { SummedRow } from '../usage/cells.ts';
import { isZero } from '../usage/measures.ts';
import type { Dimensions } from '../usage/model.ts';
import { periodStarts } from '../usage/periods.ts';
import { exactParts } from '../usage/range.ts';
import { periodEnd } from '../usage/split-range.ts';
import { sumGroupings } from '../usage/sum-rollups.ts';

/** Usage that is looked at: signals are kept for 396 days unless the operator says otherwise. */
const LOOKED_AT_DAYS = 400;

/** Names that an organization, or the one user of the reader, has used of late. */
export interface UsedNames {
  users: string[];
  projects: string[];
  adapters: string[];
}

const COLUMNS = ['user_id', 'project_id', 'adapter'] as const satisfies readonly (keyof Dimensions)[];

/**
 * Reads the names that occur in the usage of the last 400 days: from the snapshots of closed months and days, which this process
 * keeps, and from the rollups of today. It costs the same however many sessions there are.
 */
export async function readUsedNames(
  ctx: Context,
  organization: Organization,
  { userId }: Reader,
): Promise<UsedNames> {
  const nowMs = ctx.clock.now();
  const fromMs = periodStarts(organization, nowMs - LOOKED_AT_DAYS * DAY_MS).day;
  const toMs = periodEnd(organization.timezones, 'day', nowMs + SIGNAL_AGE_MS.ahead);
  const parts = exactParts(organization, [fromMs, toMs], nowMs);
  const match = userId === null ? {} : { user_id: userId };
  const groupings = COLUMNS.map((column) => [column]);
  const [users = [], projects = [], adapters = []] = await inTransaction(ctx.db, (transaction) =>
    sumGroupings(ctx, organization, { parts, match, groupings }, transaction),
  );
  return {
    users: namesIn(users, 'user_id'),
    projects: namesIn(projects, 'project_id'),
    adapters: namesIn(adapters, 'adapter'),
  };
}

/** A name that was counted and taken back leaves a row of zeros behind. */
function namesIn(rows: readonly SummedRow[], column: (typeof COLUMNS)[number]): string[] {
  return rows.filter(({ sums }) => !isZero(sums)).map(({ key }) => String(key[column]));
}
