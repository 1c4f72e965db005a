import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openAs, type WatchedPage } from '../support/browser.ts';
import type { DashboardStack, PersonName } from '../support/dashboard-stack.ts';
import { until } from '../support/harness.ts';
import { expectGoodInViews, settled } from '../support/page-checks.ts';
import { SHOP, tellPullRequests } from '../support/pull-request-pages.ts';
import { withDashboard } from '../support/with-dashboard.ts';

/** The costs of branches, tasks and pull requests, as people read them. */
describe('the costs of pull requests on the dashboard', () => {
  let stack: DashboardStack;
  let browser: Browser;
  let ids: Record<number, string> = {};

  withDashboard((begun) => {
    ({ stack, browser } = begun);
  });

  const open = async (path: string, name: PersonName = 'Grace'): Promise<WatchedPage> => {
    const watched = await openAs(browser, stack, name);
    await visit(watched.page, path);
    return watched;
  };
  const visit = async (page: Page, path: string) => {
    await page.goto(`${stack.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
  };
  const rowsOf = (page: Page, name: string) => page.getByRole('table', { name }).locator('tbody tr');

  test('an empty page says what to connect: an admin is led to code hosts, everybody to branches', async () => {
    const grace = await open('/pull-requests');
    await grace.page.getByText('No pull request yet.').waitFor();
    await expectGood(grace.page, 'pull-requests-empty');
    await grace.page.getByRole('link', { name: 'Add a code host' }).click();
    await grace.page.getByText('No code host yet.').waitFor();
    await grace.page.goBack();
    await grace.page.getByRole('link', { name: 'Report branches' }).click();
    await grace.page.getByRole('heading', { name: 'Branches' }).waitFor();
    await expectGood(grace.page, 'connect-branches');
    const tom = await open('/pull-requests', 'Tom');
    await tom.page.getByText('No pull request with calls of yours yet.').waitFor();
    expect(await tom.page.getByRole('link', { name: 'Add a code host' }).count()).toBe(0);
    await expectGood(tom.page, 'pull-requests-empty-member');
    expect([...grace.faults, ...tom.faults]).toEqual([]);
    await Promise.all([grace.context.close(), tom.context.close()]);
  });

  test('the palette and the navigation lead to the list, which has the cost of each and of a merged one', async () => {
    ids = await tellPullRequests(stack);
    const { page, context, faults } = await open('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to a page' }).fill('what has a pull request cost');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Pull requests' }).waitFor();
    /** Types a text into the palette, waits for what it finds, and opens the first. */
    const find = async (text: string, found: string) => {
      await page.keyboard.press('Control+k');
      const palette = page.getByRole('dialog', { name: 'Go to a page' });
      await palette.locator('input').fill(text);
      await palette.getByText(found).first().waitFor();
      await palette.locator('input').press('Enter');
      await palette.waitFor({ state: 'hidden' });
    };
    await find('#13', 'Sign in by passkey');
    await page.getByRole('heading', { level: 1, name: 'Sign in by passkey' }).waitFor();
    await find('logi', 'acme/shop');
    await page.getByRole('button', { name: 'Remove the filter Branch' }).waitFor();
    await find('new bud', 'Action');
    await page.getByRole('dialog', { name: 'Create a budget' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await visit(page, '/pull-requests');
    const here = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Pull requests' });
    expect(await here.getAttribute('aria-current')).toBe('page');
    await page.getByText('acme/shop#12').waitFor();
    const figures = page.getByRole('region', { name: 'Merged: Last 7 days' });
    // #12 and #14 for $9.00; in the week before #11 for $6.00.
    await figures.getByText('$9.00', { exact: true }).waitFor();
    expect((await figures.textContent())?.match(/\$4\.50/g)).toHaveLength(2);
    await figures.getByText('1 without any call').waitFor();
    await figures.getByText('▼ 25 % less than the 7 days before').first().waitFor();
    const texts = (await rowsOf(page, 'Pull requests').allInnerTexts()).map((text) =>
      text.split(/\s*[\t\n]\s*/),
    );
    // By default the most expensive of those with calls in the range.
    expect(texts.map((cells) => [cells[0], cells[2], ...cells.slice(-4)])).toEqual([
      ['Remember the cart <b>of a visitor</b>', 'Merged', 'Grace Lindqvist', '2', '$4.00', '$9.00'],
      ['Sign in by passkey', 'Open', 'Grace Lindqvist', '2', '$1.50', '$1.75'],
      ['Search by picture', 'Closed', 'Tom Herrera', '1', '$0.75', '$0.75'],
    ]);
    await expectGood(page, 'pull-requests');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('the list is searched by what people have at hand, filtered and turned, all of it in the URL', async () => {
    const { page, context, faults } = await open('/pull-requests');
    const find = page.getByRole('textbox', { name: 'Find by number or address' });
    const names = async () => rowsOf(page, 'Pull requests').locator('td:first-child').allInnerTexts();
    const shows = async (...expected: string[]) =>
      until(async () => JSON.stringify(await names()) === JSON.stringify(expected), {
        what: expected.join(),
      });
    await find.fill('passkey');
    await find.press('Enter');
    await page.getByText('A number such as 12').waitFor();
    await find.fill(`https://${SHOP}/pull/13/files`);
    await find.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sign in by passkey' }).waitFor();
    await visit(page, '/pull-requests');
    await find.fill('#13');
    await find.press('Enter');
    await shows('Sign in by passkey');
    expect(new URL(page.url()).searchParams.get('number')).toBe('13');
    await page.getByRole('button', { name: 'Remove the filter Number' }).click();
    await page.getByRole('combobox', { name: 'Opened' }).selectOption('Opened at any time');
    await page.getByRole('combobox', { name: 'State' }).selectOption('Merged');
    await page.getByRole('combobox', { name: 'Order' }).selectOption('Oldest first');
    await shows('Drop the old checkout', 'Mend a typo', 'Remember the cart <b>of a visitor</b>');
    await page.getByRole('combobox', { name: 'Opened' }).selectOption('Opened in the range');
    await shows('Mend a typo', 'Remember the cart <b>of a visitor</b>');
    await page.reload();
    await shows('Mend a typo', 'Remember the cart <b>of a visitor</b>');
    await find.fill('99');
    await find.press('Enter');
    await page.getByText('No pull request with these filters.').waitFor();
    await expectGood(page, 'pull-requests-none');
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await until(async () => (await names()).length === 3, { what: 'those with calls' });
    await page.getByRole('combobox', { name: 'Order' }).selectOption('Most expensive first');
    await page.getByRole('heading', { name: 'Cost of calls: Last 7 days' }).waitFor();
    await shows('Remember the cart <b>of a visitor</b>', 'Sign in by passkey', 'Search by picture');
    const costs = await rowsOf(page, 'Pull requests').locator('td:last-child').allInnerTexts();
    expect(costs).toEqual(['$9.00', '$1.75', '$0.75']);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('one pull request begins with its cost, which its days, people and models sum to', async () => {
    const { page, context, faults } = await open('/pull-requests');
    await page.getByRole('link', { name: 'Remember the cart' }).click();
    await page.getByRole('heading', { level: 1, name: 'Remember the cart <b>of a visitor</b>' }).waitFor();
    await page.getByText(/^It has cost \$9\.00: 3 calls by 2 people, from /).waitFor();
    expect(
      await page.locator('[data-sentence]').textContent(),
      'a session with less than half',
    ).not.toContain('came from');
    const link = page.getByRole('link', { name: `${SHOP}#12` });
    expect(await link.getAttribute('href')).toBe(`https://${SHOP}/pull/12`);
    expect(await link.getAttribute('rel')).toContain('noopener');
    const costs = async (table: string) =>
      (await rowsOf(page, table).allInnerTexts()).map((row) => /\$[\d.]+/.exec(row)?.[0]);
    expect(await costs('By person')).toEqual(['$7.00', '$2.00']);
    expect(await costs('By model')).toEqual(['$5.00', '$4.00']);
    expect(await page.getByRole('table', { name: 'By branch' }).count(), 'one row says nothing').toBe(0);
    expect(await page.locator('.chart-bar').count()).toBe(3);
    expect(await costs('By session'), 'most expensive first').toEqual(['$4.00', '$3.00', '$2.00']);
    const hrefs = async (table: string) =>
      Promise.all(
        (await rowsOf(page, table).getByRole('link').all()).map((link) => link.getAttribute('href')),
      );
    expect(await hrefs('By person')).toEqual(['/dashboard/?user_id=grace', '/dashboard/?user_id=tom']);
    expect((await hrefs('By model'))[1]).toMatch(/^\/dashboard\/\?model=/);
    expect((await hrefs('By session'))[0]).toMatch(/^\/dashboard\/sessions\/ses_/);
    await expectGood(page, 'pull-request');
    await page.getByRole('link', { name: 'All its sessions' }).click();
    await page.getByRole('button', { name: 'Remove the filter Pull request' }).waitFor();
    await until(async () => (await rowsOf(page, 'Sessions').count()) === 3, { what: 'its sessions' });
    await page.goBack();
    await page.getByRole('application', { name: /^Cost per day/ }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await until(async () => (await rowsOf(page, 'Sessions').count()) === 1, {
      what: 'those of its last day',
    });
    await visit(page, `/pull-requests/${ids[13]}`);
    await page.getByText('86 % of it came from one session of Grace Lindqvist.').waitFor();
    await visit(page, `/pull-requests/${ids[14]}`);
    await page.getByText('No call on the branch typo was reported before its end.').waitFor();
    await expectGood(page, 'pull-request-without-calls');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a member sees the own cost, and of a pull request without own calls the page of unknown ones', async () => {
    const { page, context } = await open('/pull-requests', 'Tom');
    await page.getByRole('columnheader', { name: 'Your part' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Owner' }).count()).toBe(0);
    await page.getByRole('heading', { name: 'Your part of the cost of calls: Last 7 days' }).waitFor();
    await expectGood(page, 'pull-requests-member');
    await page.getByRole('tab', { name: 'Branches' }).click();
    await page.getByRole('columnheader', { name: 'Your part' }).waitFor();
    expect(await rowsOf(page, 'Branches').allInnerTexts()).toEqual([
      expect.stringMatching(/^cart\s+acme\/shop\s+\$2\.00\s+\$2\.00$/),
      expect.stringMatching(/^search\s+acme\/shop\s+\$0\.75\s+\$0\.75$/),
      expect.stringMatching(/^login\s+acme\/shop\s+\$0\.25\s+\$0\.25$/),
    ]);
    await page.getByRole('tab', { name: 'Pull requests' }).click();
    await page.getByRole('link', { name: 'Remember the cart' }).click();
    await page.getByText(/^Your part: \$2\.00, 1 call.* All of it came from one session\.$/).waitFor();
    expect(await page.getByRole('main').textContent()).not.toContain('Grace');
    for (const id of [ids[11], 'pr_0000000000000000000000', 'nonsense']) {
      await visit(page, `/pull-requests/${id}`);
      await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    }
    await context.close();
  });

  test('a session says what it was worked on, marks where that changed, and shows the calls of one alone', async () => {
    const { page, context, faults } = await open('/sessions?project_id=api');
    await rowsOf(page, 'Sessions').first().getByRole('link').first().click();
    const works = page.getByRole('list', { name: 'Worked on' });
    await works.getByRole('button').nth(2).waitFor();
    await page.locator('.timeline-place').nth(2).waitFor();
    expect(
      (await works.getByRole('button').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
    ).toEqual([
      'acme/shop · search · #15 · SHOP-9 50 % · $0.75 · 1 call',
      'acme/shop · login · #13 17 % · $0.25 · 1 call',
      'Not attributed 33 % · $0.50 · 1 call',
    ]);
    const places = page.locator('.timeline-place');
    expect(await places.allInnerTexts()).toEqual([
      'acme/shop · login · #13',
      'acme/shop · search · #15 · SHOP-9',
      'Not attributed',
    ]);
    await expectGood(page, 'session-works');
    await works.getByRole('button', { name: 'search' }).press('Enter');
    await page.getByRole('heading', { name: 'Timeline, 1 of 3 calls' }).waitFor();
    expect(await places.allInnerTexts()).toEqual(['acme/shop · search · #15 · SHOP-9']);
    await page.getByRole('button', { name: 'Show all calls' }).click();
    await page.getByRole('heading', { name: 'Timeline, 3 calls' }).waitFor();
    await page.getByRole('link', { name: 'acme/shop#13' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in by passkey' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('Overview, Sessions and Export are narrowed to a branch, and what has none is not attributed', async () => {
    const { page, context, faults } = await open('/pull-requests?tab=branches');
    const cart = rowsOf(page, 'Branches').first();
    expect((await cart.allInnerTexts()).join().split(/\s*[\t\n]\s*/)).toEqual([
      'cart',
      'acme/shop',
      'Grace Lindqvist',
      '2',
      '$4.00',
      '$9.00',
    ]);
    await expectGood(page, 'branches');
    await cart.getByRole('link', { name: 'cart' }).click();
    await page.getByRole('link', { name: 'Cost: $9.00' }).waitFor();
    await visit(page, '/?split=pull_request&view=table');
    await page.getByRole('table', { name: 'By pull request' }).getByText('Not attributed').waitFor();
    const highest = rowsOf(page, 'By pull request').first();
    expect(await highest.textContent()).toContain(`${SHOP}#12$9.00`);
    await highest.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Remember the cart <b>of a visitor</b>' }).waitFor();
    await visit(page, '/?split=branch');
    const legend = page.getByRole('list').filter({ hasText: 'Not attributed' }).first();
    await legend.getByText('cart').waitFor();
    await expectGood(page, 'overview-by-branch');
    await page.getByRole('button', { name: 'Show as table' }).click();
    const table = page.getByRole('table', { name: 'By branch' });
    await table.getByText('Not attributed').waitFor();
    expect(await table.getByRole('columnheader', { name: 'Sessions' }).count()).toBe(0);
    await table.getByRole('link', { name: 'cart' }).click();
    await page.getByRole('button', { name: 'Remove the filter Branch' }).waitFor();
    await until(async () => (await rowsOf(page, 'Sessions').count()) === 3, { what: 'the sessions of cart' });

    await page.getByRole('button', { name: 'Branch, task …' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Task' }).or(form.getByLabel('Task')).first().fill('SHOP-412');
    await expectGood(page, 'work-filters');
    await page.keyboard.press('Enter');
    await until(async () => (await rowsOf(page, 'Sessions').count()) === 1, {
      what: 'the session of the task',
    });
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Export' }).click();
    await page
      .getByRole('combobox', { name: 'Rows' })
      .selectOption('The same, also by branch, pull request and task');
    await page.locator('[data-rows="1"]').waitFor();
    await page.getByRole('cell', { name: 'SHOP-412' }).waitFor();
    await expectGood(page, 'export-attributed');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'Cost: $2.00' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('an admin deletes one that was reported by mistake, and is asked first; a member cannot', async () => {
    const tom = await open(`/pull-requests/${ids[12]}`, 'Tom');
    expect(await tom.page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    const { page, context, faults } = await open(`/pull-requests/${ids[14]}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its calls stay on their branch').waitFor();
    await expectGood(page, 'pull-request-delete');
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Mend a typo' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Pull requests' }).waitFor();
    await page.getByText('The pull request is deleted.').waitFor();
    await visit(page, '/pull-requests?opened=any');
    await until(async () => (await rowsOf(page, 'Pull requests').count()) === 4, { what: 'the others' });
    expect([...faults, ...tom.faults]).toEqual([]);
    await Promise.all([context.close(), tom.context.close()]);
  });

  test('an admin turns names into hashes, is asked first, and the pages show no name any more', async () => {
    const { page, context, faults } = await open('/settings');
    const heading = page.getByRole('heading', { name: 'Names of branches and tasks' });
    await heading.waitFor();
    await page.getByRole('button', { name: 'Hash the names' }).click();
    await page.getByRole('dialog').getByText('That cannot be undone for them.').waitFor();
    await expectGood(page, 'settings-hash-question');
    await page.getByRole('dialog').getByRole('button', { name: 'Hash them' }).click();
    await page.getByRole('button', { name: 'Show names again' }).waitFor();
    await expectGood(page, 'settings-hashed');
    await until(
      async () => {
        await visit(page, '/pull-requests');
        return (await page.getByRole('main').textContent())?.includes('passkey') === false;
      },
      { timeoutMs: 30_000, what: 'the titles to go' },
    );
    await visit(page, `/pull-requests/${ids[13]}`);
    await page
      .getByText(/^h_[0-9A-Za-z]{22}$/)
      .first()
      .waitFor();
    expect(await page.getByText('login').count()).toBe(0);
    await expectGood(page, 'pull-request-hashed');
    expect(faults).toEqual([]);
    await context.close();
  });
});

/** Looks at the page in every view, and leaves it wide and light. */
async function expectGood(page: Page, name: string): Promise<void> {
  await expectGoodInViews(page, name);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}
