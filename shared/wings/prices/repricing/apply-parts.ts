import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession } from 'mongoose';
import { planRecount } from '../../../core/calls/ingest/plan-recount.ts';
import { RULED_FIELDS, type SignalPrice } from '../../../core/calls/ingest/price-signal.ts';
import { countSignal } from '../../../core/calls/sessions/assign.ts';
import { type Session, type SessionChange, sessionRows } from '../../../core/calls/sessions/model.ts';
import { type Signal, signalRows } from '../../../core/calls/signals/model.ts';
import { commitByRules, type Rules } from '../../../core/limits/budgets/rules/rules.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { type Decision, joinPlans } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { clearDue } from '../../../platform/due/plan-due.ts';
import { thirdShard } from '../../../platform/mongo/counter-shards.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { deleteRows, updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { applyRepricingJob } from './jobs.ts';
import { partId, type Repricing, repricingPartRows, repricingRows } from './model.ts';
import { isSamePrice, priceOf, type RepricedSignal, unpackPart } from './pack-part.ts';

/** The pause between two transactions, in which others have their turn. Milliseconds. */
const PAUSE_MS = 15;
/** The transactions of one run; then the job goes to the end of the queue. */
const PARTS_PER_RUN = 20;

/** Gives the calls of a repricing their new prices, one part per transaction. A worker that dies is followed by one that goes on. */
export async function applyRepricing(ctx: Context, id: string): Promise<{ notBeforeMs: number } | undefined> {
  const row = await repricingRows(ctx).findOne({ _id: id });
  if (row === null) throw new Error(`repricing ${id} is due and not there`);
  for (let part = 0; part < PARTS_PER_RUN; part += 1) {
    if (await applyPart(ctx, row)) return undefined;
    await sleep(PAUSE_MS);
  }
  return { notBeforeMs: ctx.clock.now() };
}

/** Applies the next part, in one transaction with the progress. Returns true when there was none left. */
async function applyPart(ctx: Context, { _id, org_id }: Pick<Repricing, '_id' | 'org_id'>): Promise<boolean> {
  return commitByRules(ctx, org_id, { shardOf: thirdShard }, async ({ rules, shard }, transaction) => {
    const row = await repricingRows(ctx).findOne({ _id, org_id }, { session: transaction });
    if (row?.state !== 'applying') return { result: true };
    if (row.parts_done === row.parts) return endApplying(ctx, row);
    const key = partId(row.parts_set, 'changing', row.parts_done);
    const part = await repricingPartRows(ctx).findOne({ _id: key }, { session: transaction });
    if (part === null) throw new Error(`part ${key} of a repricing is not there`);
    const signals = unpackPart(part.packed);
    const { applied, plan } = await planPart(ctx, rules, signals, shard, transaction);
    const skipped = signals.length - applied;
    const writes = [
      deleteRows(repricingPartRows, { _id: key }),
      updateRow(repricingRows, { _id, org_id }, { $inc: { parts_done: 1, applied, skipped } }),
    ];
    return { ...joinPlans({ writes }, plan), result: false };
  });
}

function endApplying(ctx: Context, { _id, org_id }: Repricing): Decision<boolean> {
  const applied_at = dateAt(ctx.clock.now());
  const ended = updateRow(repricingRows, { _id, org_id }, { $set: { state: 'applied', applied_at } });
  return { writes: [ended, clearDue(applyRepricingJob, _id)], result: true };
}

/** Plans that signals have their new prices, but those that are no longer as they were in the preview: they were voided meanwhile. */
async function planPart(
  ctx: Context,
  rules: Rules,
  repriced: readonly RepricedSignal[],
  shard: number,
  transaction: ClientSession,
) {
  const org_id = rules.organization._id;
  const ids = repriced.map(({ id }) => id);
  const stored = new Map((await findByIds(signalRows(ctx), ids, transaction)).map((row) => [row._id, row]));
  const before: Signal[] = [];
  const after: Signal[] = [];
  const prices: Write[] = [];
  for (const { id, before: had, after: price } of repriced) {
    const signal = stored.get(id);
    if (!signal || signal.voided || price === null || !isSamePrice(had, priceOf(signal))) continue;
    before.push(signal);
    after.push(withPrice(signal, price));
    prices.push(updateRow(signalRows, { _id: id, org_id }, changeTo(price)));
  }
  const sessions = await changedSessions(ctx, { before, after }, transaction);
  const recounted = { before, after, sessions, sessionSinceMs: ctx.clock.now() };
  const recount = await planRecount(ctx, rules, recounted, shard, transaction);
  return { applied: after.length, plan: joinPlans({ writes: prices }, recount) };
}

function withPrice(signal: Signal, price: SignalPrice): Signal {
  const { price_rule: _rule, list_nusd: _list, reported_nusd: _reported, ...call } = signal;
  return { ...call, ...price };
}

/** The update that puts a price in the place of another one. */
function changeTo(price: SignalPrice) {
  const gone = RULED_FIELDS.filter((field) => price[field] === undefined);
  const unset: Partial<Record<(typeof RULED_FIELDS)[number], true>> = Object.fromEntries(
    gone.map((field) => [field, true]),
  );
  return { $set: price, ...(gone.length === 0 ? {} : { $unset: unset }) };
}

interface Counted {
  before: readonly Signal[];
  after: readonly Signal[];
}

/** The sessions of signals, with the costs that they have from now on. */
async function changedSessions(
  ctx: Context,
  { before, after }: Counted,
  transaction: ClientSession,
): Promise<SessionChange[]> {
  const ids = [...new Set(before.map(({ session_id }) => session_id))];
  const changes = new Map<string, SessionChange & { before: Session }>();
  for (const session of await findByIds(sessionRows(ctx), ids, transaction))
    changes.set(session._id, { before: session, after: { ...session } });
  for (const [signals, sign] of [
    [before, -1],
    [after, 1],
  ] as const)
    for (const signal of signals) {
      const change = changes.get(signal.session_id);
      if (!change) throw new Error(`the session of signal ${signal._id} is not there`);
      countSignal(change.after, signal, sign);
    }
  return [...changes.values()];
}
