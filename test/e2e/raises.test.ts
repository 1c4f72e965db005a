import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openAs } from '../support/browser.ts';
import type { DashboardStack } from '../support/dashboard-stack.ts';
import { call, until } from '../support/harness.ts';
import { expectGood } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

/** A raise as people ask for it and answer it, at a screen of 390 pixels and by the keyboard. */
describe('a raise on the dashboard', () => {
  let stack: DashboardStack;
  let browser: Browser;
  let budget: string;

  withDashboard(async (begun) => {
    ({ stack, browser } = begun);
    const body = { name: 'Everybody', scope: 'org', metric: 'cost_usd', threshold: 5, window: 'monthly' };
    const made = await call(`${stack.url}/api/v1/budgets`, {
      key: stack.key,
      body: { ...body, enforce: 'hard' },
    });
    budget = made.body.id;
    await stack.report({ user_id: 'tom', cost_usd: 6 });
  });

  test('is asked for by a member, answered by an admin, and decides', async () => {
    const tom = await openAs(browser, stack, 'Tom', { viewport: { width: 390, height: 844 } });
    const grace = await openAs(browser, stack, 'Grace');
    await tom.page.goto(`${stack.url}/dashboard/raise?budget=${budget}`);
    await tom.page.getByLabel('How much more').fill('20');
    await tom.page.getByLabel('For how long').selectOption('1 hour');
    await expectGood(tom.page, 'ask');
    await tom.page.getByLabel('How much more').focus();
    await tom.page.keyboard.press('Tab');
    await tom.page.keyboard.press('Tab');
    await tom.page.keyboard.type('The migration takes longer.');
    await tom.page.keyboard.press('Enter');
    const last = tom.page.getByRole('status', { name: 'What you asked for last' });
    await last.getByText('pending').waitFor();
    await expectGood(tom.page, 'asked');

    await grace.page.goto(`${stack.url}/dashboard/devices`);
    await grace.page.getByRole('button', { name: 'and 1 more' }).press('Enter');
    const banner = grace.page.locator('[data-banner^=raise][data-severity=warning]');
    await banner.getByRole('link', { name: 'A request for more waits' }).focus();
    expect(await tom.page.locator('[data-banner^=raise]').count(), 'a member answers nothing').toBe(0);
    await grace.page.keyboard.press('Enter');
    await grace.page.getByText('The migration takes longer.').waitFor();
    await grace.page.getByText(/the threshold is \$25\.00 for everybody/).waitFor();
    const times = await grace.page.getByLabel('For how long').getByRole('option').allTextContents();
    expect(times.toSorted(), 'none is longer than was asked for').toEqual(['15 minutes', 'As asked for']);
    await expectGood(grace.page, 'answer');
    await grace.page.setViewportSize({ width: 390, height: 844 });
    await expectGood(grace.page, 'answer-390');
    await grace.page.getByRole('button', { name: 'Approve' }).focus();
    await grace.page.keyboard.press('Enter');
    await grace.page.getByText('approved', { exact: true }).waitFor();

    await last.getByText('approved', { exact: true }).waitFor();
    await until(async () => {
      const check = await call(`${stack.url}/api/v1/budgets/check`, { key: stack.key, body: {} });
      return check.body.allow;
    });
    await grace.page.goto(`${stack.url}/dashboard/budgets`);
    await grace.page.getByText(/raised until/).waitFor();
    expect(await grace.page.getByText('Stopped').count()).toBe(0);
    await expectGood(grace.page, 'budgets');
    await grace.page.goto(`${stack.url}/dashboard/raises`);
    await grace.page.getByText('approved', { exact: true }).first().waitFor();
    await expectGood(grace.page, 'raises');
    await grace.page.goto(`${stack.url}/dashboard/budgets/${budget}`);
    await grace.page.getByRole('link', { name: 'Raises' }).click();
    await grace.page.getByRole('link', { name: 'Budget', exact: true }).waitFor();
    await grace.page.getByText('approved', { exact: true }).first().waitFor();
    await expectGood(grace.page, 'raises-of-budget');
    expect([...tom.faults, ...grace.faults]).toEqual([]);
    await tom.context.close();
    await grace.context.close();
  }, 90_000);

  test('of a template says that it is for the person alone', async () => {
    const body = { name: 'Each', scope: 'org', per: 'user', metric: 'cost_usd', threshold: 4 };
    const made = await call(`${stack.url}/api/v1/budgets`, {
      key: stack.key,
      body: { ...body, window: 'monthly' },
    });
    const [tom, grace] = [await openAs(browser, stack, 'Tom'), await openAs(browser, stack, 'Grace')];
    await tom.page.goto(`${stack.url}/dashboard/raise?budget=${made.body.id}`);
    await tom.page.getByText('$6.00 of $4.00 are used. More of it counts for you alone.').waitFor();
    await tom.page.getByLabel('How much more').fill('8');
    await tom.page.getByRole('button', { name: 'Ask', exact: true }).click();
    const last = tom.page.getByRole('status', { name: 'What you asked for last' });
    await last.getByText('pending').waitFor();

    await grace.page.goto(`${stack.url}/dashboard/raises`);
    await grace.page.getByRole('row').filter({ hasText: 'Each' }).getByRole('link').first().click();
    await grace.page.getByText(/\$6\.00 of \$4\.00 are used now/).waitFor();
    await grace.page.getByText(/the threshold is \$12\.00 for Tom Herrera alone \(50 % used\)/).waitFor();
    await expectGood(grace.page, 'answer-template');
    await grace.page.getByRole('button', { name: 'Approve' }).click();
    await grace.page.getByText('approved', { exact: true }).waitFor();
    await grace.page.goto(`${stack.url}/dashboard/budgets/${made.body.id}`);
    await grace.page.getByRole('meter', { name: 'Tom Herrera: 50 % used, $8.00 raised' }).waitFor();
    await grace.page.getByRole('rowheader', { name: /\$8\.00 raised until/ }).waitFor();
    await expectGood(grace.page, 'people-raised');
    await grace.page.setViewportSize({ width: 390, height: 844 });
    await expectGood(grace.page, 'people-raised-390');
    await tom.page.setViewportSize({ width: 390, height: 844 });
    await tom.page.goto(`${stack.url}/dashboard/budgets`);
    await tom.page.getByRole('meter', { name: 'Each: 50 % used, $8.00 raised' }).waitFor();
    await tom.page.getByText(/\$8\.00 of it raised until/).waitFor();
    await expectGood(tom.page, 'own-raised-390');
    await tom.page.goto(`${stack.url}/dashboard/?user_id=tom`);
    // Among all budgets, and in the card of the person.
    await tom.page.getByRole('meter', { name: 'Each: 50 % used' }).nth(1).waitFor();
    expect([...tom.faults, ...grace.faults]).toEqual([]);
    await tom.context.close();
    await grace.context.close();
  }, 90_000);

  test('and what calls hold are parts of the bars of budgets', async () => {
    const body = { name: 'Busy', scope: 'org', metric: 'cost_usd', threshold: 20, window: 'monthly' };
    const made = await call(`${stack.url}/api/v1/budgets`, {
      key: stack.key,
      body: { ...body, enforce: 'hard' },
    });
    const { id } = made.body;
    const asked = await call(`${stack.url}/v1/raises`, {
      key: await stack.tokenOf('tom'),
      body: { budget_id: id, amount: 10 },
    });
    const answered = await call(`${stack.url}/v1/raises/${asked.body.id}/approve`, {
      key: await stack.tokenOf('grace'),
      body: {},
    });
    expect(answered.body.status, answered.text).toBe('approved');
    const held = await call(`${stack.url}/api/v1/budgets/reserve`, {
      key: stack.key,
      body: { user_id: 'ada', estimate_usd: 9, ttl_s: 600 },
    });
    expect(held.body.allow, held.text).toBe(true);
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, context, faults } = await openAs(browser, stack, 'Grace', { colorScheme });
      await page.goto(`${stack.url}/dashboard/budgets`);
      const bar = page.getByRole('meter', { name: 'Busy: 20 % used, $9.00 reserved, $10.00 raised' });
      await bar.waitFor();
      await page.getByText('$9.00 of it reserved').first().waitFor();
      await page.getByText('reserved by calls under way').waitFor();
      await expectGood(page, `bars-${colorScheme}`);
      await page.setViewportSize({ width: 390, height: 844 });
      await expectGood(page, `bars-390-${colorScheme}`);
      await page.goto(`${stack.url}/dashboard/budgets/${id}`);
      await bar.waitFor();
      await expectGood(page, `bar-390-${colorScheme}`);
      expect(faults).toEqual([]);
      await context.close();
    }
  }, 90_000);
});
