import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import type { Context } from '../../../../platform/context/context.ts';
import {
  COUNTED,
  changedAfter,
  NOTHING_SEEN,
  type PersonWindow,
  personWindowRows,
  type Seen,
  seenAfter,
} from '../../budgets/rules/counted.ts';
import type { WindowUsage } from '../../budgets/rules/evaluate.ts';
import type { Rules } from '../../budgets/rules/rules.ts';

interface PersonRow extends WindowUsage {
  id: string;
}

/** The rows of people's windows that are open now or open later, by counter and user. */
type PeopleRows = ReadonlyMap<string, ReadonlyMap<string, readonly PersonRow[]>>;

/** The usage of each person of an organization's templates. Never changed: a read makes a new one. */
export interface PeopleUsage {
  /** The version of the rules that it was read by: a recount raises it. */
  version: number;
  seen: Seen;
  rows: PeopleRows;
}

/** Nobody. */
export const NO_PEOPLE: PeopleUsage = { version: 0, seen: NOTHING_SEEN, rows: new Map() };

/** Usage of a person by a template's counter: its windows, each in parts that are to be summed. Pure. */
export function usageOfPerson(
  { rows }: PeopleUsage,
  counter: string,
  userId: string,
): readonly WindowUsage[] {
  return rows.get(counter)?.get(userId) ?? [];
}

/**
 * The usage of people of these organizations, as of the transaction's snapshot. It reads only the rows that may have changed since
 * `known`, and all that are open of an organization that is not known, or whose rules have changed.
 */
export async function readPeople(
  ctx: Context,
  organizations: readonly { rules: Rules; known: PeopleUsage | undefined }[],
  transaction: ClientSession,
): Promise<Map<string, PeopleUsage>> {
  const found = new Map<string, PeopleUsage>();
  const nowMs = ctx.clock.now();
  const atMs = performance.now();
  const options = { session: transaction, batchSize: ROWS_PER_ANSWER };
  for (const { rules, known } of organizations) {
    const { version } = rules;
    const org_id = rules.organization._id;
    const templates = rules.limits.budgets.filter(({ budget }) => budget.per);
    if (templates.length === 0) continue;
    const counters = new Set(templates.map(({ counter }) => counter));
    const before = known?.version === version ? known : NO_PEOPLE;
    const isKnown = before.seen.newestMs > 0;
    const asked = isKnown ? changedAfter(before.seen) : { window_end: { $gt: dateAt(nowMs) } };
    const read = await personWindowRows(ctx)
      .find({ org_id, ...asked }, options)
      .toArray();
    const rows = withRows(before.rows, read, { counters, nowMs });
    found.set(org_id, { version, seen: seenAfter(before.seen, read, atMs), rows });
  }
  return found;
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
