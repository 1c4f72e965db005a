import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ensureDemoDevice } from '../../scripts/demo/devices.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { openAs, openPage, signIn, type View, type WatchedPage } from '../support/browser.ts';
import type { DashboardStack, PersonName } from '../support/dashboard-stack.ts';
import { call, until } from '../support/harness.ts';
import { axeFindings, lookAt, type Sight, settled, sidewaysBy } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

/** Braces stand for the id of an object that is made for these tests. */
const MEMBER_PAGES = [
  '/',
  '/sessions',
  '/sessions/{session}',
  '/pull-requests',
  '/pull-requests/{pull}',
  '/budgets',
  '/budgets/{budget}',
  '/raise?budget={budget}',
  '/raises',
  '/raises/{raise}',
  '/anomalies',
  '/credits',
  '/devices',
  '/activate',
  '/export',
  '/connect',
  '/alerts',
] as const;
const ADMIN_PAGES = [
  ...MEMBER_PAGES,
  '/webhooks',
  '/webhooks/{webhook}',
  '/analytics',
  '/settings',
  '/settings?tab=members',
  '/settings?tab=keys',
  '/settings?tab=code-hosts',
  '/settings?tab=prices',
  '/settings?tab=audit',
] as const;

const EVERYBODYS_DIALOGS = [
  ['/', 'Dates …'],
  ['/', 'Go to a page (Ctrl K)'],
  ['/', 'Signed in as'],
  ['/connect', 'Revoke Laptop key'],
  ['/connect', 'Rotate Laptop key'],
  ['/devices', 'Revoke demo'],
] as const;
const ADMINS_DIALOGS = [
  ...EVERYBODYS_DIALOGS,
  ['/budgets', 'Create a budget'],
  ['/budgets/{budget}', 'Edit'],
  ['/budgets/{budget}', 'Delete'],
  ['/sessions/{session}', 'End session'],
  ['/alerts', 'Add a channel'],
  ['/webhooks', 'Create a webhook'],
  ['/webhooks/{webhook}', 'Edit events'],
  ['/webhooks/{webhook}', 'Edit alerts'],
  ['/webhooks/{webhook}', 'New secret'],
  ['/webhooks/{webhook}', 'Recover'],
  ['/webhooks/{webhook}', 'Delete'],
  ['/webhooks/{webhook}', 'session.started'],
  ['/settings?tab=members', 'Invite'],
  ['/settings?tab=members', 'Edit Tom Herrera'],
  ['/settings?tab=keys', 'Create a key'],
  ['/settings?tab=keys', 'Revoke Laptop key'],
  ['/settings?tab=code-hosts', 'Add a code host'],
  ['/settings?tab=prices', 'New rule'],
] as const;

/** Runs in the page: its headings, the columns of its tables, and the names of what can be pressed or filled in. */
const CONTENTS = `(() => {
  const textsOf = (selector, of = document.querySelector('main')) =>
    [...of.querySelectorAll(selector)]
      .filter((part) => part.checkVisibility() && !part.closest('[data-banner]'))
      .map((part) => (part.getAttribute('aria-label') ?? part.innerText).replace(/\\s+/g, ' ').trim());
  const tables = [...document.querySelectorAll('main table')];
  return Object.entries({
    headings: textsOf('h2, h3'),
    columns: tables.map((table) => textsOf('thead th', table).join(', ')),
    buttons: [...new Set(textsOf('button'))].filter((name) => name),
    fields: textsOf('label'),
  }).flatMap(([kind, texts]) => (texts.length > 0 ? ['  ' + kind + ': ' + texts.join(' | ')] : []));
})()`;

/** Reads what a page shows, a line for each kind of thing. Figures and dates, which differ from run to run, are left out. */
async function contentsOf(page: Page): Promise<string> {
  await page.waitForLoadState('networkidle');
  await settled(page);
  const lines: string[] = await page.evaluate(CONTENTS);
  return lines
    .map((line) => line.replace(/\d+ [A-Z][a-z]{2}\b/g, 'DAY').replace(/\d[\d:.,]*/g, '#'))
    .join('\n');
}

