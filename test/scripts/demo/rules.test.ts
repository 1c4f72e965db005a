import { expect, test } from 'vitest';
import { addDemoRules } from '../../../scripts/demo/rules.ts';
import { makeTenant } from '../../support/factories.ts';
import { fixture } from '../../support/fixture.ts';
import { recordAll } from '../../support/usage.ts';

const { api } = await fixture();

test('shows a budget that warns, an exceeded one, a hard one, and two webhooks, made once', async () => {
  const { orgId, key } = await makeTenant(api.ctx);
  const now = api.ctx.clock.now();
  await recordAll(api.ctx, orgId, [
    { ts: now, user_id: 'tomas', project_id: 'gateway', cost_usd: 70 },
    { ts: now, user_id: 'grace', project_id: 'infra', cost_usd: 55 },
  ]);
  const target = { api: api.url, apiKey: key, signal: AbortSignal.timeout(30_000) };
  await addDemoRules(target, 'tomas');
  await addDemoRules(target, 'tomas');
  const budgets = await api.call('/api/v1/budgets', { key });
  const shown = budgets.body.data.map(({ name, state, enforce, threshold }: Record<string, unknown>) => [
    name,
    state,
    enforce,
    threshold,
  ]);
  expect(shown.toSorted()).toEqual([
    ['All of Acme', 'warning', 'none', 140],
    ['Project gateway', 'exceeded', 'none', 61],
    ['Tomás, at most', 'ok', 'hard', 120],
  ]);
  const webhooks = await api.call('/api/v1/webhooks', { key });
  expect(webhooks.body.data.map(({ enabled }: { enabled: boolean }) => enabled).toSorted()).toEqual([
    false,
    true,
  ]);
});
