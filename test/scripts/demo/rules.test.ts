import { expect, test } from 'vitest';
import { addDemoRules } from '../../../scripts/demo/rules.ts';
import { fixture } from '../../support/fixture.ts';

const { api, ctx, key, record, ask } = await fixture();

test('shows a budget that warns, an exceeded one, a hard one, and two webhooks, made once', async () => {
  const ts = ctx.clock.now();
  await record(
    { ts, user_id: 'tomas', project_id: 'gateway', cost_usd: 70 },
    { ts, user_id: 'grace', project_id: 'infra', cost_usd: 55 },
  );
  const target = { api: api.url, apiKey: key, signal: AbortSignal.timeout(30_000) };
  await addDemoRules(target, 'tomas');
  await addDemoRules(target, 'tomas');
  const budgets = await ask('/api/v1/budgets');
  const shown = budgets.data.map((of: Record<string, unknown>) =>
    ['name', 'state', 'enforce', 'threshold'].map((field) => of[field]),
  );
  expect(shown.toSorted()).toEqual([
    ['All of Acme', 'warning', 'none', 140],
    ['Project gateway', 'exceeded', 'none', 61],
    ['Tomás, at most', 'ok', 'hard', 120],
  ]);
  const webhooks = await ask('/api/v1/webhooks');
  const enabled = webhooks.data.map((webhook: { enabled: boolean }) => webhook.enabled);
  expect(enabled.toSorted()).toEqual([false, true]);
});
