import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { createWebhook } from '../../../../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import type { WebhookInput } from '../../../../../shared/core/events/webhooks/endpoints/view.ts';
import { createBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetAlertRows } from '../../../../../shared/core/limits/budgets/rules/fired.ts';
import type { BudgetInput } from '../../../../../shared/core/limits/budgets/rules/input.ts';
import { addMember } from '../../../../../shared/people/members.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import {
  createTestClock,
  openTestContext,
  type TestClock,
  type TestContext,
} from '../../../../support/harness.ts';
import { standingStillAfter } from '../../../../support/interleave.ts';
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
  const record = (cost_usd: number, fields: object = {}, count = 1) => {
    const spent = { user_id: 'tom', tool_name: 'run_tests', cost_usd: cost_usd / count, ...fields };
    const signals = Array.from({ length: count }, () => makeSignal({ ts: clock.now(), ...spent }));
    return recordSignals(ctx, senderOf(orgId), signals);
  };
  const spend = async (cost_usd: number, count = 1) => {
    await record(cost_usd, {}, count);
    await Promise.all([evaluateDue(ctx, orgId), evaluateDue(other, orgId)]);
    await attemptAllDue(ctx);
  };
  return {
    orgId,
    budget,
    spend,
    record,
    messages: () => slack.received.map(({ body }) => JSON.parse(body.toString())),
    titles: () => slack.received.map(({ body }) => JSON.parse(body.toString()).blocks[0].text.text),
    events: () => json.received.map(({ event }) => event.type).toSorted(),
    close: () => Promise.all([slack.close(), json.close()]),
  };
}

async function nameOf(orgId: string): Promise<string> {
  return (await readOrganization(ctx, orgId)).name;
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

  test('gets the highest per cent that it asks for, also beyond the limit, and in quiet hours', async () => {
    const quiet_hours = { from: '10:00', to: '20:00', timezone: 'UTC' };
    const { spend, titles, close } = await story({ ...ALL, alert_at: [50, 150], quiet_hours });
    await spend(64);
    await spend(1);
    expect(titles()).toEqual(['Budget “Day” is exceeded: it has reached 150 %']);
    await close();
  });

  test('that asks for per cents alone gets the highest of them', async () => {
    const { spend, titles, events, close } = await story({ alert_at: [50, 90, 120] });
    await spend(6);
    await spend(4);
    expect(titles()).toEqual(['Budget “Day” has reached 50 %', 'Budget “Day” has reached 90 %']);
    expect(events()).toEqual(['budget.threshold', 'budget.threshold']);
    await close();
  });

  test('gets one message about a budget that is made beyond its threshold', async () => {
    const { orgId, spend, titles, close } = await story();
    await spend(1);
    await createBudget(ctx, orgId, { ...base, name: 'Late', threshold: 0.5 });
    await Promise.all([evaluateDue(ctx, orgId), evaluateDue(other, orgId)]);
    await attemptAllDue(ctx);
    expect(titles()).toEqual(['Budget “Late” is exceeded']);
    await close();
  });

  test.each([1, 2])(
    'gets one message after a worker that died at its read %i of sent alerts',
    async (time) => {
      const { orgId, record, titles, events, close } = await story();
      await record(64);
      const killed = () => Promise.reject(new Error('killed'));
      const dies = evaluateDue(standingStillAfter(ctx, budgetAlertRows, killed, time), orgId);
      await expect(dies).rejects.toThrow('killed');
      await evaluateDue(other, orgId);
      await attemptAllDue(ctx);
      expect(titles()).toEqual(['Budget “Day” is exceeded']);
      expect(events()).toHaveLength(5);
      await close();
    },
  );

  test('reads of the person where no session stands out, and of nobody where no one does', async () => {
    const { record, orgId, messages, close } = await story({ events: ['budget.warning', 'budget.exceeded'] });
    for (const project_id of ['api', 'web', 'cli']) await record(2, { project_id });
    await record(2, { user_id: 'ada' });
    await evaluateDue(ctx, orgId);
    await record(5, { user_id: 'ada', project_id: 'api' });
    await record(5, { user_id: 'bob' });
    await evaluateDue(ctx, orgId);
    await attemptAllDue(ctx);
    const facts = messages().map(({ blocks }) =>
      blocks[1].fields.map(({ text }: { text: string }) => text.replace('\n', ': ')),
    );
    expect(facts).toEqual([
      [
        'Used: $8.00 of $10.00 today (80 %)',
        'On track: $16.00 by 19 Nov, 00:00 UTC',
        'Cause: 75 % by Tomás',
        `Organization: ${await nameOf(orgId)}`,
      ],
      ['Used: $18.00 of $10.00 today (180 %)', `Organization: ${await nameOf(orgId)}`],
    ]);
    await close();
  });
});
