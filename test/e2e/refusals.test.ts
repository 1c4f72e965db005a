import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openAs } from '../support/browser.ts';
import type { DashboardStack } from '../support/dashboard-stack.ts';
import { call, until } from '../support/harness.ts';
import { expectGoodInViews } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

/** Refused calls as the members and admins of an organization see them. */
describe('a refused call on the dashboard', () => {
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
    await stack.report({ user_id: 'tom', cost_usd: 6, metadata: { client_session_id: 's-tom' } });
    await until(async () => !(await check('tom')).allow);
    for (const [user, calls] of [
      ['tom', 3],
      ['grace', 1],
    ] as const)
      for (let count = 0; count < calls; count += 1) await check(user);
  });

  const check = async (user_id: string) => {
    const asked = { user_id, adapter: 'claude-code', estimate_usd: 0.25, client_session_id: `s-${user_id}` };
    return (await call(`${stack.url}/api/v1/budgets/check`, { key: stack.key, body: asked })).body;
  };
  const REFUSES = /A budget of your organization refuses your calls until 1 \w{3}(?: \d{4})?, 00:00 \S+/;

  test('is explained to the member and the admin', async () => {
    const tom = await openAs(browser, stack, 'Tom');
    await tom.page.goto(`${stack.url}/dashboard/budgets`);
    const notice = tom.page.locator('bdi').getByText(REFUSES);
    await notice.waitFor();
    const banner = tom.page.locator('[data-banner^=refusal][data-severity=stop]');
    await banner.getByText(REFUSES).waitFor();
    expect(await tom.page.getByText('Everybody').count(), 'a member does not see its name').toBe(0);
    await expectGoodInViews(tom.page, 'refused-budgets');
    await banner.getByRole('link', { name: 'Ask for more' }).press('Enter');
    await tom.page.getByLabel('How much more').waitFor();
    await tom.page.locator('bdi').getByText(REFUSES).waitFor();
    await expectGoodInViews(tom.page, 'refused-raise');
    await tom.page.goto(`${stack.url}/dashboard/?user_id=tom`);
    await tom.page.getByRole('heading', { name: 'Your refused calls' }).waitFor();
    await expectGoodInViews(tom.page, 'refused-person');
    const sessions = await call(`${stack.url}/api/v1/sessions?user_id=tom`, { key: stack.key });
    await tom.page.goto(`${stack.url}/dashboard/sessions/${sessions.body.data[0].id}`);
    await tom.page.getByText(/calls refused by a budget of your organization/).waitFor();
    await expectGoodInViews(tom.page, 'refused-session');

    const grace = await openAs(browser, stack, 'Grace');
    await grace.page.goto(`${stack.url}/dashboard/budgets/${budget}`);
    await grace.page.getByText(/^\d+ calls of 2 people were refused today\.$/).waitFor();
    await expectGoodInViews(grace.page, 'refused-budget');
  });

  test('is explained by a browser without Temporal too', async () => {
    const { page, faults, context } = await openAs(browser, stack, 'Tom');
    await context.addInitScript({ content: 'delete globalThis.Temporal' });
    await page.goto(`${stack.url}/dashboard/?user_id=tom`);
    await page.getByRole('heading', { name: 'Your refused calls' }).waitFor();
    expect(await page.evaluate('"Temporal" in globalThis')).toBe(false);
    expect(faults).toEqual([]);
    await context.close();
  });
});
