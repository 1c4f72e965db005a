import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { createWebhook } from '../../../../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import type { WebhookInput } from '../../../../../shared/core/events/webhooks/endpoints/view.ts';
import { createBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import type { BudgetInput } from '../../../../../shared/core/limits/budgets/rules/input.ts';
import { addMember } from '../../../../../shared/people/members.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import {
  createTestClock,
  openTestContext,
  type TestClock,
  type TestContext,
} from '../../../../support/harness.ts';
import { startReceiver } from '../../../../support/receiver.ts';
import { attemptAllDue, SECRET } from '../../../../support/webhooks.ts';

const NOON = Date.UTC(2026, 10, 18, 12);
const ALL: Partial<WebhookInput> = {
  events: ['budget.warning', 'budget.exceeded'],
  alert_at: [50, 90],
  forecast: true,
};
let ctx: TestContext;
let other: TestContext;
let clock: TestClock;
beforeAll(async () => {
  clock = createTestClock(NOON);
  ctx = await openTestContext({ clock });
  other = await openTestContext({ clock, sharing: ctx });
});
afterAll(async () => {
  await other.close();
  await ctx.close();
});

const base: BudgetInput = {
  name: 'Day',
  scope: 'org',
  metric: 'cost_usd',
  threshold: 10,
  window: 'daily',
  timezone: 'UTC',
};

/** A tenant with a Slack channel and a JSON webhook that ask for the same. */
async function story(settings = ALL) {
  clock.set(NOON);
  const [slack, json] = [await startReceiver(), await startReceiver()];
  const { orgId } = await makeTenant(ctx);
  await addMember(ctx, {
    org_id: orgId,
    user_id: 'tom',
    name: 'Tomás',
    email: 'tom@e.org',
    role: 'member',
    teams: [],
  });
  const budget = await createBudget(ctx, orgId, base);
  await createWebhook(ctx, orgId, { events: [], ...settings, format: 'slack', url: slack.url });
  await createWebhook(ctx, orgId, { events: [], ...settings, url: json.url, secret: SECRET });
  const spend = async (cost_usd: number, count = 1, tool_name = 'run_tests') => {
    const signals = Array.from({ length: count }, () =>
      makeSignal({ ts: clock.now(), user_id: 'tom', cost_usd: cost_usd / count, tool_name }),
    );
    await recordSignals(ctx, senderOf(orgId), signals);
    await Promise.all([evaluateDue(ctx, orgId), evaluateDue(other, orgId)]);
    await attemptAllDue(ctx);
  };
  return {
    orgId,
    budget,
    spend,
    messages: () => slack.received.map(({ body }) => JSON.parse(body.toString())),
    titles: () => slack.received.map(({ body }) => JSON.parse(body.toString()).blocks[0].text.text),
    events: () => json.received.map(({ event }) => event.type).toSorted(),
    close: () => Promise.all([slack.close(), json.close()]),
  };
}

describe('a channel', () => {
  test('gets one message of an evaluation that crosses several levels, the highest; JSON gets them all', async () => {
    const { spend, messages, events, budget, close } = await story();
    await spend(64.8223, 90);
    expect(events()).toEqual([
      'budget.exceeded',
      'budget.forecast',
      'budget.threshold',
      'budget.threshold',
      'budget.warning',
    ]);
    expect(messages()).toHaveLength(1);
    const [{ text, blocks }] = messages();
    expect(text).toBe('Budget “Day” is exceeded: $64.82 of $10.00 today (648.2 %)');
    const fields = blocks[1].fields.map((field: { text: string }) => field.text);
    expect(fields).toContain('Cause\n100 % by one session of Tomás: 90 calls of run_tests');
    expect(blocks[2].text.text).toMatch(
      new RegExp(`^<http://[^|]+/dashboard/budgets/${budget._id}\\|Open the budget>$`),
    );
    await close();
  });

  test('gets one message per change of state, and no forecast of a budget that is exceeded', async () => {
    const { spend, titles, close } = await story();
    await spend(4);
    await spend(1);
    await spend(1);
    await spend(2.5);
    await spend(0.5);
    await spend(2);
    await spend(3);
    expect(titles()).toEqual([
      'Budget “Day” has reached 50 %',
      'Budget “Day” will be exceeded at this pace',
      'Budget “Day” has reached 80 %',
      'Budget “Day” has reached 90 %',
      'Budget “Day” is exceeded',
    ]);
    await close();
  });
});
