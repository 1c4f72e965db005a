import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { type Rollup, rollupRows } from '../../shared/core/calls/usage/model.ts';
import { rollupKey } from '../../shared/core/calls/usage/plan-rollups.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { makeSignal, senderOf } from './factories.ts';

/** Records signals by the product's own write path; throws when one is not accepted. */
export async function recordAll(
  ctx: Context,
  orgId: string,
  signals: readonly (Record<string, unknown> & { ts: string | number })[],
): Promise<void> {
  for (let from = 0; from < signals.length; from += 1_000) {
    const results = await recordSignals(
      ctx,
      senderOf(orgId),
      signals.slice(from, from + 1_000).map(makeSignal),
    );
    const refused = results.find((result) => result.status !== 'accepted');
    if (refused) throw new Error(`Not accepted: ${JSON.stringify(refused)}`);
  }
}

/** Records so many signals that are alike: of `ada`, and now, unless these fields say otherwise. */
export function use(ctx: Context, orgId: string, count: number, fields: object = {}): Promise<void> {
  const signal = { ts: ctx.clock.now(), ...fields };
  return recordAll(
    ctx,
    orgId,
    Array.from({ length: count }, () => signal),
  );
}

const DAY_MS = 86_400_000;

/** Rollups of the UTC day that holds a time, each of a user with a long name, all in one project or each in its own. */
export async function seedRollupDay(
  ctx: Context,
  orgId: string,
  atMs: number,
  rows: number,
  { nameLength = 2_500, project }: { nameLength?: number; project?: 'own' } = {},
): Promise<void> {
  const start = Math.floor(atMs / DAY_MS) * DAY_MS;
  await rollupRows(ctx).insertMany(
    Array.from({ length: rows }, (_, index): Rollup => {
      const user_id = `user-${index}-${'x'.repeat(nameLength)}`;
      const of = { user_id, project_id: project === 'own' ? user_id : 'p', model: 'm', adapter: 'a' };
      const counts = { sessions: 1, signals: 3, errors: 0, interventions: 0, tokens_in: 5, tokens_out: 5 };
      const rest = { cache_read_tokens: 0, cache_write_tokens: 0, cost_nusd: 1_000, unpriced_signals: 0 };
      return {
        _id: rollupKey(orgId, 'day', start, of),
        org_id: orgId,
        period: 'day',
        start: new Date(start),
        ...of,
        ...counts,
        ...rest,
      };
    }),
  );
}
