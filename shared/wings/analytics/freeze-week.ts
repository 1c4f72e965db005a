import type { ClientSession } from 'mongoose';
import type { Organization } from '../../core/accounts/organizations/model.ts';
import { quarterHorizonMs } from '../../core/calls/usage/calendar.ts';
import { splitRange } from '../../core/calls/usage/split-range.ts';
import { sumRollups } from '../../core/calls/usage/sum-rollups.ts';
import { commitPlan, type Decision } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { LONG_TRANSACTION } from '../../platform/mongo/transaction.ts';
import { deleteRows, replaceRow, type Write } from '../../platform/mongo/writes.ts';
import { cellsOf, decideLate } from './decide-late.ts';
import { cellsKey, packCells, weekKey } from './frozen-cells.ts';
import {
  type Dimension,
  type FrozenDimension,
  type FrozenWeek,
  frozenCellRows,
  frozenWeekRows,
  type WeekCells,
} from './model.ts';
import { peopleAsFrozen, peopleOf } from './people.ts';
import { readFrozenCells } from './read-frozen.ts';
import { type People, readHours, readWeek, type Week } from './read-week.ts';
import { kOf, type Suppression, suppressWeek } from './suppress.ts';

export interface Frozen {
  frozen: number;
  /** Dimensions of frozen weeks that were restated with late signals. */
  restated: number;
}

/** Freezes one week, or decides about its late signals, in one transaction. Repeating it changes nothing. */
export async function freezeWeek(ctx: Context, organization: Organization, week: Week): Promise<Frozen> {
  const people = await peopleOf(ctx, organization, week);
  return await commitPlan(
    ctx,
    async (transaction) => {
      const _id = weekKey(organization._id, week.fromMs);
      const frozen = await frozenWeekRows(ctx).findOne({ _id }, { session: transaction });
      const sums = await sumWeek(ctx, organization, week, transaction);
      if (frozen?.seen_sums === sums) return nothing;
      const asked = { organization, week, people, sums };
      return frozen ? restate(ctx, frozen, asked, transaction) : freezeFirst(ctx, asked, transaction);
    },
    { ...LONG_TRANSACTION, onDuplicateKey: 'retry' },
  );
}

const nothing: Decision<Frozen> = { result: { frozen: 0, restated: 0 } };

interface Asked {
  organization: Organization;
  week: Week;
  people: People;
  /** The sums of the week so far. */
  sums: string;
}

async function freezeFirst(
  ctx: Context,
  { organization, week, people, sums }: Asked,
  transaction: ClientSession,
): Promise<Decision<Frozen>> {
  const k = kOf(organization);
  const all = await readDimensions(ctx, organization, week, people, transaction);
  const head: FrozenWeek = {
    _id: weekKey(organization._id, week.fromMs),
    org_id: organization._id,
    start: new Date(week.fromMs),
    frozen_at: new Date(ctx.clock.now()),
    seen_sums: sums,
    dimensions: {},
  };
  const writes: Write[] = [];
  for (const [dimension, cells] of all)
    writes.push(...planDimension(head, dimension, cells, suppressWeek(cellsOf(cells), k)));
  writes.push(replaceRow(frozenWeekRows, head, { upsert: true }));
  return { writes, result: { frozen: 1, restated: 0 } };
}

async function restate(
  ctx: Context,
  frozen: FrozenWeek,
  { organization, week, people, sums }: Asked,
  transaction: ClientSession,
): Promise<Decision<Frozen>> {
  const k = kOf(organization);
  const before = await readFrozenCells(ctx, frozen, 'team', transaction);
  const asFrozen = peopleAsFrozen(before, people);
  const now = await readDimensions(ctx, organization, week, asFrozen, transaction);
  const head: FrozenWeek = { ...frozen, seen_sums: sums, dimensions: { ...frozen.dimensions } };
  const writes: Write[] = [];
  let restated = 0;
  for (const [dimension, cells] of now) {
    const known = head.dimensions[dimension];
    if (!known) continue;
    const kept = await readFrozenCells(ctx, frozen, dimension, transaction);
    const decision = decideLate(known, { before: kept, now: cells }, k);
    if (decision.outcome === 'refuse')
      head.dimensions[dimension] = { ...known, judged_users: decision.users };
    if (decision.outcome !== 'restate') continue;
    writes.push(...planDimension(head, dimension, cells, decision.suppression));
    restated += 1;
  }
  writes.push(replaceRow(frozenWeekRows, head));
  return { writes, result: { frozen: 0, restated } };
}

/** Puts a dimension into the head of its week, and returns the writes that keep its cells. */
function planDimension(
  head: FrozenWeek,
  dimension: Dimension,
  cells: WeekCells,
  { hidden, isTotalHidden }: Suppression,
): Write[] {
  const before = head.dimensions[dimension]?.parts ?? 0;
  const rows = packCells(head.org_id, head.start.getTime(), dimension, cells);
  const frozen: FrozenDimension = {
    hidden: [...hidden],
    is_total_hidden: isTotalHidden,
    judged_users: 0,
    parts: rows.length,
  };
  head.dimensions[dimension] = frozen;
  const surplus = Array.from({ length: Math.max(0, before - rows.length) }, (_, index) =>
    cellsKey(head.org_id, head.start.getTime(), dimension, rows.length + index),
  );
  return [
    ...rows.map((row) => replaceRow(frozenCellRows, row, { upsert: true })),
    ...surplus.map((_id) => deleteRows(frozenCellRows, { _id })),
  ];
}

/** Maximum bytes of value names per dimension; a week's head row lists the hidden values of six. */
const MOST_NAMES_BYTES = 2 * 2 ** 20;

function namesBytes(cells: WeekCells): number {
  return Buffer.byteLength(JSON.stringify([...cells.keys()]));
}

async function readDimensions(
  ctx: Context,
  organization: Organization,
  week: Week,
  people: People,
  transaction: ClientSession,
): Promise<[Dimension, WeekCells][]> {
  const plain = await readWeek(ctx, organization, week, people, transaction);
  const { maxGroups } = ctx.config;
  // More values than an answer may have are not kept: a document has 16 MiB, and deciding about them takes time.
  const isKept = (cells: WeekCells) => cells.size <= maxGroups && namesBytes(cells) <= MOST_NAMES_BYTES;
  const all = (Object.entries(plain) as [Dimension, WeekCells][]).filter(([, cells]) => isKept(cells));
  if (week.fromMs < quarterHorizonMs(ctx.clock.now())) return all;
  return [...all, ['hour_of_week', await readHours(ctx, organization, week, people, transaction)]];
}

/** Returns the sums of a week as one text. A void and the true call in its place leave the number of signals as it was. */
async function sumWeek(ctx: Context, organization: Organization, week: Week, transaction: ClientSession) {
  const parts = splitRange(organization, [week.fromMs, week.toMs]);
  const [total] = await sumRollups(ctx, organization, { parts, match: {}, columns: [] }, transaction);
  if (!total) return '';
  const { signals, errors, tokens_in, tokens_out, cost_nusd } = total.sums;
  return [signals, errors, tokens_in, tokens_out, cost_nusd].join();
}
