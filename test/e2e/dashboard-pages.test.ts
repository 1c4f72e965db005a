import { describe, expect, test } from 'vitest';
import { ensureDemoDevice } from '../../scripts/demo/devices.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { signIn } from '../support/browser.ts';
import { call, until } from '../support/harness.ts';
import {
  axeFindings,
  expectGood,
  expectGoodInViews,
  lookAt,
  type Sight,
  show,
  sidewaysBy,
  VIEWS,
} from '../support/page-checks.ts';
import { type Dashboard, withDashboard } from '../support/with-dashboard.ts';

/**
 * Each page, and the buttons that open a dialog or a menu there for everybody, and for admins too. Braces stand for the id of
 * an object that is made for these tests.
 */
const PAGES: readonly (readonly [
  path: string,
  everybodys?: readonly string[],
  admins?: readonly string[],
])[] = [
  ['/', ['Dates …', 'Branch, task …', 'Go to a page (Ctrl K)', 'Signed in as']],
  ['/?split=project_id&view=table'],
  ['/sessions'],
  ['/sessions/{session}', [], ['Call gpt-4o-mini', 'End session']],
  ['/pull-requests'],
  ['/pull-requests?tab=branches'],
  ['/pull-requests/{pull}'],
  ['/budgets', [], ['Create a budget']],
  ['/budgets/{budget}', [], ['Edit', 'Delete']],
  ['/raise?budget={budget}'],
  ['/raises'],
  ['/raises/{raise}'],
  ['/anomalies'],
  ['/credits'],
  ['/devices', ['Revoke demo']],
  ['/activate'],
  ['/export?people=true&level=daily', [], ['Add a destination']],
  ['/export?level=focus'],
  ['/connect', ['Revoke Laptop key', 'Rotate Laptop key']],
  ['/connect?tool=claude-code&form=managed'],
  ['/connect?tool=signals&form=python&agent=codex'],
  ['/no/such'],
  ['/alerts', [], ['Add a channel']],
];
const OF_ADMINS = [
  ['/webhooks', [], ['Create a webhook']],
  [
    '/webhooks/{webhook}',
    [],
    ['Edit events', 'Edit alerts', 'New secret', 'Recover', 'Delete', 'session.started'],
  ],
  ['/analytics'],
  ['/settings', [], ['Hash the names']],
  ['/settings?tab=members', [], ['Invite', 'Edit Tom Herrera']],
  ['/settings?tab=keys', [], ['Create a key', 'Revoke Laptop key']],
  ['/settings?tab=code-hosts', [], ['Add a code host']],
  ['/settings?tab=prices', [], ['New rule']],
  ['/settings?tab=audit'],
] as const satisfies typeof PAGES;

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
  let ids: Record<string, string> = {};
  const { stack, open, openBlank, visit, budget } = withDashboard(async (own) => {
    ids = await makeThings(own);
  });
  const filled = (path: string) => path.replace(/\{(\w+)\}/, (_, name) => ids[name] ?? '');

  test.each([
    ['Grace', [...PAGES, ...OF_ADMINS], [...VIEWS, [ZOOMED, 'dark']]],
    ['Tom', PAGES, [[390, 'dark']]],
  ] as const)('hold the policy and the rules of accessibility: %s', async (name, pages, views) => {
    const page = await open('/', name);
    const paths = pages.map(([path]) => path);
    const check = async (path: string, view: Sight) => {
      if (view[0] !== ZOOMED) expect(await axeFindings(page), [path, ...view].join(' ')).toEqual([]);
      expect(await sidewaysBy(page), path).toBe(0);
      expect(await page.evaluate(NOT_TWO_LINES), path).toEqual([]);
      expect(await page.getByRole('heading', { level: 1 }).count(), path).toBe(1);
      if (view[0] !== 1280) return;
      const guides = page.locator('a[data-guide]');
      expect(await guides.count(), path).toBe(1);
      const guide = (await guides.getAttribute('href')) ?? '';
      expect((await page.request.get(new URL(guide, stack.url).href)).status(), path).toBe(200);
    };
    await lookAt(page, paths, views, { open: (path) => visit(page, filled(path)), check });
  });

  test.each([
    ['Grace', 'dark', [...PAGES, ...OF_ADMINS]],
    ['Tom', 'light', PAGES],
  ] as const)('open their dialogs and menus well: %s, %s', async (name, colorScheme, pages) => {
    const page = await open('/', name, { colorScheme });
    const layer = page.getByRole('dialog').or(page.getByRole('menu')).first();
    for (const [path, everybodys = [], admins = []] of pages) {
      const buttons = name === 'Grace' ? [...everybodys, ...admins] : everybodys;
      if (buttons.length > 0) await visit(page, filled(path));
      for (const button of buttons) {
        await page.getByRole('button', { name: button }).first().click();
        await layer.waitFor();
        expect(await axeFindings(page), `${path} ${button}`).toEqual([]);
        await page.keyboard.press('Escape');
        await layer.waitFor({ state: 'hidden' });
      }
    }
  });

  test('are checked by rules that find what is wrong', async () => {
    const { page } = await openBlank();
    await page.setContent('<html lang="en"><title>Wrong</title><h1>Wrong</h1><img src="x"></html>');
    expect((await axeFindings(page)).map((found) => found.split(':')[0])).toContain('image-alt');
  });

  test('are well before anybody has signed in, and for whoever belongs nowhere', async () => {
    const { page } = await openBlank();
    for (const path of ['/', '/budgets', '/signed-out', '/signed-out?problem=invalid_grant', '/no/such']) {
      await visit(page, path);
      await expectGoodInViews(page, path);
    }
    await signIn(page, stack.url, { email: 'nobody@elsewhere.example' });
    await page.getByRole('heading', { name: 'You do not belong to an organization yet' }).waitFor();
    await expectGoodInViews(page, 'belongs-nowhere');
  });

  test('show the figures of a chart as a table, and of a narrow one as lists', async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'Show as table' }).click();
    for (const view of VIEWS) {
      await show(page, view);
      const role = view[0] === 390 ? 'list' : 'table';
      await page.getByRole(role, { name: 'Cost over time' }).getByText('$3.00').waitFor();
      await expectGood(page, role);
      expect(await page.evaluate(SCROLLS_SIDEWAYS), role).toEqual([]);
    }
  });

  test('ask each question once as they open', async () => {
    const page = await open('/devices');
    let asked: string[] = [];
    page.on('request', (request) => {
      if (/\/dashboard\/(api|v1|session)/.test(request.url())) asked.push(request.url());
    });
    for (const path of ['/', '/?range=30d&user_id=tom']) {
      await page.goto('about:blank');
      asked = [];
      await visit(page, path);
      expect(asked.toSorted(), path).toEqual([...new Set(asked)].toSorted());
      expect(
        asked.filter((url) => url.includes('/usage?')),
        path,
      ).toHaveLength(2);
    }
  });

  test('tell what a period came to, by the arrow keys and under the pointer', async () => {
    const page = await open('/');
    const chart = page.getByRole('application', { name: /^Cost over time/ });
    const told = chart.getByRole('status');
    await chart.focus();
    await page.keyboard.press('End');
    await told.getByText('$3.00').first().waitFor();
    await expectGood(page, 'figures');
    await page.keyboard.press('ArrowLeft');
    await told.getByText('$0.00').waitFor();
    const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {};
    await chart.hover({ position: { x: width - 24, y: height / 2 } });
    await told.getByText('$3.00').first().waitFor();
    expect(await page.locator('.chart-bar').count()).toBe(1);
    expect(await page.locator('.tile-card polyline').count(), 'each figure has its course').toBe(6);
  });

  test('follow what changes while they are open', async () => {
    await stack.report({ user_id: 'late', cost_usd: 7 });
    const page = await open('/devices');
    await page.clock.install();
    await visit(page, '/?user_id=late');
    await page.getByText('$7.00').first().waitFor();
    await stack.report({ user_id: 'late', cost_usd: 4 });
    await page.clock.runFor(61_000);
    await page.getByText('$11.00').first().waitFor();
  });

  test('offer no credits where none are sold', async () => {
    const page = await open('/credits');
    await page.getByText('5 hours long; begins with your next spend').waitFor();
    expect(await page.getByText('Buy credits').count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Buy/ }).count()).toBe(0);
  });

  test('show hostile data as text, and none of it breaks the layout', async () => {
    for (const value of HOSTILE)
      await stack.report({ user_id: value, project_id: value, model: value, cost_usd: 1, tool_name: value });
    const id = await budget({ name: IMAGE, scope: 'user', scope_id: 'u'.repeat(256), threshold: 1 });
    const page = await open('/');
    const check = async (path: string, [width]: Sight) => {
      expect(await sidewaysBy(page), `${path} at ${width}`).toBe(0);
      expect(await page.evaluate(NOT_TWO_LINES), `${path} at ${width}`).toEqual([]);
      expect(await page.title()).not.toBe('broken');
      expect(await page.locator('img').count()).toBe(0);
      if (path === '/sessions')
        expect(await page.getByText(IMAGE, { exact: true }).count()).toBeGreaterThan(0);
      if (path !== '/') return;
      const hatches: string[] = await page.evaluate(HATCHES);
      expect(hatches.length).toBeGreaterThan(4);
      expect(new Set(hatches).size, 'series are told apart without their colours').toBe(hatches.length);
    };
    const paths = ['/', '/sessions', '/budgets', `/budgets/${id}`, '/anomalies'];
    await lookAt(page, paths, VIEWS, { open: (path) => visit(page, path), check });
  });

  test('give fingers room', async () => {
    const viewport = { width: 390, height: 844 };
    const page = await open('/', 'Grace', { viewport, hasTouch: true, isMobile: true });
    const paths = ['/sessions', '/budgets/{budget}', '/webhooks/{webhook}', '/connect', '/settings'];
    for (const path of ['/', ...paths]) {
      await visit(page, filled(path));
      expect(await page.evaluate(TOO_SMALL), path).toEqual([]);
      expect(await sidewaysBy(page), path).toBe(0);
    }
  });

  test('can be used by the keyboard alone', async () => {
    const page = await open('/');
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
  });

  test('hide the navigation of a narrow screen also from the keyboard, until it is opened', async () => {
    const page = await open('/devices', 'Grace', { viewport: { width: 640, height: 450 } });
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await pages.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Navigation', expanded: false }).click();
    await pages.waitFor();
    await page.keyboard.press('Escape');
    await pages.waitFor({ state: 'hidden' });
  });

  test('offer to sign in again when the session has ended, and keep the page', async () => {
    const page = await open('/devices');
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
      page.context().waitForEvent('page'),
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
  });

  test('lie beside /docs, which axe finds well too, and /admin/queues, which hold their own policies', async () => {
    const httpCredentials = { username: 'operator', password: stack.env.OPERATOR_TOKEN ?? '' };
    const { page, faults } = await openBlank({ httpCredentials });
    await page.goto(`${stack.url}/docs`);
    await page.getByText('Record signals').first().waitFor();
    for (const view of VIEWS) {
      await show(page, view);
      expect(await axeFindings(page), view.join(' ')).toEqual([]);
    }
    await page.goto(`${stack.url}/admin/queues`);
    await page.getByText('deliver-webhook').first().waitFor();
    // Scalar tries whether it may compile code, is refused, and goes on without.
    expect(faults.splice(0).filter((fault) => !fault.endsWith('/docs: policy: script-src eval'))).toEqual([]);
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
 * Runs in the page: rows of narrow lists that take other than two lines, of sessions, projects, pull requests, branches, keys and
 * members in Settings three, or whose parts are below or beside their line.
 */
const NOT_TWO_LINES = `[...document.querySelectorAll('.rows li')].flatMap((row) => {
  const { left, right } = row.getBoundingClientRect();
  const isInLine = (part, at, [first]) => {
    const box = part.getBoundingClientRect();
    const most = part.querySelector('button') ? 48 : 26;
    return box.height <= most && box.top < first.getBoundingClientRect().bottom && box.left >= left && box.right <= right + 1;
  };
  const lines = [...row.children].map((line) => [...line.children]);
  const isLong = ['Sessions', 'By session', 'By project', 'Pull requests', 'Branches', 'Keys'].includes(row.parentElement.ariaLabel) || location.search.includes('tab=members');
  const wanted = isLong ? 3 : 2;
  return lines.length === wanted && lines.every((parts) => parts.every(isInLine)) ? [] : [row.innerText];
})`;

/** Runs in the page: what is wider than its box and no code. */
const SCROLLS_SIDEWAYS = `[...document.querySelectorAll('section, .rows, main')]
  .filter((box) => !box.classList.contains('code') && box.scrollWidth > box.clientWidth)
  .map((box) => box.getAttribute('aria-label') ?? box.tagName)`;

/** A budget, a raise and a session of Tom, a pull request, a webhook that does not answer, a key and a device of each. */
async function makeThings({ stack, ask, budget }: Dashboard): Promise<Record<string, string>> {
  const { ctx, orgId } = stack;
  const about = { url: 'http://127.0.0.1:9/', secret: 's'.repeat(32), events: ['session.started'] };
  const webhook = await ask('/api/v1/webhooks', about);
  await stack.report(
    { user_id: 'tom', cost_usd: 3, ...PLACE },
    { user_id: 'grace', error: { code: 'rate_limit' } },
  );
  const toms = await budget({ name: 'Tom’s', scope: 'user', scope_id: 'tom', threshold: 4 });
  for (const user_id of ['grace', 'tom']) {
    await createApiKey(ctx, { org_id: orgId, name: 'Laptop key', scopes: ['usage:read'], user_id });
    const member = await memberRows(ctx).findOne({ org_id: orgId, user_id });
    if (member) await ensureDemoDevice(ctx, member);
  }
  const [session] = (await ask('/api/v1/sessions?user_id=tom')).data;
  const asks = { org_id: orgId, name: 'asks', user_id: 'tom' };
  const { key } = await createApiKey(ctx, { ...asks, scopes: ['budgets:check'] });
  const body = { budget_id: toms, amount: 5, note: HOSTILE.join(' ') };
  const { body: raise } = await call(`${stack.url}/api/v1/raises`, { key, body });
  const opened = { number: 12, state: 'open', opened_at: new Date().toISOString(), title: HOSTILE.join(' ') };
  const pull = await ask('/api/v1/pull-requests', { ...PLACE, ...opened });
  return { webhook: webhook.id, pull: pull.id, raise: raise.id, budget: toms, session: session.id };
}
