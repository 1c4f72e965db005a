import type { Browser, Locator } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import type { BudgetView } from '../../shared/core/limits/budgets/rules/view.ts';
import { openAs, type WatchedPage } from '../support/browser.ts';
import type { DashboardStack } from '../support/dashboard-stack.ts';
import { call } from '../support/harness.ts';
import { expectGood } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

/** The form of a budget, as an admin fills it in. */
describe('the form of a budget', () => {
  let stack: DashboardStack;
  let browser: Browser;
  let seen: WatchedPage;
  let form: Locator;

  withDashboard(async (begun) => {
    ({ stack, browser } = begun);
    await stack.report(
      { user_id: 'ada', cost_usd: 6, model: 'claude-sonnet-4-5', provider: 'anthropic' },
      { user_id: 'tom', cost_usd: 1.25, adapter: 'codex' },
    );
    seen = await openAs(browser, stack, 'Grace');
  });

  beforeEach(async () => {
    if (!seen) return;
    const { page } = seen;
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${stack.url}/dashboard/budgets`);
    await page.getByRole('button', { name: 'Create a budget' }).first().click();
    form = page.getByRole('dialog', { name: 'Create a budget' });
    await form.getByLabel('Name').fill('Ours');
  });

  const at = (label: string) => form.getByLabel(label, { exact: true });
  const create = async () => {
    await form.getByRole('button', { name: /^Create/ }).click();
    await form.waitFor({ state: 'detached' });
    const { body } = await call(`${stack.url}/api/v1/budgets`, { key: stack.key });
    const [newest] = body.data as BudgetView[];
    return newest;
  };

  test.each<[string, () => Promise<unknown>, Partial<BudgetView>]>([
    [
      'quarters of a fiscal year',
      async () => {
        await at('Window').selectOption('quarterly');
        await at('Fiscal year begins in').selectOption({ label: 'February' });
      },
      { window: 'quarterly', fiscal_start_month: 2, rolling_days: null, starts_on: null },
    ],
    [
      'rolling days',
      async () => {
        await at('Window').selectOption('rolling');
        await form.getByRole('textbox', { name: 'Days, today included' }).fill('14');
      },
      { window: 'rolling', rolling_days: 14, fiscal_start_month: null, starts_on: null },
    ],
    [
      'a time without end',
      async () => {
        await at('Window').selectOption('total');
        await at('From (today by default)').fill('2026-01-01');
      },
      { window: 'total', starts_on: '2026-01-01', window_end: null, rolling_days: null },
    ],
    [
      'a month, after another window was chosen',
      async () => {
        await at('Window').selectOption('rolling');
        await at('Window').selectOption('total');
        await at('From (today by default)').fill('2026-01-01');
        await at('Window').selectOption('monthly');
      },
      { window: 'monthly', starts_on: null, rolling_days: null, fiscal_start_month: null },
    ],
  ])('makes a budget of %s', async (_, fill, expected) => {
    await fill();
    await expectGood(seen.page, `form-${expected.window}`);
    expect(await create()).toMatchObject(expected);
  });

  test('says before it is made that it stops work, by the usage of the calls that it counts', async () => {
    await form.getByRole('textbox', { name: 'Threshold' }).fill('5');
    expect(await form.getByText('Agents stop only where they ask').count()).toBe(0);
    await at('At the threshold').selectOption('hard');
    await form.getByText('This stops work now: $7.25 of $5.00 are used this month.').waitFor();
    await form
      .getByText('Agents stop only where they ask: by hooks on each machine, or at a gateway.')
      .waitFor();
    await form.getByText('Nobody asked in the last 7 days.').waitFor();
    await form.getByRole('button', { name: 'Create and stop work now' }).scrollIntoViewIfNeeded();
    await expectGood(seen.page, 'form-stops');
    await seen.page.setViewportSize({ width: 390, height: 844 });
    await form.getByRole('button', { name: 'Create and stop work now' }).scrollIntoViewIfNeeded();
    await expectGood(seen.page, 'form-stops-390');

    await at('Which calls').selectOption('some');
    await form.getByText('Name at least one model, provider or tool').waitFor();
    expect(await form.getByRole('button', { name: /^Create/ }).isDisabled()).toBe(true);
    await at('Tools').click();
    await seen.page.getByRole('option', { name: 'codex' }).click();
    await form.getByText('This stops nothing now: $1.25 of $5.00 are used this month.').waitFor();
    await at('Models').fill('GPT-*');
    await at('Models').press('Enter');
    await at('Models').press('Escape');
    await expectGood(seen.page, 'form-filter-390');
    await form.getByRole('button', { name: 'Create', exact: true }).waitFor();
    expect(await create()).toMatchObject({
      enforce: 'hard',
      filter: { models: ['gpt-*'], adapters: ['codex'] },
      current: 1.25,
      refuses_now: false,
    });
  });

  test('offers no rolling window for a budget of each person, and leaves one that was chosen', async () => {
    await at('Window').selectOption('rolling');
    await at('Counted').selectOption('user');
    expect(await at('Window').inputValue()).toBe('monthly');
    expect(await at('Window').locator('option').allInnerTexts()).not.toContain('rolling days');
    expect(await create()).toMatchObject({ per: 'user', window: 'monthly', rolling_days: null });
  });

  test('names who asked before a call', async () => {
    await call(`${stack.url}/api/v1/budgets/check`, { key: stack.key, body: {} });
    await at('At the threshold').selectOption('hard');
    await form.getByText(/Last asked by a check/).scrollIntoViewIfNeeded();
    await expectGood(seen.page, 'form-asked');
    expect(await form.getByText(/by a hook of Claude Code/).count()).toBe(0);
  });

  test('lets a hard budget of cost refuse calls without a price, and no other budget', async () => {
    expect(await at('Calls without a price').count()).toBe(0);
    await form.getByRole('textbox', { name: 'Threshold' }).fill('100');
    await at('At the threshold').selectOption('hard');
    await form.getByText('A call of a model without a price counts as nothing here.').waitFor();
    await at('Calls without a price').selectOption('refuse');
    await form.getByText(/is refused until an admin gives it one/).scrollIntoViewIfNeeded();
    await expectGood(seen.page, 'form-unpriced');
    await at('What').selectOption('tokens_out');
    expect(await at('Calls without a price').count()).toBe(0);
    await at('What').selectOption('cost_usd');
    expect(await create()).toMatchObject({ enforce: 'hard', unpriced: 'refuse' });
    await seen.page.getByRole('button', { name: 'Create a budget' }).first().click();
    await form.getByLabel('Name').fill('Tokens');
    await at('At the threshold').selectOption('hard');
    await at('Calls without a price').selectOption('refuse');
    await at('What').selectOption('tokens_out');
    expect(await create()).toMatchObject({ enforce: 'hard', metric: 'tokens_out', unpriced: null });
  });

  test('changes the filter of a budget, and says that it would stop work', async () => {
    const { page } = seen;
    await form.getByRole('button', { name: 'Cancel' }).click();
    const body = {
      name: 'Anthropic only',
      scope: 'org',
      metric: 'cost_usd',
      threshold: 6.5,
      window: 'monthly',
      enforce: 'hard',
      filter: { providers: ['anthropic'] },
    };
    const { id } = (await call(`${stack.url}/api/v1/budgets`, { key: stack.key, body })).body;
    await page.goto(`${stack.url}/dashboard/budgets/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    form = page.getByRole('dialog');
    await form.getByText('This stops nothing now: $6.00 of $6.50 are used this month.').waitFor();
    await at('Which calls').selectOption('all');
    await form.getByText('This stops work now: $7.25 of $6.50 are used this month.').waitFor();
    await form.getByRole('button', { name: 'Save and stop work now' }).scrollIntoViewIfNeeded();
    await expectGood(page, 'form-change');
    await form.getByRole('button', { name: 'Save and stop work now' }).click();
    await form.waitFor({ state: 'detached' });
    const after = await call(`${stack.url}/api/v1/budgets/${id}`, { key: stack.key });
    expect(after.body).toMatchObject({ filter: null, refuses_now: true });
    expect(seen.faults).toEqual([]);
  });
});
