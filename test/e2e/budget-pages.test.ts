import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import type { BudgetView } from '../../shared/core/limits/budgets/rules/view.ts';
import { until } from '../support/harness.ts';
import { expectGood, expectGoodInViews } from '../support/page-checks.ts';
import { type Dashboard, withDashboard } from '../support/with-dashboard.ts';

const PHONE = { width: 390, height: 844 };
const SCREEN = { width: 1280, height: 900 };
const HARD = { name: 'Everybody', threshold: 5, enforce: 'hard' };

let page: Page;
const begun = withDashboard(async ({ stack, open }) => {
  await stack.report(
    { user_id: 'ada', cost_usd: 6, model: 'claude-sonnet-4-5', provider: 'anthropic' },
    { user_id: 'tom', cost_usd: 1.25, adapter: 'codex' },
  );
  page = await open('/budgets');
});

/** The form of a budget, as an admin fills it in. */
describe('the form of a budget', () => {
  const { visit, ask, budget } = begun;
  let form: Locator;

  beforeEach(async () => {
    await page.setViewportSize(SCREEN);
    await visit(page, '/budgets');
    await begin('Ours');
  });

  const begin = async (name: string) => {
    await page.getByRole('button', { name: 'Create a budget' }).first().click();
    form = page.getByRole('dialog', { name: 'Create a budget' });
    await at('Name').fill(name);
  };
  const at = (label: string) => form.getByLabel(new RegExp(`^${label}`));
  const choose = async (...choices: Readonly<Record<string, string>>[]) => {
    for (const [label, value] of choices.flatMap(Object.entries))
      await ((await at(label).locator('option').count()) > 0
        ? at(label).selectOption(value)
        : at(label).fill(value));
  };
  const create = async (): Promise<BudgetView> => {
    await form.getByRole('button', { name: /^Create/ }).click();
    await form.waitFor({ state: 'detached' });
    return (await ask('/api/v1/budgets')).data[0];
  };

  test.each([
    [
      'quarters of a fiscal year',
      [{ Window: 'quarterly', 'Fiscal year begins in': 'February' }],
      { window: 'quarterly', fiscal_start_month: 2 },
    ],
    [
      'rolling days',
      [{ Window: 'rolling', 'Days, today included': '14' }],
      { window: 'rolling', rolling_days: 14 },
    ],
    [
      'a time without end',
      [{ Window: 'total', From: '2026-01-01' }],
      { window: 'total', starts_on: '2026-01-01', window_end: null },
    ],
    [
      'a month, after other windows were chosen',
      [{ Window: 'rolling' }, { Window: 'total', From: '2026-01-01' }, { Window: 'monthly' }],
      { window: 'monthly' },
    ],
  ])('makes a budget of %s', async (_, choices, expected) => {
    await choose(...choices);
    const others = { fiscal_start_month: null, rolling_days: null, starts_on: null };
    expect(await create()).toMatchObject({ ...others, ...expected });
  });

  test('makes a budget of one project', async () => {
    await choose({ 'Whose usage': 'project' }, { Project: 'web' });
    expect(await create()).toMatchObject({ scope: 'project', scope_id: 'web' });
  });

  test('says before it is made that it stops work, by the usage of the calls that it counts', async () => {
    await choose({ Threshold: '5' });
    expect(await form.getByText('Agents stop only where they ask').count()).toBe(0);
    await choose({ 'At the threshold': 'hard' });
    await form.getByText('This stops work now: $7.25 of $5.00 are used this month.').waitFor();
    const where = 'Agents stop only where they ask: by hooks on each machine, or at a gateway.';
    await form.getByText(where).waitFor();
    await form.getByText('Nobody asked in the last 7 days.').waitFor();
    for (const size of [SCREEN, PHONE]) {
      await page.setViewportSize(size);
      await form.getByRole('button', { name: 'Create and stop work now' }).scrollIntoViewIfNeeded();
      await expectGood(page, `form-stops-${size.width}`);
    }

    await choose({ 'Which calls': 'some' });
    await form.getByText('Name at least one model, provider or tool').waitFor();
    expect(await form.getByRole('button', { name: /^Create/ }).isDisabled()).toBe(true);
    await at('Tools').click();
    await page.getByRole('option', { name: 'codex' }).click();
    await form.getByText('This stops nothing now: $1.25 of $5.00 are used this month.').waitFor();
    await at('Models').fill('GPT-*');
    await at('Models').press('Enter');
    await at('Models').press('Escape');
    await expectGood(page, 'form-filter-390');
    await form.getByRole('button', { name: 'Create', exact: true }).waitFor();
    expect(await create()).toMatchObject({
      enforce: 'hard',
      filter: { models: ['gpt-*'], adapters: ['codex'] },
      current: 1.25,
      refuses_now: false,
    });
  });

  test('offers no rolling window for a budget of each person, and leaves one that was chosen', async () => {
    await choose({ Window: 'rolling', Counted: 'user' });
    expect(await at('Window').inputValue()).toBe('monthly');
    expect(await at('Window').locator('option').allInnerTexts()).not.toContain('rolling days');
    expect(await create()).toMatchObject({ per: 'user', window: 'monthly', rolling_days: null });
  });

  test('lets a hard budget of cost refuse calls without a price, and no other budget', async () => {
    expect(await at('Calls without a price').count()).toBe(0);
    await choose({ Threshold: '100', 'At the threshold': 'hard' });
    await form.getByText('A call of a model without a price counts as nothing here.').waitFor();
    await choose({ 'Calls without a price': 'refuse' });
    await choose({ What: 'tokens_out' });
    expect(await at('Calls without a price').count()).toBe(0);
    await choose({ What: 'cost_usd' });
    expect(await create()).toMatchObject({ enforce: 'hard', unpriced: 'refuse' });
    await begin('Tokens');
    await choose({ 'At the threshold': 'hard', 'Calls without a price': 'refuse', What: 'tokens_out' });
    expect(await create()).toMatchObject({ enforce: 'hard', metric: 'tokens_out', unpriced: null });
  });

  test('changes the filter of a budget, and says that it would stop work', async () => {
    const id = await budget({ ...HARD, threshold: 6.5, filter: { providers: ['anthropic'] } });
    await visit(page, `/budgets/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    form = page.getByRole('dialog');
    await form.getByText('This stops nothing now: $6.00 of $6.50 are used this month.').waitFor();
    await choose({ 'Which calls': 'all' });
    await form.getByText('This stops work now: $7.25 of $6.50 are used this month.').waitFor();
    await form.getByRole('button', { name: 'Save and stop work now' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await ask(`/api/v1/budgets/${id}`)).toMatchObject({ filter: null, refuses_now: true });
  });
});

/** A budget for each person, from its form to the limit of one of them. */
describe('a template on the dashboard', () => {
  const { open, ask } = withDashboard(
    ({ stack }) =>
      stack.report(
        { user_id: 'ada', cost_usd: 6 },
        { user_id: 'tom', cost_usd: 4.5 },
        { user_id: 'eve', cost_usd: 1 },
      ),
    { beside: begun },
  );

  test('is made by its form, asks before it stops people, is one card, and lets one person have more', async () => {
    const page = await open('/budgets');
    await page.getByRole('button', { name: 'Create a budget' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create a budget' });
    await form.getByLabel('Name').fill('Each, per month');
    await form.getByLabel('Counted').selectOption('user');
    await form.getByRole('textbox', { name: 'Threshold' }).fill('5');
    await form.getByLabel('At the threshold').selectOption('hard');
    const stops = 'This stops the work of one person now: the furthest has used $6.00 of $5.00 this month.';
    await form.getByText(stops).waitFor();
    await form.getByRole('button', { name: 'Create and stop work now' }).click();
    await page.getByText('Each of 3 people: 1 stopped, 1 near, furthest ada, 120 %').waitFor();
    await page.getByText('calls of people beyond it are refused until').waitFor();

    await page.getByRole('link', { name: 'Each, per month' }).click();
    const people = page.getByRole('table', { name: 'People' });
    const ada = people.getByRole('row', { name: /^ada/ });
    await ada.getByText('stopped').waitFor();
    await ada.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'The limit of one person' });
    await dialog.getByLabel('Limit').selectOption('own');
    await dialog.getByLabel('Threshold').fill('20');
    await expectGood(page, 'template-exception');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await ada.getByText('$20.00').waitFor();
    expect((await ask('/api/v1/budgets/check', { user_id: 'ada', estimate_usd: 14 })).allow).toBe(true);

    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog');
    await edit.getByText('This stops nobody now: the furthest has used $4.50 of $5.00 this month.').waitFor();
    await edit.getByRole('button', { name: 'Cancel' }).click();
    await edit.waitFor({ state: 'detached' });

    await page.getByLabel('Find a person').fill('nobody');
    await page.getByText('Nobody who has used it in this window fits.').waitFor();
    await page.getByLabel('Find a person').fill('eve');
    await people.getByRole('row', { name: /^eve/ }).waitFor();
    await ada.waitFor({ state: 'detached' });
  });
});

/** A raise as people ask for it and answer it, at a screen of 390 pixels and by the keyboard. */
describe('a raise on the dashboard', () => {
  let everybody: string;
  const { open, visit, ask, budget } = withDashboard(
    async ({ stack, budget }) => {
      everybody = await budget(HARD);
      await stack.report({ user_id: 'tom', cost_usd: 6 });
    },
    { beside: begun },
  );
  const statusOfLast = (page: Page) => page.getByRole('status', { name: 'What you asked for last' });
  const approved = (page: Page) => page.getByText('approved', { exact: true }).first();

  test('is asked for by a member, answered by an admin, and decides', async () => {
    const tom = await open(`/raise?budget=${everybody}`, 'Tom', { viewport: PHONE });
    const amount = tom.getByLabel('How much more');
    await amount.fill('20');
    await tom.getByLabel('For how long').selectOption('1 hour');
    await amount.focus();
    await tom.keyboard.press('Tab');
    await tom.keyboard.press('Tab');
    await tom.keyboard.type('The migration takes longer.');
    await tom.keyboard.press('Enter');
    await statusOfLast(tom).getByText('pending').waitFor();
    await expectGood(tom, 'asked');

    const grace = await open('/devices');
    await grace.getByRole('button', { name: 'and 1 more' }).press('Enter');
    const banner = grace.locator('[data-banner^=raise][data-severity=warning]');
    await banner.getByRole('link', { name: 'A request for more waits' }).focus();
    expect(await tom.locator('[data-banner^=raise]').count(), 'a member answers nothing').toBe(0);
    await grace.keyboard.press('Enter');
    await grace.getByText('The migration takes longer.').waitFor();
    await grace.getByText(/the threshold is \$25\.00 for everybody/).waitFor();
    const times = await grace.getByLabel('For how long').getByRole('option').allTextContents();
    expect(times.toSorted(), 'none is longer than was asked for').toEqual(['15 minutes', 'As asked for']);
    await grace.getByRole('button', { name: 'Approve' }).press('Enter');
    await approved(grace).waitFor();

    await statusOfLast(tom).getByText('approved', { exact: true }).waitFor();
    await until(async () => (await ask('/api/v1/budgets/check', {})).allow);
    await visit(grace, '/budgets');
    await grace.getByText(/raised until/).waitFor();
    expect(await grace.getByText('Stopped').count()).toBe(0);
  });

  test('of a template says that it is for the person alone', async () => {
    const each = await budget({ name: 'Each', per: 'user', threshold: 4 });
    const tom = await open(`/raise?budget=${each}`, 'Tom', { viewport: PHONE });
    await tom.getByText('$6.00 of $4.00 are used. More of it counts for you alone.').waitFor();
    await tom.getByLabel('How much more').fill('8');
    await tom.getByRole('button', { name: 'Ask', exact: true }).click();
    await statusOfLast(tom).getByText('pending').waitFor();

    const grace = await open('/raises');
    await approved(grace).waitFor();
    await grace.getByRole('row').filter({ hasText: 'Each' }).getByRole('link').first().click();
    await grace.getByText(/\$6\.00 of \$4\.00 are used now/).waitFor();
    await grace.getByText(/the threshold is \$12\.00 for Tom Herrera alone \(50 % used\)/).waitFor();
    await grace.getByRole('button', { name: 'Approve' }).click();
    await approved(grace).waitFor();
    await visit(grace, `/budgets/${each}`);
    await grace.getByRole('meter', { name: 'Tom Herrera: 50 % used, $8.00 raised' }).waitFor();
    await grace.getByRole('rowheader', { name: /\$8\.00 raised until/ }).waitFor();
    await expectGoodInViews(grace, 'people-raised');
    await visit(tom, '/?user_id=tom');
    // Among all budgets, and in the card of the person.
    await tom.getByRole('meter', { name: 'Each: 50 % used' }).nth(1).waitFor();
  });
});

/** Refused calls as the members and admins of an organization see them. */
describe('a refused call on the dashboard', () => {
  const check = async ({ ask }: Pick<Dashboard, 'ask'>, user_id: string) => {
    const asked = { user_id, adapter: 'claude-code', estimate_usd: 0.25, client_session_id: `s-${user_id}` };
    return ask('/api/v1/budgets/check', asked);
  };
  const { open, visit, ask } = withDashboard(
    async (own) => {
      await own.budget(HARD);
      await own.stack.report({ user_id: 'tom', cost_usd: 6, metadata: { client_session_id: 's-tom' } });
      await until(async () => !(await check(own, 'tom')).allow);
      for (const user of ['tom', 'tom', 'tom', 'grace']) await check(own, user);
    },
    { beside: begun },
  );
  const REFUSES = /A budget of your organization refuses your calls until 1 \w{3}(?: \d{4})?, 00:00 \S+/;

  test('is explained to the member', async () => {
    const tom = await open('/budgets', 'Tom');
    const notice = tom.locator('bdi').getByText(REFUSES);
    await notice.waitFor();
    const banner = tom.locator('[data-banner^=refusal][data-severity=stop]');
    await banner.getByText(REFUSES).waitFor();
    expect(await tom.getByText('Everybody').count(), 'a member does not see its name').toBe(0);
    await banner.getByRole('link', { name: 'Ask for more' }).press('Enter');
    await tom.getByLabel('How much more').waitFor();
    await notice.waitFor();
    const [session] = (await ask('/api/v1/sessions?user_id=tom')).data;
    await visit(tom, `/sessions/${session.id}`);
    await tom.getByText(/calls refused by a budget of your organization/).waitFor();
    await expectGoodInViews(tom, 'refused-session');
  });

  test('is explained by a browser without Temporal too', async () => {
    const page = await open('/devices', 'Tom');
    await page.addInitScript({ content: 'delete globalThis.Temporal' });
    await visit(page, '/?user_id=tom');
    await page.getByRole('heading', { name: 'Your refused calls' }).waitFor();
    await expectGoodInViews(page, 'refused-person');
    expect(await page.evaluate('"Temporal" in globalThis')).toBe(false);
  });
});
