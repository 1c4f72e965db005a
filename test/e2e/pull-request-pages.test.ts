import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { payloadOf, proofOf } from '../support/code-hosts.ts';
import { call } from '../support/harness.ts';
import { expectGoodInViews } from '../support/page-checks.ts';
import { type Dashboard, withDashboard } from '../support/with-dashboard.ts';

const DAY_MS = 86_400_000;
const SHOP = 'github.com/acme/shop';
/** The number of each pull request, its branch, title and state, and how many days ago it was opened and ended. */
const PULLS = [
  [11, 'old', 'Drop the old checkout', 'merged', 11, 8.5],
  [12, 'cart', 'Remember the cart <b>of a visitor</b>', 'merged', 5.5, 1.5],
  [13, 'login', 'Sign in by passkey', 'open', 1, null],
  // The last seven days, of which today is one, have this moment at every hour.
  [14, 'typo', 'Mend a typo', 'merged', 6, 3],
  [15, 'search', 'Search by picture', 'closed', 3, 0.01],
] as const;

/** Reports calls on three branches and outside, and the pull requests as a CI job does. Returns their ids by number. */
async function tellPullRequests({ stack, ask }: Dashboard): Promise<Record<number, string>> {
  const at = (daysAgo: number) => Date.now() - daysAgo * DAY_MS;
  const web = { user_id: 'grace', project_id: 'web' };
  const on = (branch: string, daysAgo: number, cost_usd: number, rest: Record<string, unknown> = {}) => ({
    repository: SHOP,
    branch,
    ts: at(daysAgo),
    cost_usd,
    ...web,
    ...rest,
  });
  const session = { metadata: { client_session_id: 'one' }, user_id: 'tom', project_id: 'api' };
  await stack.report(
    on('cart', 5, 4, { model: 'claude-sonnet-4-5', provider: 'anthropic' }),
    on('cart', 4, 3),
    on('cart', 2, 2, { user_id: 'tom', task: 'SHOP-412' }),
    on('login', 1, 1.5),
    on('old', 9, 6),
    on('login', 0.06, 0.25, session),
    on('search', 0.055, 0.75, { ...session, task: 'SHOP-9' }),
    { ...session, ts: at(0.05), cost_usd: 0.5 },
    { ts: at(1), cost_usd: 2, ...web },
  );
  const ids: Record<number, string> = {};
  for (const [number, branch, title, state, openedDaysAgo, endedDaysAgo] of PULLS) {
    const ended = endedDaysAgo === null ? {} : { closed_at: new Date(at(endedDaysAgo)).toISOString() };
    const opened_at = new Date(at(openedDaysAgo)).toISOString();
    const place = { repository: SHOP, base_branch: 'main', url: `https://${SHOP}/pull/${number}` };
    const told = { ...place, number, branch, title, state, opened_at, ...ended };
    ids[number] = (await ask('/api/v1/pull-requests', told)).id;
  }
  return ids;
}

