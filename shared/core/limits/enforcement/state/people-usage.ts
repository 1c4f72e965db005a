import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { inSteps } from '../../../../platform/mongo/find-by-ids.ts';
import { COUNTED, type PersonWindow, personWindowRows } from '../../budgets/rules/counted.ts';
import type { WindowUsage } from '../../budgets/rules/evaluate.ts';
import { personRowKey } from '../../budgets/rules/keys.ts';
import {
  type LogPosition,
  loggedSince,
  type ReadLog,
  readPeopleLogs,
} from '../../budgets/rules/people-log.ts';
import type { Rules } from '../../budgets/rules/rules.ts';

/** One row of a person's windows: what one counter shard counts. */
interface PersonRow extends WindowUsage {
  id: string;
}

/** The rows of people's windows that are open now or open later, by counter and user. */
type PeopleRows = ReadonlyMap<string, ReadonlyMap<string, readonly PersonRow[]>>;

/** The usage of each person of an organization's templates, and how far its log was read. Never changed: a read makes a new one. */
export interface PeopleUsage {
  position: LogPosition;
  rows: PeopleRows;
}

/** Nobody. */
export const NO_PEOPLE: PeopleUsage = { position: [], rows: new Map() };

/** Usage of a person by a template's counter: its windows, each in parts that are to be summed. Pure. */
export function usageOfPerson(
  { rows }: PeopleUsage,
  counter: string,
  userId: string,
): readonly WindowUsage[] {
  return rows.get(counter)?.get(userId) ?? [];
}

/**
 * The usage of people of these organizations, as of the transaction's snapshot. It reads only the rows that have changed since
 * `known`, and all rows of an organization that is not known, or of which more have changed than its log keeps.
 */
export async function readPeople(
  ctx: Context,
  organizations: readonly { rules: Rules; known: PeopleUsage | undefined }[],
  transaction: ClientSession,
): Promise<Map<string, PeopleUsage>> {
  const found = new Map<string, PeopleUsage>();
  const asked = organizations.filter(({ rules }) => rules.limits.budgets.some(({ budget }) => budget.per));
  if (asked.length === 0) return found;
  const orgIds = asked.map(({ rules }) => rules.organization._id);
  const logs = await readPeopleLogs(ctx, orgIds, transaction);
  for (const { rules, known } of asked) {
    const orgId = rules.organization._id;
    const log = logs.get(orgId);
    if (log) found.set(orgId, await readOne(ctx, rules, { known, log }, transaction));
  }
  return found;
}

async function readOne(
  ctx: Context,
  rules: Rules,
  { known, log }: { known: PeopleUsage | undefined; log: ReadLog },
  transaction: ClientSession,
): Promise<PeopleUsage> {
  const { position } = log;
  const orgId = rules.organization._id;
  const changed = known && known !== NO_PEOPLE ? loggedSince(log, known.position) : null;
  const counters = new Set(
    rules.limits.budgets.flatMap(({ budget, counter }) => (budget.per ? [counter] : [])),
  );
  const ids = changed?.flatMap((windows, shard) => windows.map((window) => personRowKey(window, shard)));
  const nowMs = ctx.clock.now();
  if (!known || !ids) {
    const open = { org_id: orgId, window_end: { $gt: dateAt(nowMs) } };
    const options = { session: transaction, batchSize: ROWS_PER_ANSWER };
    const all = await personWindowRows(ctx).find(open, options).toArray();
    return { position, rows: withRows(new Map(), all, { counters, nowMs }) };
  }
  const rows = await inSteps(ids, (some) =>
    personWindowRows(ctx)
      .find({ _id: { $in: some }, org_id: orgId }, { session: transaction })
      .toArray(),
  );
  return { position, rows: withRows(known.rows, rows, { counters, nowMs }) };
}

/** Decoding one answer is one turn of the event loop. */
const ROWS_PER_ANSWER = 1_000;

/** These rows in place of former ones. Counters and windows that decide nothing any more are left out. Pure. */
function withRows(
  before: PeopleRows,
  rows: readonly PersonWindow[],
  { counters, nowMs }: { counters: ReadonlySet<string>; nowMs: number },
): PeopleRows {
  const after = new Map([...before].filter(([counter]) => counters.has(counter)));
  const isOpen = ({ interval }: PersonRow) => interval.endMs > nowMs;
  for (const [counter, own] of Map.groupBy(rows, (row) => row.counter)) {
    if (!counters.has(counter)) continue;
    const people = new Map(after.get(counter));
    for (const row of own) {
      const others = (people.get(row.person) ?? []).filter((other) => other.id !== row._id);
      people.set(row.person, [...others, rowOf(row)].filter(isOpen));
    }
    after.set(counter, people);
  }
  return after;
}

function rowOf({ _id, window_start, window_end, ...row }: PersonWindow): PersonRow {
  const usage = Object.fromEntries(COUNTED.map((measure) => [measure, row[measure]])) as PersonRow['usage'];
  return { id: _id, interval: { startMs: window_start.getTime(), endMs: window_end.getTime() }, usage };
}
