import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addMember } from '../../shared/people/members.ts';
import { tabTo } from '../support/browser.ts';
import { until } from '../support/harness.ts';
import { expectGood, lookAt, type Sight, show, sidewaysBy, VIEWS } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The start of the expensive session: yesterday at two o'clock in UTC, which is the day before in New York. */
const NIGHT_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS + 2 * HOUR_MS;
/** A user that would turn the text around, and is longer than two lines. */
const HOSTILE = `evil\u202Eexe.live ${'x'.repeat(200)}`;

/** Sessions and Overview: the answer that a person came for, for the keyboard too, and by the organization's clock. */
describe('the lists of the dashboard', () => {
  const { stack, open, visit, ask } = withDashboard(async ({ stack }) => {
    const mei = { user_id: 'mei', name: 'Mei Tanaka', email: 'mei@acme.example', teams: ['data'] };
    await addMember(stack.ctx, { org_id: stack.orgId, role: 'member', ...mei });
    const cheap = { model: 'gpt-5', adapter: 'codex', ts: NIGHT_MS };
    const few = Array.from({ length: 30 }, (_, at) => ({
      ...cheap,
      user_id: 'tom',
      project_id: `p-${at}`,
      provider: 'openai',
      ts: NIGHT_MS + at * 60_000,
      cost_usd: 0.01,
      tokens_in: 1_000 + at,
    }));
    const claude = { adapter: 'claude-code', model: 'claude-sonnet-4-5', provider: 'anthropic' };
    const expensive = { ...claude, user_id: 'grace', ts: NIGHT_MS };
    await stack.report(
      ...few,
      { ...expensive, project_id: 'infra', cost_usd: 40, tokens_in: 6_000_000 },
      { ...expensive, project_id: 'broken', cost_usd: 0.02, error: { code: 'rate_limit' } },
      { ...cheap, user_id: 'mei', project_id: 'reports', cost_usd: 0.03 },
    );
  });

  const rowsOf = (page: Page) => page.getByRole('table', { name: 'Sessions' }).locator('tbody tr');
  const projectsOf = async (page: Page) => rowsOf(page).locator('td:nth-child(3)').allTextContents();

  test('somebody in New York sees the times of the organization, and gets the own by hover and focus', async () => {
    const newYork = { timezoneId: 'America/New_York' };
    const page = await open('/sessions?project_id=infra', 'Grace', newYork);
    await page.getByText('Times in UTC').waitFor();
    const time = rowsOf(page).locator('time').first();
    const day = (ms: number) =>
      new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(ms);
    expect(await time.textContent()).toContain(`${day(NIGHT_MS)}, 02:00`);
    expect(await time.getAttribute('datetime')).toBe(new Date(NIGHT_MS).toISOString());
    const local = new Intl.DateTimeFormat('en-GB', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'America/New_York',
    }).format(NIGHT_MS);
    const words = new RegExp(`^${local}, \\d\\d:00:00 in New York · \\d+ \\w+ \\d{4}, 02:00:00 UTC$`);
    const hint = page.getByRole('tooltip');
    await time.hover();
    expect(await hint.textContent()).toMatch(words);
    await page.mouse.move(0, 0);
    await hint.waitFor({ state: 'detached' });
    const link = rowsOf(page).getByRole('link').first();
    await link.focus();
    expect(await hint.textContent()).toMatch(words);
    expect(await link.getAttribute('aria-describedby')).toBe(await hint.getAttribute('id'));
    await page.keyboard.press('Escape');
    await hint.waitFor({ state: 'detached' });
    await link.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Session of ${day(NIGHT_MS)}, 02:00` }).waitFor();
    // A call is shown to the millisecond, and its hint too.
    await page.getByRole('region', { name: 'Calls, 1' }).getByRole('button').click();
    const call = page.getByRole('dialog').locator('time');
    expect(await call.textContent()).toMatch(/, 02:00:00\.000$/);
    await call.focus();
    expect(await page.getByRole('tooltip').textContent()).toMatch(/02:00:00\.000 UTC$/);
  });

  test('sessions are put in order by their headings, filtered and opened by the keyboard alone', async () => {
    const page = await open('/sessions');
    const heading = (name: string) => page.getByRole('columnheader', { name });
    const sorted = async (name: string, how: string) =>
      expect.poll(() => heading(name).getAttribute('aria-sort')).toBe(how);
    await sorted('Started', 'descending');
    await tabTo(page, page.getByRole('button', { name: 'Cost', exact: true }));
    await page.keyboard.press('Enter');
    await sorted('Cost', 'descending');
    await sorted('Started', 'none');
    await expect.poll(() => projectsOf(page)).toHaveProperty('0', 'infra');
    await page.keyboard.press('Enter');
    await sorted('Cost', 'ascending');
    await expect.poll(async () => (await projectsOf(page))[0]).toMatch(/^p-/);
    expect(page.url()).toContain('sort=cost_usd');

    await tabTo(page, page.getByRole('button', { name: 'More filters …' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    const least = page.getByRole('textbox', { name: 'Cost at least' });
    await tabTo(page, least);
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    await page.getByText('at least $1.00').waitFor();
    await tabTo(page, rowsOf(page).getByRole('link').first());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Session of' }).waitFor();
    await page.goBack();
    await tabTo(page, page.getByRole('button', { name: 'Remove the filter Cost' }));
    await page.keyboard.press('Enter');
    await expect.poll(() => rowsOf(page).count()).toBe(33);
  });

  test('a row opens its session, and what is expensive or unusual is marked with a word', async () => {
    const page = await open('/sessions?sort=cost_usd');
    await page.locator('[data-mark=expensive]').getByText('expensive').waitFor();
    await until(async () => (await ask('/api/v1/sessions?anomalous=true')).data.length > 0);
    await page.reload();
    await page.locator('[data-mark=anomaly]').first().waitFor();
    expect(await page.locator('[data-mark=expensive]').count()).toBe(1);
    await rowsOf(page).first().locator('td').last().click();
    await page.getByRole('heading', { level: 1, name: 'Session of' }).waitFor();
    await page.goBack();
    await rowsOf(page).first().waitFor();
    for (const [query, count] of [
      ['errors=true', 1],
      ['errors=false', 32],
      ['anomalous=true', 1],
      ['min_cost_usd=0.02', 3],
      ['team=data', 1],
    ] as const) {
      await visit(page, `/sessions?${query}`);
      await expect.poll(() => rowsOf(page).count()).toBe(count);
      const href = (await page.getByRole('link', { name: 'Export these' }).getAttribute('href')) ?? '';
      expect(href).toContain(query);
      const csv = await (await page.request.get(new URL(href, stack.url).href)).text();
      expect(csv.trim().split('\n'), query).toHaveLength(count + 1);
    }
  });

  test('the columns and the rows of a page are those that were chosen in this browser, and all of them fit', async () => {
    const page = await open('/sessions');
    const cells = page.locator('td.fitting');
    expect(await cells.count()).toBeGreaterThan(0);
    const cut = await page.evaluate(
      `[...document.querySelectorAll('td.fitting')].filter((cell) => cell.scrollWidth > cell.clientWidth).length`,
    );
    expect(cut, 'tools and models are whole').toBe(0);
    const labels = () =>
      page.getByRole('table', { name: 'Sessions' }).getByRole('columnheader').allTextContents();
    expect((await labels()).join()).not.toContain('Policy decisions');
    await page.getByRole('button', { name: 'Columns …' }).click();
    await page.getByRole('checkbox', { name: 'Policy decisions' }).check();
    await page.getByRole('checkbox', { name: 'Tool' }).uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('25');
    await expect.poll(() => rowsOf(page).count()).toBe(25);
    await visit(page, '/sessions');
    expect((await labels()).join()).toContain('Policy decisions');
    expect(await labels()).not.toContain('Tool');
    expect(await rowsOf(page).count()).toBe(25);
    await page.getByRole('button', { name: 'Columns …' }).click();
    for (const name of ['Length', 'Calls', 'Tool']) await page.getByRole('checkbox', { name }).check();
    await page.keyboard.press('Escape');
    expect(await sidewaysBy(page)).toBe(0);
  });

  test('figures and cells of Overview lead to the sessions that they count, by the keyboard alone', async () => {
    const page = await open('/?range=7d');
    await tabTo(page, page.getByRole('link', { name: /^Active users:/ }));
    await page.keyboard.press('Enter');
    const users = page.getByRole('table', { name: 'By user' });
    await users.getByRole('link', { name: 'Grace Lindqvist' }).waitFor();
    const cell = page.getByRole('table', { name: 'Cost over time' }).getByRole('link', { name: '$40.02' });
    await tabTo(page, cell);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('from')).toBe(new Date(NIGHT_MS).toISOString().slice(0, 10));
  });

  test('a segment of a bar is a link to the sessions of its day and group', async () => {
    const page = await open('/?range=7d&split=team');
    const segments = page.locator('.chart svg a[href]');
    expect(await segments.count()).toBe(2);
    const hrefs = await Promise.all([0, 1].map((at) => segments.nth(at).getAttribute('href')));
    const teams = hrefs.map((href) => new URL(href ?? '', stack.url).searchParams.get('team'));
    expect(new Set(teams)).toEqual(new Set(['core', 'data']));
    await segments.last().click();
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    // The legend of a single series is there too.
    await visit(page, '/?range=7d&model=gpt-5');
    await page.locator('.chart + ul').getByText('gpt-5').waitFor();
    // One row says nothing: neither the model nor a person alone has a list.
    expect(await page.getByRole('heading', { name: 'Top models' }).count()).toBe(0);
  });

  test('the figures of a period have the swatch of each series, and never lie on the bar that they explain', async () => {
    const page = await open('/?range=7d&split=model');
    const chart = page.getByRole('application', { name: /^Cost over time/ });
    const bars = chart.locator('.chart-bar');
    const figures = chart.locator('.chart-figures');
    for (const width of [1280, 390]) {
      await show(page, [width, 'light']);
      await chart.focus();
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowLeft');
      await figures.getByText('claude-sonnet-4-5').waitFor();
      expect(await figures.locator('svg').count(), 'a swatch per series').toBe(2);
      const rects = await figures.locator('svg > rect').all();
      const fills = await Promise.all(rects.map((rect) => rect.getAttribute('fill')));
      expect(new Set(fills).size).toBe(2);
      const box = await boxOf(figures);
      for (const bar of await bars.all())
        expect(overlap(box, await boxOf(bar)), `at ${width} px`).toBe(false);
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      // Under the pointer too.
      await page.keyboard.press('Tab');
      await bars.last().hover();
      await figures.waitFor();
      expect(overlap(await boxOf(figures), await boxOf(bars.last())), `at ${width} px`).toBe(false);
    }
  });

  test('the calendar marks today and what is chosen', async () => {
    const page = await open('/?range=last_month');
    await page.getByRole('button', { name: 'Dates …' }).click();
    const dates = page.getByRole('dialog');
    await dates.locator('[data-first-in-range], [data-last-in-range]').first().waitFor();
    await visit(page, '/?range=7d');
    await page.getByRole('button', { name: 'Dates …' }).click();
    await dates.locator('[aria-current=date]').waitFor();
  });

  test('axe finds nothing on Sessions and Overview with hostile names', async () => {
    await stack.report({ user_id: HOSTILE, project_id: HOSTILE, model: HOSTILE, tool_name: HOSTILE });
    const page = await open('/');
    const sessions = '/sessions?range=7d';
    const users = '/?range=7d&split=user_id&view=table';
    const check = async (path: string, [width, colorScheme]: Sight) => {
      const name = `${path} ${width} ${colorScheme}`;
      await expectGood(page, name);
      expect(await page.evaluate(TALL_NAMES), name).toEqual([]);
      expect(await page.evaluate(`document.body.innerText.includes('\\u202E')`), name).toBe(false);
      if (path === sessions) {
        await page.getByText('evil\\u202Eexe.live').first().waitFor();
        if (width !== 390) return;
        const list = await page.getByRole('list', { name: 'Sessions' }).textContent();
        for (const words of ['gpt-5', 'Tokens in', 'Tokens out']) expect(list).toContain(words);
      } else if (path === users && width === 390) {
        await page.locator('.rows li > :first-child > .number:has(+ .number)').first().waitFor();
        expect(await page.evaluate(ENDS_OF_COSTS)).toHaveLength(1);
      }
    };
    await lookAt(page, ['/?range=7d', users, sessions], VIEWS, { open: (path) => visit(page, path), check });
  });
});

/** Runs in the page: names that take more than two lines without the focus. */
const TALL_NAMES = `[...document.querySelectorAll('bdi')]
  .filter((name) => name.checkVisibility() && !name.matches(':focus'))
  .filter((name) => {
    const { lineHeight, fontSize } = getComputedStyle(name);
    const line = Number.parseFloat(lineHeight) || Number.parseFloat(fontSize) * 1.55;
    return name.getBoundingClientRect().height > line * 2 + 4;
  })
  .map((name) => name.textContent)`;

/** Runs in the page: where the costs of narrow rows with a share end, in pixels, each once. */
const ENDS_OF_COSTS = `[...new Set(
  [...document.querySelectorAll('.rows li > :first-child > .number:has(+ .number)')].map((cost) =>
    Math.round(cost.getBoundingClientRect().right)),
)]`;

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('It is not shown.');
  return box;
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