/** The costs of branches, tasks and pull requests, as people read them. */
describe('the costs of pull requests on the dashboard', () => {
  let ids: Record<number, string> = {};
  const { open, visit, stack } = withDashboard(async (begun) => {
    ids = await tellPullRequests(begun);
  });
  const rowsOf = (page: Page, name: string) => page.getByRole('table', { name }).locator('tbody tr');
  const titled = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  test('the palette leads to the list, a pull request, a branch and an action', async () => {
    const page = await open('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to a page' }).fill('what has a pull request cost');
    await page.keyboard.press('Enter');
    await titled(page, 'Pull requests');
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
    await titled(page, 'Sign in by passkey');
    await find('logi', 'acme/shop');
    await page.getByRole('button', { name: 'Remove the filter Branch' }).waitFor();
    await find('new bud', 'Action');
    await page.getByRole('dialog', { name: 'Create a budget' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('the list is searched by what people have at hand, filtered and turned, all of it in the URL', async () => {
    const page = await open('/pull-requests');
    const box = page.getByRole('textbox', { name: 'Find by number or address' });
    const find = async (text: string) => {
      await box.fill(text);
      await box.press('Enter');
    };
    const names = rowsOf(page, 'Pull requests').locator('td:first-child');
    const shows = async (...expected: string[]) => expect.poll(() => names.allInnerTexts()).toEqual(expected);
    await find('passkey');
    await page.getByText('A number such as 12').waitFor();
    await find(`https://${SHOP}/pull/13/files`);
    await titled(page, 'Sign in by passkey');
    await visit(page, '/pull-requests');
    await find('#13');
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
    await find('99');
    await page.getByText('No pull request with these filters.').waitFor();
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await expect.poll(() => names.count()).toBe(3);
    await page.getByRole('combobox', { name: 'Order' }).selectOption('Most expensive first');
    await page.getByRole('heading', { name: 'Cost of calls: Last 7 days' }).waitFor();
    await shows('Remember the cart <b>of a visitor</b>', 'Sign in by passkey', 'Search by picture');
  });

  test('one pull request leads to all its sessions and to those of a day, and says that it has none', async () => {
    const page = await open('/pull-requests');
    await page.getByRole('link', { name: 'Remember the cart' }).click();
    await titled(page, 'Remember the cart <b>of a visitor</b>');
    const link = page.getByRole('link', { name: `${SHOP}#12` });
    expect(await link.getAttribute('href')).toBe(`https://${SHOP}/pull/12`);
    expect(await link.getAttribute('rel')).toContain('noopener');
    await page.getByRole('link', { name: 'All its sessions' }).click();
    await page.getByRole('button', { name: 'Remove the filter Pull request' }).waitFor();
    await expect.poll(() => rowsOf(page, 'Sessions').count()).toBe(3);
    await page.goBack();
    await page.getByRole('application', { name: /^Cost per day/ }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await expect.poll(() => rowsOf(page, 'Sessions').count()).toBe(1);
    await visit(page, `/pull-requests/${ids[14]}`);
    await page.getByText('No call on the branch typo was reported before its end.').waitFor();
    await expectGood(page, 'pull-request-without-calls');
  });

  test('a session says what it was worked on, marks where that changed, and shows the calls of one alone', async () => {
    const page = await open('/sessions?project_id=api');
    await rowsOf(page, 'Sessions').first().getByRole('link').first().click();
    const works = page.getByRole('list', { name: 'Worked on' });
    await works.getByRole('button').nth(2).waitFor();
    await page.locator('.timeline-place').nth(2).waitFor();
    const parts = await works.getByRole('button').allInnerTexts();
    expect(parts.map((text) => text.replace(/\s+/g, ' '))).toEqual([
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
    await titled(page, 'Sign in by passkey');
  });

  test('Overview, Sessions and Export are narrowed to a branch, and what has none is not attributed', async () => {
    const page = await open('/pull-requests?tab=branches');
    await rowsOf(page, 'Branches').first().getByRole('link', { name: 'cart' }).click();
    await page.getByRole('link', { name: 'Cost: $9.00' }).waitFor();
    await visit(page, '/?split=pull_request&view=table');
    await page.getByRole('table', { name: 'By pull request' }).getByText('Not attributed').waitFor();
    const highest = rowsOf(page, 'By pull request').first();
    expect(await highest.textContent()).toContain(`${SHOP}#12$9.00`);
    await highest.getByRole('link').click();
    await titled(page, 'Remember the cart <b>of a visitor</b>');
    await visit(page, '/?split=branch');
    const legend = page.getByRole('list').filter({ hasText: 'Not attributed' }).first();
    await legend.getByText('cart').waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    const table = page.getByRole('table', { name: 'By branch' });
    await table.getByText('Not attributed').waitFor();
    expect(await table.getByRole('columnheader', { name: 'Sessions' }).count()).toBe(0);
    await table.getByRole('link', { name: 'cart' }).click();
    await page.getByRole('button', { name: 'Remove the filter Branch' }).waitFor();
    await expect.poll(() => rowsOf(page, 'Sessions').count()).toBe(3);

    await page.getByRole('button', { name: 'Branch, task …' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Task').first().fill('SHOP-412');
    await page.keyboard.press('Enter');
    await expect.poll(() => rowsOf(page, 'Sessions').count()).toBe(1);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Export' }).click();
    const divided = 'The same, also by branch, pull request and task';
    await page.getByRole('combobox', { name: 'Rows' }).selectOption(divided);
    await page.locator('[data-rows="1"]').waitFor();
    await page.getByRole('cell', { name: 'SHOP-412' }).waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'Cost: $2.00' }).waitFor();
  });

  test('an admin deletes one that was reported by mistake, and is asked first; a member cannot', async () => {
    const tom = await open(`/pull-requests/${ids[12]}`, 'Tom');
    expect(await tom.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    const page = await open(`/pull-requests/${ids[14]}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await dialog.waitFor({ state: 'detached' });
    await titled(page, 'Mend a typo');
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await titled(page, 'Pull requests');
    await page.getByText('The pull request is deleted.').waitFor();
    await visit(page, '/pull-requests?opened=any');
    await expect.poll(() => rowsOf(page, 'Pull requests').count()).toBe(4);
  });

  test('an admin turns names into hashes, is asked first, and the pages show no name any more', async () => {
    const page = await open('/settings');
    await page.getByRole('button', { name: 'Hash the names' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Hash them' }).click();
    await page.getByRole('button', { name: 'Show names again' }).waitFor();
    const titles = async () => {
      await visit(page, '/pull-requests');
      return page.getByRole('main').textContent();
    };
    await expect.poll(titles).not.toContain('passkey');
    await visit(page, `/pull-requests/${ids[13]}`);
    const hash = page.getByText(/^h_[0-9A-Za-z]{22}$/).first();
    await hash.waitFor();
    expect(await page.getByText('login').count()).toBe(0);
    await expectGood(page, 'pull-request-hashed');
  });

  test('a code host is added with a secret that is shown once, is seen to send, and is deleted', async () => {
    const page = await open('/settings?tab=code-hosts');
    await page.getByRole('button', { name: 'Add a code host' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('combobox', { name: 'Code host' }).selectOption('GitHub');
    await form.getByRole('textbox', { name: 'Name' }).fill('Acme on GitHub');
    await form.getByRole('button', { name: 'Add' }).click();
    const secret = (await form.getByRole('region', { name: 'Secret' }).textContent()) ?? '';
    const address = (await form.getByRole('region', { name: 'Address' }).textContent()) ?? '';
    await expectGood(page, 'code-host-added');
    await form.getByRole('button', { name: 'I have kept it' }).click();
    const body = JSON.stringify(payloadOf('github', { number: 99 }));
    const send = () =>
      call(stack.url + new URL(address).pathname, { body, headers: proofOf('github', secret, body) });
    expect((await send()).body).toEqual({ outcome: 'applied' });
    await page.reload();
    const row = page.getByRole('row', { name: 'Acme on GitHub' });
    await row.waitFor();
    expect(await row.getByText('none yet').count()).toBe(0);
    expect(await page.content()).not.toContain(secret);
    await expectGood(page, 'code-hosts');
    await page.getByRole('button', { name: 'Delete Acme on GitHub' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No code host yet.').waitFor();
    expect((await send()).status).toBe(404);
  });
});

/** Looks at the page in every view, and leaves it wide and light. */
async function expectGood(page: Page, name: string): Promise<void> {
  await expectGoodInViews(page, name);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}
