import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openAs } from '../support/browser.ts';
import type { DashboardStack } from '../support/dashboard-stack.ts';
import { call } from '../support/harness.ts';
import { expectGood } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

/** A budget for each person, from its form to the limit of one of them. */
describe('a template on the dashboard', () => {
  let stack: DashboardStack;
  let browser: Browser;

  withDashboard(async (begun) => {
    ({ stack, browser } = begun);
    await stack.report(
      { user_id: 'ada', cost_usd: 6 },
      { user_id: 'tom', cost_usd: 4.5 },
      { user_id: 'eve', cost_usd: 1 },
    );
  });

  test('is made by its form, asks before it stops people, is one card, and lets one person have more', async () => {
    const { page, context, faults } = await openAs(browser, stack, 'Grace');
    await page.goto(`${stack.url}/dashboard/budgets`);
    await page.getByRole('button', { name: 'Create a budget' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create a budget' });
    await form.getByLabel('Name').fill('Each, per month');
    await form.getByLabel('Counted').selectOption('user');
    await form.getByRole('textbox', { name: 'Threshold' }).fill('5');
    await form.getByLabel('At the threshold').selectOption('hard');
    await form
      .getByText('This stops the work of one person now: the furthest has used $6.00 of $5.00 this month.')
      .waitFor();
    await expectGood(page, 'template-form');
    await form.getByRole('button', { name: 'Create and stop work now' }).click();
    await page.getByText('Each of 3 people: 1 stopped, 1 near, furthest ada, 120 %').waitFor();
    await page.getByText('calls of people beyond it are refused until').waitFor();
    await expectGood(page, 'template-card');

    await page.getByRole('link', { name: 'Each, per month' }).click();
    const people = page.getByRole('table', { name: 'People' });
    await people.getByRole('row').nth(3).waitFor();
    expect((await people.getByRole('row').allInnerTexts()).slice(1).map((row) => row.split(/\s/)[0])).toEqual(
      ['ada', 'Tom', 'eve'],
    );
    await people.getByRole('row', { name: /^ada/ }).getByText('stopped').waitFor();
    await expectGood(page, 'template-people');
    await people.getByRole('row', { name: /^ada/ }).getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'The limit of one person' });
    await dialog.getByLabel('Limit').selectOption('own');
    await dialog.getByLabel('Threshold').fill('20');
    await expectGood(page, 'template-exception');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await people.getByRole('row', { name: /^ada/ }).getByText('$20.00').waitFor();
    const body = { user_id: 'ada', estimate_usd: 14 };
    const check = await call(`${stack.url}/api/v1/budgets/check`, { key: stack.key, body });
    expect(check.body.allow).toBe(true);

    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog');
    await edit.getByText('This stops nobody now: the furthest has used $4.50 of $5.00 this month.').waitFor();
    await edit.getByRole('button', { name: 'Cancel' }).click();
    await edit.waitFor({ state: 'detached' });

    await page.getByText('3 in all', { exact: true }).waitFor();
    await page.getByLabel('Find a person').fill('nobody');
    await page.getByText('Nobody who has used it in this window fits.').waitFor();
    expect(await page.getByText('in all', { exact: false }).allInnerTexts()).toEqual([]);
    await page.getByLabel('Find a person').fill('eve');
    await people.getByRole('row', { name: /^eve/ }).waitFor();
    await people.getByRole('row', { name: /^ada/ }).waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 390, height: 844 });
    await expectGood(page, 'template-390');
    expect(faults).toEqual([]);
    await context.close();
  });
});
