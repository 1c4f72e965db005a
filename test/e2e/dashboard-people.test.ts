import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../../scripts/stack/chromium.ts';
import { changeMember } from '../../shared/administration/change-member.ts';
import { openBrowser, openPage, signIn, type WatchedPage } from '../support/browser.ts';
import { type DashboardStack, startDashboard } from '../support/dashboard-stack.ts';
import { call, until } from '../support/harness.ts';
import { axeFindings, sidewaysBy } from '../support/page-checks.ts';

const HOSTILE = '<img src=x onerror="document.title=`broken`">';

describe('members, their changes and the pages of admins', () => {
  let stack: DashboardStack;
  let browser: Browser;

  beforeAll(async () => {
    if (CHROMIUM === null) return;
    [stack, browser] = await Promise.all([startDashboard(), openBrowser()]);
    const body = { name: HOSTILE, scope: 'org', metric: 'cost_usd', threshold: 40, window: 'monthly' };
    const made = await call(`${stack.url}/api/v1/budgets`, { key: stack.key, body });
    expect(made.status, made.text).toBe(201);
    await changeMember(stack.ctx, stack.orgId, 'tom', { teams: ['core', 'web'] });
  }, 120_000);
  beforeEach(({ skip }) => {
    if (CHROMIUM === null) skip('there is no Chromium (apt-get install chromium)');
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  const open = async (path: string, name = 'Grace', view: Parameters<typeof openPage>[1] = {}) => {
    const watched = await openPage(browser, view);
    await signIn(watched.page, stack.url, { name });
    await visit(watched.page, path);
    return watched;
  };
  const visit = async (page: Page, path: string) => {
    await page.goto(`${stack.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const close = async ({ faults, context }: WatchedPage) => {
    expect(faults).toEqual([]);
    await context.close();
  };

  test('the audit log speaks sentences, and its filters are in the URL and in the file', {
    timeout: 120_000,
  }, async () => {
    for (const view of [
      { viewport: { width: 1280, height: 900 } },
      { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
    ] as const) {
      const watched = await open('/settings?tab=audit', 'Grace', view);
      const { page } = watched;
      const entries = page.getByRole('list', { name: 'Audit' }).getByRole('listitem');
      await entries
        .filter({ hasText: `created the budget ${HOSTILE}: $40.00, monthly, only warns.` })
        .getByRole('link')
        .waitFor();
      await entries.filter({ hasText: 'changed the member Tom Herrera: teams: core, web.' }).waitFor();
      expect(await page.locator('img').count()).toBe(0);
      expect(await axeFindings(page)).toEqual([]);
      expect(await sidewaysBy(page)).toBe(0);
      await page.getByRole('combobox', { name: 'About' }).selectOption('Members');
      await until(async () => (await entries.filter({ hasText: 'budget' }).count()) === 0);
      expect(page.url()).toContain('action=member.');
      const link = page.getByRole('link', { name: 'CSV' });
      const file = await page.request.get(new URL((await link.getAttribute('href')) ?? '', stack.url).href);
      expect(file.status()).toBe(200);
      expect(await file.text()).not.toContain('budget.create');
      await page.getByRole('combobox', { name: 'By' }).selectOption('Grace Lindqvist');
      await page.getByText('Nothing was changed, or nothing that these filters let through.').waitFor();
      await page.reload();
      await page.getByText('Nothing was changed, or nothing that these filters let through.').waitFor();
      await page.getByRole('button', { name: 'Remove all filters' }).click();
      await entries.filter({ hasText: 'created the budget' }).waitFor();
      await close(watched);
    }
  });
});
