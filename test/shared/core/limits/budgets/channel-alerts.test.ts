import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import type { WebhookInput } from '../../../../../shared/core/events/webhooks/endpoints/view.ts';
import { evaluateDue } from '../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { budgetAlertRows } from '../../../../../shared/core/limits/budgets/rules/fired.ts';
import type { Budget } from '../../../../../shared/core/limits/budgets/rules/model.ts';
import { processBeside, storesFixture } from '../../../../support/fixture.ts';
import { standingStillAfter } from '../../../../support/interleave.ts';
import { type Receiver, startReceiver } from '../../../../support/receiver.ts';
import { use } from '../../../../support/usage.ts';
import { attemptAllDue, subscribe } from '../../../../support/webhooks.ts';

const NOON = Date.UTC(2026, 10, 18, 12);
const own = await storesFixture({ clock: NOON, receiver: true, perTest: true });
const { ctx, clock } = own;
const other = await processBeside(ctx);

let orgId: string;
let budget: Budget;
let slack: Receiver;
beforeEach(async () => {
  ({ orgId } = own);
  slack = await startReceiver();
  await own.member('tom', { name: 'Tomás' });
  budget = await own.budget({ name: 'Day' });
});
afterEach(() => slack.close());

const LEVELS: Partial<WebhookInput> = { events: ['budget.warning', 'budget.exceeded'] };

/** A Slack channel and a JSON webhook that ask for the same. */
async function ask(settings: Partial<WebhookInput> = { ...LEVELS, alert_at: [50, 90], forecast: true }) {
  await subscribe(ctx, orgId, { ...settings, format: 'slack', url: slack.url });
  await subscribe(ctx, orgId, { ...settings, url: own.receiver.url });
}

const record = (cost_usd: number, fields: object = {}, count = 1) =>
  use(ctx, orgId, count, { user_id: 'tom', tool_name: 'run_tests', cost_usd: cost_usd / count, ...fields });

/** Everybody evaluates, and what is due is sent. */
async function tell(): Promise<void> {
  await Promise.all([evaluateDue(ctx, orgId), evaluateDue(other, orgId)]);
  await attemptAllDue(ctx);
}

async function spend(...costs: number[]): Promise<void> {
  for (const cost of costs) {
    await record(cost);
    await tell();
  }
}

const messages = () => slack.received.map(({ body }) => JSON.parse(body.toString()));
const titles = () => messages().map(({ blocks }) => blocks[0].text.text);
const events = () => own.receiver.received.map(({ event }) => event.type).toSorted();