/** The width of a window of 1,280 pixels at 200 %: it has the elements of the other two, so axe looks at those. */
const ZOOMED = 640;
const PLACE = { repository: 'github.com/acme/shop', branch: 'cart' };

const IMAGE = '<img src=x onerror="document.title=`broken`">';
const HOSTILE = [
  IMAGE,
  'u'.repeat(256),
  'שלום \u202e gnp.exe',
  '👩‍👩‍👧‍👦🏳️‍🌈 Ωμέγα',
  '=HYPERLINK("https://evil.example")',
];

/** Every page as people of each role see it, with little data and with data that wants to be more than text. */
describe('the pages of the dashboard', () => {
  let stack: DashboardStack;
  let browser: Browser;
  let ids: Record<string, string> = {};

  withDashboard(async (begun) => {
    ({ stack, browser } = begun);
    const webhook = await makeWebhook(stack);
    await stack.report(
      { user_id: 'tom', cost_usd: 3, ...PLACE },
      { user_id: 'grace', error: { code: 'rate_limit' } },
    );
    ids = { webhook, ...(await makeThings(stack)) };
  });

  const open = async (name: PersonName, view: View = {}): Promise<WatchedPage> => {
    return openAs(browser, stack, name, view);
  };
  const visit = async (page: Page, path: string) => {
    await page.goto(`${stack.url}/dashboard${path.replace(/\{(\w+)\}/, (_, name) => ids[name] ?? '')}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
  };

  test.each([
    [
      'Grace',
      ADMIN_PAGES,
      [
        [1280, 'light'],
        [ZOOMED, 'dark'],
        [390, 'dark'],
      ],
    ],
    ['Tom', MEMBER_PAGES, [[1280, 'dark']]],
  ] as const)(
    'show what they are to show, and hold the policy and the rules of accessibility: %s',
    async (name, paths, views) => {
      const { page, faults, context } = await open(name);
      const contents: string[] = [];
      const check = async (path: string, view: Sight) => {
        if (view[0] === 1280) contents.push(path, await contentsOf(page));
        if (view[0] !== ZOOMED) expect(await axeFindings(page), [path, ...view].join(' ')).toEqual([]);
        expect(await sidewaysBy(page), path).toBe(0);
        expect(await page.evaluate(NOT_TWO_LINES), path).toEqual([]);
        expect(await page.getByRole('heading', { level: 1 }).count(), path).toBe(1);
        const guides = page.locator('a[data-guide]');
        expect(await guides.count(), path).toBe(1);
        const guide = await page.request.get(
          new URL((await guides.getAttribute('href')) ?? '', stack.url).href,
        );
        expect(guide.status(), path).toBe(200);
      };
      await lookAt(page, paths, views, { open: (path) => visit(page, path), check });
      await expect(`${contents.join('\n')}\n`).toMatchFileSnapshot(`pages-of-${name}.txt`);
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test.each([
    ['Grace', 'dark', ADMINS_DIALOGS],
    ['Tom', 'light', EVERYBODYS_DIALOGS],
  ] as const)('open their dialogs and menus well: %s, %s', async (name, colorScheme, dialogs) => {
    const { page, faults, context } = await open(name, { colorScheme });
    const layer = page.getByRole('dialog').or(page.getByRole('menu')).first();
    let opened: string | undefined;
    for (const [path, button] of dialogs) {
      if (path !== opened) await visit(page, path);
      opened = path;
      await page.getByRole('button', { name: button }).first().click();
      await layer.waitFor();
      expect(await axeFindings(page), `${path} ${button}`).toEqual([]);
      await page.keyboard.press('Escape');
      await layer.waitFor({ state: 'hidden' });
    }
    expect(faults).toEqual([]);
    await context.close();
  });

  test('are checked by rules that find what is wrong', async () => {
    const { page, context } = await openPage(browser);
    await page.setContent('<html lang="en"><title>Wrong</title><h1>Wrong</h1><img src="x"></html>');
    expect((await axeFindings(page)).map((found) => found.split(':')[0])).toContain('image-alt');
    await context.close();
  });

  test('are well before anybody has signed in, and for whoever belongs nowhere', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults, context } = await openPage(browser, { colorScheme });
      for (const path of ['/', '/budgets', '/signed-out', '/signed-out?problem=invalid_grant', '/no/such']) {
        await visit(page, path);
        expect(await axeFindings(page), path).toEqual([]);
      }
      await signIn(page, stack.url, { email: 'nobody@elsewhere.example' });
      await page.getByRole('heading', { name: 'You do not belong to an organization yet' }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(faults).toEqual([]);
      await context.close();
    }
  });

  test('show the figures of a chart as a table, and of a narrow one as lists', async () => {
    for (const [width, role] of [
      [1280, 'table'],
      [390, 'list'],
    ] as const) {
      const { page, faults, context } = await open('Grace', { viewport: { width, height: 844 } });
      await visit(page, '/');
      await page.getByRole('button', { name: 'Show as table' }).click();
      await page.getByRole(role, { name: 'Cost over time' }).getByText('$3.00').waitFor();
      // Something else may be below the pointer now, and show its tooltip.
      await page.mouse.move(0, 0);
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate(SCROLLS_SIDEWAYS), `${width}`).toEqual([]);
      expect(faults).toEqual([]);
      await context.close();
    }
  });

  test.each(['/', '/?range=30d&user_id=tom'])('ask each question once as they open: %s', async (path) => {
    const { page, context } = await open('Grace');
    await page.goto('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/dashboard\/(api|v1|session)/.test(request.url())) asked.push(request.url());
    });
    await visit(page, path);
    await page.waitForLoadState('networkidle');
    expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
    expect(asked.filter((url) => url.includes('/usage?'))).toHaveLength(2);
    await context.close();
  });

  test('tell what a period came to, by the arrow keys and under the pointer', async () => {
    const { page, faults, context } = await open('Grace');
    await visit(page, '/');
    const chart = page.getByRole('application', { name: /^Cost over time/ });
    const told = chart.getByRole('status');
    await chart.focus();
    await page.keyboard.press('End');
    await told.getByText('$3.00').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('ArrowLeft');
    await told.getByText('$0.00').waitFor();
    const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {};
    await chart.hover({ position: { x: width - 24, y: height / 2 } });
    await told.getByText('$3.00').first().waitFor();
    expect(await page.locator('.chart-bar').count()).toBe(1);
    expect(await page.locator('.tile-card polyline').count(), 'each figure has its course').toBe(6);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('follow what changes while they are open', async () => {
    await stack.report({ user_id: 'late', cost_usd: 7 });
    const { page, context } = await open('Grace');
    await page.clock.install();
    await visit(page, '/?user_id=late');
    await page.getByText('$7.00').first().waitFor();
    await stack.report({ user_id: 'late', cost_usd: 4 });
    await page.clock.runFor(61_000);
    await page.getByText('$11.00').first().waitFor();
    await context.close();
  });

  test('offer no credits where none are sold, and show the credits of all to admins alone', async () => {
    for (const name of ['Grace', 'Tom'] as const) {
      const { page, faults, context } = await open(name);
      await visit(page, '/credits');
      await page.getByText('5 hours long; begins with your next spend').waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.getByText('Buy credits').count()).toBe(0);
      expect(await page.getByRole('button', { name: /^Buy/ }).count()).toBe(0);
      expect(await page.getByRole('heading', { name: 'Members' }).count()).toBe(name === 'Grace' ? 1 : 0);
      expect(faults).toEqual([]);
      await context.close();
    }
  });

  test('show hostile data as text, and none of it breaks the layout', async () => {
    for (const value of HOSTILE)
      await stack.report({ user_id: value, project_id: value, model: value, cost_usd: 1, tool_name: value });
    const budget = {
      name: IMAGE,
      scope: 'user',
      scope_id: 'u'.repeat(256),
      metric: 'cost_usd',
      threshold: 1,
    };
    const made = await call(`${stack.url}/api/v1/budgets`, {
      key: stack.key,
      body: { ...budget, window: 'monthly' },
    });
    expect(made.status, made.text).toBe(201);
    for (const width of [1280, 390]) {
      const { page, faults, context } = await open('Grace', { viewport: { width, height: 844 } });
      for (const path of ['/', '/sessions', '/budgets', `/budgets/${made.body.id}`, '/anomalies']) {
        await visit(page, path);
        expect(await sidewaysBy(page), `${path} at ${width}`).toBe(0);
        expect(await page.evaluate(NOT_TWO_LINES), `${path} at ${width}`).toEqual([]);
        expect(await page.title()).not.toBe('broken');
      }
      await visit(page, '/');
      const hatches: string[] = await page.evaluate(HATCHES);
      expect(hatches.length).toBeGreaterThan(4);
      expect(new Set(hatches).size, 'series are told apart without their colours').toBe(hatches.length);
      await visit(page, '/sessions');
      expect(await page.getByText(IMAGE, { exact: true }).count()).toBeGreaterThan(0);
      expect(await page.locator('img').count()).toBe(0);
      expect(faults).toEqual([]);
      await context.close();
    }
  });

  test('give fingers room', async () => {
    const viewport = { width: 390, height: 844 };
    const { page, context } = await open('Grace', { viewport, hasTouch: true, isMobile: true });
    for (const path of [
      '/',
      '/sessions',
      '/budgets/{budget}',
      '/webhooks/{webhook}',
      '/connect',
      '/settings',
    ]) {
      await visit(page, path);
      expect(await page.evaluate(TOO_SMALL), path).toEqual([]);
      expect(await sidewaysBy(page), path).toBe(0);
    }
    await context.close();
  });

  test('can be used by the keyboard alone', async () => {
    const { page, context } = await open('Grace');
    await visit(page, '/');
    const passed: unknown[] = [];
    for (let tabs = 0; tabs < 40 && !passed.includes('Skip to the page'); tabs += 1) {
      await page.keyboard.press('Shift+Tab');
      passed.push(await page.evaluate('document.activeElement.textContent'));
    }
    expect(passed).toContain('Skip to the page');
    await page.keyboard.press('Enter');
    expect(page.url()).toContain('#page');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to a page' }).fill('how much is left');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Budgets' }).waitFor();
    await until(() => page.evaluate('document.activeElement.tagName === "H1"'));
    await context.close();
  });

  test('hide the navigation of a narrow screen also from the keyboard, until it is opened', async () => {
    const { page, context } = await open('Grace', { viewport: { width: 640, height: 450 } });
    await visit(page, '/devices');
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await pages.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Navigation', expanded: false }).click();
    await pages.waitFor();
    await page.keyboard.press('Escape');
    await pages.waitFor({ state: 'hidden' });
    await context.close();
  });

  test('offer to sign in again when the session has ended, and keep the page', async () => {
    const { page, context } = await open('Grace');
    // The page, and with it its dialog, is mounted after what stands around it.
    await page.route('**/dashboard/api/v1/budgets', async (route) => {
      await page.getByRole('navigation').first().waitFor();
      await route.fallback();
    });
    await visit(page, '/budgets');
    await page.getByRole('button', { name: 'Create a budget' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Not lost');
    const { producer } = stack.ctx.redis;
    for (const session of await producer.keys('dashboard:session:*')) await producer.del(session);
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('Your session has ended').waitFor();
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in again' }).click(),
    ]);
    expect(await tab.evaluate('window.opener')).toBeNull();
    const grace = tab.getByRole('button', { name: 'Grace' });
    const signedIn = tab.getByRole('heading', { name: 'Signed in' });
    await grace.or(signedIn).waitFor();
    if (await grace.isVisible()) await grace.click();
    await signedIn.waitFor();
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Not lost');
    await context.close();
  });

  test('lie beside /docs and /admin/queues, which hold their own policies', async () => {
    const password = stack.env.OPERATOR_TOKEN ?? '';
    const { page, faults, context } = await openPage(browser, {
      httpCredentials: { username: 'operator', password },
    });
    await page.goto(`${stack.url}/docs`);
    await page.getByText('Record signals').first().waitFor();
    await page.goto(`${stack.url}/admin/queues`);
    await page.getByText('deliver-webhook').first().waitFor();
    // Scalar tries whether it may compile code, is refused, and goes on without.
    expect(faults.filter((fault) => !fault.endsWith('/docs: policy: script-src eval'))).toEqual([]);
    await context.close();
  });
});

/** Runs in the page: what one touches and is less than 44 px high; of an input the box around it, or the label of a checkbox. */
const TOO_SMALL = `[...document.querySelectorAll('button, select, input')]
  .filter((target) => target.checkVisibility())
  .map((target) => [target, target.type === 'checkbox' ? target.labels[0]
    : (target.matches('input') && target.closest('.mantine-Input-wrapper')) || target])
  .map(([target, box]) => [target.ariaLabel ?? target.textContent, box.getBoundingClientRect().height])
  .filter(([, height]) => height < 44)
  .map((small) => small.join(': '))`;

/** Runs in the page: how the bars of each series are hatched. */
const HATCHES = `[...document.querySelectorAll('.chart pattern')]
  .map((pattern) => pattern.querySelector('path')?.getAttribute('d') ?? 'plain')`;

/**
 * Runs in the page: rows of narrow lists that take other than two lines, of sessions, pull requests, keys and members in Settings
 * three, or whose parts are below or beside their line.
 */
const NOT_TWO_LINES = `[...document.querySelectorAll('.rows li')].flatMap((row) => {
  const { left, right } = row.getBoundingClientRect();
  const isInLine = (part, at, [first]) => {
    const box = part.getBoundingClientRect();
    const most = part.querySelector('button') ? 48 : 26;
    return box.height <= most && box.top < first.getBoundingClientRect().bottom && box.left >= left && box.right <= right + 1;
  };
  const lines = [...row.children].map((line) => [...line.children]);
  const isLong = ['Sessions', 'By session', 'Pull requests', 'Keys'].includes(row.parentElement.ariaLabel) || location.search.includes('tab=members');
  const wanted = isLong ? 3 : 2;
  return lines.length === wanted && lines.every((parts) => parts.every(isInLine)) ? [] : [row.innerText];
})`;

/** Runs in the page: what is wider than its box and no code. */
const SCROLLS_SIDEWAYS = `[...document.querySelectorAll('section, .rows, main')]
  .filter((box) => !box.classList.contains('code') && box.scrollWidth > box.clientWidth)
  .map((box) => box.getAttribute('aria-label') ?? box.tagName)`;

/** A webhook whose endpoint does not answer. */
async function makeWebhook({ url, key }: DashboardStack): Promise<string> {
  const body = { url: 'http://127.0.0.1:9/', secret: 's'.repeat(32), events: ['session.started'] };
  const made = await call(`${url}/api/v1/webhooks`, { key, body });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
}

/** A budget and a session of Tom, a key and a device of each. */
async function makeThings({ ctx, url, key, orgId }: DashboardStack): Promise<Record<string, string>> {
  const rule = { scope: 'user', scope_id: 'tom', metric: 'cost_usd', threshold: 4, window: 'monthly' };
  const budget = await call(`${url}/api/v1/budgets`, { key, body: { name: 'Tom’s', ...rule } });
  expect(budget.status, budget.text).toBe(201);
  for (const userId of ['grace', 'tom']) {
    await createApiKey(ctx, { org_id: orgId, name: 'Laptop key', scopes: ['usage:read'], user_id: userId });
    const member = await memberRows(ctx).findOne({ org_id: orgId, user_id: userId });
    if (member) await ensureDemoDevice(ctx, member);
  }
  const sessions = await call(`${url}/api/v1/sessions?user_id=tom`, { key });
  const scopes = ['budgets:check'] as const;
  const toms = await createApiKey(ctx, { org_id: orgId, name: 'asks', scopes: [...scopes], user_id: 'tom' });
  const asked = { budget_id: budget.body.id, amount: 5, note: HOSTILE.join(' ') };
  const raise = await call(`${url}/api/v1/raises`, { key: toms.key, body: asked });
  expect(raise.status, raise.text).toBe(201);
  const told = { ...PLACE, number: 12, state: 'open', opened_at: new Date().toISOString() };
  const pull = await call(`${url}/api/v1/pull-requests`, {
    key,
    body: { ...told, title: HOSTILE.join(' ') },
  });
  expect(pull.status, pull.text).toBe(200);
  return {
    pull: pull.body.id,
    raise: raise.body.id,
    budget: budget.body.id,
    session: sessions.body.data[0].id,
  };
}
