import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../../packages/stack/chromium.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { startApi, type TestApi } from '../support/harness.ts';
import { axeFindings, sidewaysBy } from '../support/page-checks.ts';

describe('the guide in a browser', () => {
  let api: TestApi;
  let browser: Browser;
  beforeAll(async () => {
    if (CHROMIUM === null) return;
    [api, browser] = await Promise.all([startApi(), openBrowser()]);
  }, 60_000);
  beforeEach(({ skip }) => {
    if (CHROMIUM === null) skip('there is no Chromium (apt-get install chromium-headless-shell)');
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  test.each([
    ['light', 1280, /./],
    // Pages are made of the same few parts: the widest tables and the how-tos have all of them.
    ['dark', 390, /^\/guide(\/how-to\/.*|\/budgets|\/operations|\/benchmarks)?$/],
  ] as const)(
    'the pages that its table names are readable and without findings of axe: %s, %i px',
    {
      timeout: 300_000,
    },
    async (colorScheme, width, among) => {
      const { page, faults, context } = await openPage(browser, {
        colorScheme,
        viewport: { width, height: 844 },
      });
      await page.goto(`${api.url}/guide`);
      const paths: string[] = await page.evaluate(PATHS);
      expect(paths.length).toBeGreaterThan(25);
      for (const path of ['/guide', '/guide/no-such', ...paths.filter((each) => among.test(each))]) {
        await page.goto(api.url + path);
        expect(await page.getByRole('heading', { level: 1 }).count(), path).toBe(1);
        expect(await axeFindings(page), path).toEqual([]);
        expect(await sidewaysBy(page), path).toBe(0);
      }
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test('is searched by the keyboard, and copies code', async () => {
    const { page, faults, context } = await openPage(browser, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.goto(`${api.url}/guide/quick-start`);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^scripts\/up /);
    const search = page.getByRole('searchbox', { name: 'Search the guide' });
    await search.fill('session timeout');
    await page
      .getByRole('status')
      .getByText(/^\d+ found/)
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await search.inputValue()).toBe('');
    await search.fill('the timeout');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/guide/sessions#the-timeout');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('its links lead from page to page, and on a narrow screen to the table of pages', async () => {
    const { page, faults, context } = await openPage(browser, { viewport: { width: 390, height: 844 } });
    await page.goto(`${api.url}/guide/budgets`);
    await page.getByRole('link', { name: 'how', exact: true }).click();
    await page.waitForURL('**/guide/inside/budgets#how-a-check-is-answered');
    await page.getByRole('link', { name: 'All pages' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'webhooks' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks', exact: true }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

/** Runs in the page: the paths of all pages that its table names. */
const PATHS = `[...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'))`;