describe('a channel', () => {
  test('gets one message of an evaluation that crosses several levels, the highest; JSON gets them all', async () => {
    await ask();
    await record(64.8223, {}, 90);
    await tell();
    const thresholds = ['budget.threshold', 'budget.threshold'];
    expect(events()).toEqual(['budget.exceeded', 'budget.forecast', ...thresholds, 'budget.warning']);
    expect(messages()).toHaveLength(1);
    const [{ text, blocks }] = messages();
    expect(text).toBe('Budget “Day” is exceeded: $64.82 of $10.00 today (648.2 %)');
    const fields = blocks[1].fields.map((field: { text: string }) => field.text);
    expect(fields).toContain('Cause\n100 % by one session of Tomás: 90 calls of run_tests');
    expect(blocks[2].text.text).toMatch(
      new RegExp(`^<http://[^|]+/dashboard/budgets/${budget._id}\\|Open the budget>$`),
    );
  });

  test('reads as a cause only what the budget has counted', async () => {
    await own.budget({ name: 'Opus', filter: { models: ['opus'] } });
    await ask(LEVELS);
    // Most of the calls that the budget counts are in no session of Tomás alone.
    for (const project_id of ['one', 'two', 'three']) await record(3.4, { model: 'opus', project_id });
    await record(9, { user_id: 'eve', model: 'haiku' });
    await tell();
    const [opus] = messages().filter(({ text }) => text.includes('Opus'));
    const fields = opus.blocks[1].fields.map((field: { text: string }) => field.text);
    expect(fields).toContain('Cause\n100 % by Tomás');
  });

  test('gets one message per change of state, and no forecast of a budget that is exceeded', async () => {
    await ask();
    await spend(4, 1, 1, 2.5, 0.5, 2, 3);
    expect(titles()).toEqual([
      'Budget “Day” has reached 50 %',
      'Budget “Day” will be exceeded at this pace',
      'Budget “Day” has reached 80 %',
      'Budget “Day” has reached 90 %',
      'Budget “Day” is exceeded',
    ]);
  });

  test('gets the highest per cent that it asks for, also beyond the limit, and in quiet hours', async () => {
    const quiet_hours = { from: '10:00', to: '20:00', timezone: 'UTC' };
    await ask({ ...LEVELS, forecast: true, alert_at: [50, 150], quiet_hours });
    await spend(64, 1);
    expect(titles()).toEqual(['Budget “Day” is exceeded: it has reached 150 %']);
  });

  test('gets a per cent from 100 on at once, and a lower one after its quiet hours or in its digest', async () => {
    const quiet_hours = { from: '10:00', to: '20:00', timezone: 'UTC' };
    for (const waits of [{ quiet_hours }, { digest: 'daily' }, { digest: 'weekly' }] as const)
      for (const per_cent of [99, 100, 101])
        await subscribe(ctx, orgId, { ...waits, alert_at: [per_cent], format: 'slack', url: slack.url });
    await spend(10.1);
    const atOnce = [100, 101].flatMap((per_cent) =>
      Array(3).fill(`Budget “Day” is exceeded: it has reached ${per_cent} %`),
    );
    expect(titles().map(String).toSorted()).toEqual(atOnce);
    clock.set(NOON + 8 * 3_600_000);
    await attemptAllDue(ctx);
    expect(titles().slice(atOnce.length)).toEqual(['Budget “Day” has reached 99 %']);
  });

  test('that asks for per cents alone gets the highest of them', async () => {
    await ask({ alert_at: [50, 90, 120] });
    await spend(6, 4);
    expect(titles()).toEqual(['Budget “Day” has reached 50 %', 'Budget “Day” has reached 90 %']);
    expect(events()).toEqual(['budget.threshold', 'budget.threshold']);
  });

  test('gets one message about a budget that is made beyond its threshold', async () => {
    await ask();
    await spend(1);
    await own.budget({ name: 'Late', threshold: 0.5 });
    await tell();
    expect(titles()).toEqual(['Budget “Late” is exceeded']);
  });

  test.each([1, 2])(
    'gets one message after a worker that died at its read %i of sent alerts',
    async (time) => {
      await ask();
      await record(64);
      const killed = () => Promise.reject(new Error('killed'));
      const dies = evaluateDue(standingStillAfter(ctx, budgetAlertRows, killed, time), orgId);
      await expect(dies).rejects.toThrow('killed');
      await tell();
      expect(titles()).toEqual(['Budget “Day” is exceeded']);
      expect(events()).toHaveLength(5);
    },
  );

  test('reads of the person where no session stands out, and of nobody where no one does', async () => {
    await ask(LEVELS);
    for (const project_id of ['api', 'web', 'cli']) await record(2, { project_id });
    await record(2, { user_id: 'ada' });
    await evaluateDue(ctx, orgId);
    await record(5, { user_id: 'ada', project_id: 'api' });
    await record(5, { user_id: 'bob' });
    await tell();
    const facts = messages().map(({ blocks }) =>
      blocks[1].fields.map(({ text }: { text: string }) => text.replace('\n', ': ')),
    );
    const { name } = await readOrganization(ctx, orgId);
    expect(facts).toEqual([
      [
        'Used: $8.00 of $10.00 today (80 %)',
        'On track: $16.00 by 19 Nov, 00:00 UTC',
        'Cause: 75 % by Tomás',
        `Organization: ${name}`,
      ],
      ['Used: $18.00 of $10.00 today (180 %)', `Organization: ${name}`],
    ]);
  });
});
