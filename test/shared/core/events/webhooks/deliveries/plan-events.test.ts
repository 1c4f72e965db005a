import { expect, it } from 'vitest';
import { endIfSilent } from '../../../../../../shared/core/calls/ingest/end-session.ts';
import { sessionRows } from '../../../../../../shared/core/calls/sessions/model.ts';
import { evaluateDue } from '../../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetFiringRows } from '../../../../../../shared/core/limits/budgets/rules/fired.ts';
import { createBatcher } from '../../../../../../shared/platform/context/batcher.ts';
import { checkSession } from '../../../../../../shared/wings/anomalies/check-session.ts';
import { anomalyRows } from '../../../../../../shared/wings/anomalies/model.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import type { TestContext } from '../../../../../support/harness.ts';
import { readEvents } from '../../../../../support/webhooks.ts';

const { ctx, clock, orgId, record, budget } = await storesFixture({ clock: true });

/** Six processes do this at once, as far as batches go. */
const all = <Result>(run: (by: TestContext) => Promise<Result>) =>
  Promise.all(Array.from({ length: 6 }, () => run({ ...ctx, batcher: createBatcher() })));

it('without a webhook a level, an anomaly and the end of a session each happen once, however many find them', async () => {
  await budget({ metric: 'signals', window: 'monthly', threshold: 1 });
  await record({ ts: clock.now(), tokens_in: 3_000_000 });
  const [session] = await sessionRows(ctx).find({ org_id: orgId }).toArray();
  const fired = await all(() => evaluateDue(ctx, orgId));
  expect(fired.reduce((sum, count) => sum + count)).toBe(2);
  expect(await budgetFiringRows(ctx).countDocuments({ org_id: orgId })).toBe(2);
  await all(() => checkSession(ctx, session?._id ?? ''));
  expect(await anomalyRows(ctx).find({ org_id: orgId }).toArray()).toMatchObject([{ reports: 1 }]);
  clock.advance(1_800_001);
  const ended = await all((by) => endIfSilent(by, session?.key ?? ''));
  expect(ended.filter((result) => 'ended' in result && result.ended)).toHaveLength(1);
  expect(await readEvents(ctx, orgId)).toEqual([]);
});
